package io.inferwatch.analytics.schedule;

import java.util.OptionalDouble;

/**
 * How full batches are, and could have been. The ideal is a scheduler that leaves no place empty while somebody waits: an idle engine's
 * half-empty batch is no fault of it. Sums over samples, so that merging is adding.
 *
 * @param running requests in the batch, over samples
 * @param wanted requests that were running or waiting, at most the places, over samples
 * @param places over samples
 */
public record BatchFill(long running, long wanted, long places) {
    /** No samples. */
    public static final BatchFill NONE = new BatchFill(0, 0, 0);

    /** Checks the numbers. */
    public BatchFill {
        if (running < 0 || running > wanted || wanted > places) {
            throw new IllegalArgumentException("running, wanted, places: must be from 0 and not fall, found " + running
                    + ", " + wanted + " and " + places);
        }
    }

    /**
     * A sample.
     *
     * @param running at most the places
     * @param waiting requests that wait for one
     * @param places requests that may run at once
     */
    public static BatchFill of(long running, long waiting, long places) {
        if (waiting < 0) {
            throw new IllegalArgumentException("waiting: must be at least 0, found " + waiting);
        }
        return new BatchFill(running, Math.min(places, running + waiting), places);
    }

    /** Both together. */
    public BatchFill plus(BatchFill other) {
        return new BatchFill(running + other.running, wanted + other.wanted, places + other.places);
    }

    /** The share of places that are filled; empty without places. */
    public OptionalDouble rate() {
        return ratio(running, places);
    }

    /** The same under the ideal scheduler with the same requests at hand. */
    public OptionalDouble idealRate() {
        return ratio(wanted, places);
    }

    private static OptionalDouble ratio(long part, long whole) {
        return whole == 0 ? OptionalDouble.empty() : OptionalDouble.of((double) part / whole);
    }
}
