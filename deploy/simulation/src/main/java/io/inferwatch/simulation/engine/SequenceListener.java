package io.inferwatch.simulation.engine;

/** Told what becomes of a sequence, at the moment when it does. */
public interface SequenceListener {
    /** A token came out; {@link Sequence#outputTokens()} counts it already. */
    void onToken(Sequence sequence);

    /** The last token has come out; its blocks are free. */
    void onEnd(Sequence sequence);
}
