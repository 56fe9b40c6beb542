package io.inferwatch.simulation.serving;

/** Told what a server answers, at the moment when it does. */
public interface ResponseListener {
    /** The first token is about to come. */
    default void onBegin(Beginning beginning) {}

    /** The next token, from 0. */
    void onToken(int index);

    /** The end, also that of a request without any token. */
    void onEnd(Journey journey);
}
