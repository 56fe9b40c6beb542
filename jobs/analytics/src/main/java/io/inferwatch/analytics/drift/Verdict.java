package io.inferwatch.analytics.drift;

/** What a comparison says. */
public enum Verdict {
    /** Worse by at least the threshold, beyond what chance and the usual difference of windows explain. */
    DRIFT,

    /** Not shown to be worse, and a change of the threshold could have been seen. */
    NO_DRIFT,

    /** Nothing shown, but a change of the threshold could have gone unseen. */
    INCONCLUSIVE,

    /** Too few values to measure a change at all. */
    NOT_ESTIMABLE
}
