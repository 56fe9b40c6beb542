package io.inferwatch.analytics.slo;

/** What is said of a load step. */
public enum LoadVerdict {
    /** No reading exceeds the limit. */
    PASS,
    /** Some do, but the limit is not promised at so small a load. */
    BELOW_LOAD,
    /** Some do, at a load at which none may. */
    BREACH,
    /** They do by so much, and for so long, that requests beyond a load that passes are better turned away. */
    CIRCUIT_BREAKER,
    /** The step is shorter than the window, or has too few requests. */
    NOT_ESTIMABLE
}
