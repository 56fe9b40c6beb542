package io.inferwatch.probes.otlp;

/** Takes what engines say of themselves in their counters, each time they are read. */
public interface EngineCounters {
    /**
     * A reading of how many requests a replica has finished since it started, e.g. {@code vllm:request_success_total} over all reasons.
     *
     * @param atMicros when it was read, epoch microseconds; readings of a replica come in order
     */
    void finished(String replica, long total, long atMicros);
}
