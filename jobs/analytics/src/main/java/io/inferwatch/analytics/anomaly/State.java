package io.inferwatch.analytics.anomaly;

/** How a series stands. */
public enum State {
    /** Nothing is known of what is normal yet. */
    LEARNING,
    /** As usual. */
    OK,
    /** One channel finds it strange, which by itself is not enough. */
    SUSPECT,
    /** Not as usual, beyond what chance gives. */
    ANOMALOUS,
    /** No values: nothing can be said, least of all that they are zero. */
    STALE
}
