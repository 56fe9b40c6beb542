package io.inferwatch.analytics.anomaly;

/** Which channel saw it. */
public enum Sense {
    /** The level is far from that of the hour. */
    JUMP,
    /** The level is not that of the hour. */
    LEVEL,
    /** A small change that stays. */
    SLOW,
    /** A shape that the series never had. */
    SHAPE
}
