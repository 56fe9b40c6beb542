package io.inferwatch.analytics.slo;

import io.inferwatch.analytics.quantile.QuantileSketch;

/**
 * What was measured in a short pane of time.
 *
 * @param endMicros end of the pane, exclusive, epoch microseconds
 * @param requests that arrived in it
 * @param failed requests that ended in it without an answer: slower than any other
 * @param latenciesMicros of the requests that were answered in it; not to be changed any more
 */
public record LoadPane(long endMicros, long requests, long failed, QuantileSketch latenciesMicros) {
    /** Checks the numbers. */
    public LoadPane {
        if (requests < 0 || failed < 0) {
            throw new IllegalArgumentException(
                    "requests, failed: must be at least 0, found " + requests + ", " + failed);
        }
    }
}
