package io.inferwatch.probes.replay;

/** Is told of a replay's progress about once a second and at its end, on the thread that runs it. */
@FunctionalInterface
public interface ReplayListener {
    /** Called with the present progress. */
    void progress(ReplayProgress progress);
}
