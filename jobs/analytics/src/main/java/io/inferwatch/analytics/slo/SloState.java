package io.inferwatch.analytics.slo;

/** How an objective stands. */
public enum SloState {
    /** It is kept, and nothing burns too fast. */
    OK,
    /** A condition fires, or the budget is spent. */
    BREACH,
    /** Nothing was observed for five minutes: nothing is known, and what fires goes on firing. */
    NO_DATA,
    /** As OK, by less than nine tenths of the last hour's minutes. */
    PARTIAL
}
