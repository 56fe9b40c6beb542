package io.inferwatch.simulation.serving;

/** How a request ended at the server. */
public enum Ending {
    /** The answer is whole. */
    STOP,
    /** The answer was cut at the client's limit. */
    LENGTH,
    /** Failed before the engine saw it: status 500. */
    ERROR,
    /** Failed after its first tokens. */
    INBAND_ERROR,
    /** Prompt and answer do not fit: status 400. */
    REJECTED,
    /** The client went away. */
    CANCELLED
}
