package io.inferwatch.probes.load;

/** Hears of a run's requests, on several threads; must not wait. */
interface RunListener {
    /** A request is due at this moment, which may lie half a second ahead. */
    default void due(PlannedRequest request, long atMicros) {}

    /** A request ended. */
    void ended(FinishedRequest request);
}
