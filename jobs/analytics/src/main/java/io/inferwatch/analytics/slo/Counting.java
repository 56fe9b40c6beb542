package io.inferwatch.analytics.slo;

import java.time.Duration;

/**
 * How an objective counts what was measured: slices of time are looked at one by one, and those with too little load for the objective to hold
 * count for nothing.
 */
public sealed interface Counting {
    /** Length of the slices, whole minutes. */
    Duration slice();

    /** Requests a second from which on the objective holds; 0 for always. */
    double leastPerSecond();

    /** What a slice counts for. */
    default Tally count(Tally slice) {
        boolean holds = slice.total() > 0 && slice.total() >= leastPerSecond() * slice().toSeconds();
        return holds ? held(slice) : Tally.NONE;
    }

    /** What a slice counts for whose load is enough. */
    Tally held(Tally slice);

    /** Every request counts. */
    record Occurrences(double leastPerSecond) implements Counting {
        /** Whatever the load. */
        public static final Occurrences ALL = new Occurrences(0);

        /** Checks the load. */
        public Occurrences {
            requireLoad(leastPerSecond);
        }

        @Override
        public Duration slice() {
            return Duration.ofMinutes(1);
        }

        @Override
        public Tally held(Tally slice) {
            return slice;
        }
    }

    /**
     * Every slice with requests counts as one, good when enough of them are.
     *
     * @param target the share of a slice's requests that must be good
     */
    record Timeslices(Duration slice, double target, double leastPerSecond) implements Counting {
        /** Checks the numbers. */
        public Timeslices {
            requireLoad(leastPerSecond);
            if (slice.compareTo(Duration.ofMinutes(1)) < 0
                    || slice.compareTo(Duration.ofHours(1)) > 0
                    || Duration.ofHours(1).toNanos() % slice.toNanos() != 0
                    || slice.toSeconds() % 60 != 0) {
                throw new IllegalArgumentException(
                        "slice: must be whole minutes of which an hour has a whole number, found " + slice);
            }
            if (!(target > 0 && target <= 1)) {
                throw new IllegalArgumentException("target: must be above 0 and at most 1, found " + target);
            }
        }

        @Override
        public Tally held(Tally slice) {
            return new Tally(slice.good() >= target * slice.total() ? 1 : 0, 1);
        }
    }

    private static void requireLoad(double leastPerSecond) {
        if (!(leastPerSecond >= 0 && Double.isFinite(leastPerSecond))) {
            throw new IllegalArgumentException(
                    "leastPerSecond: must be at least 0 and finite, found " + leastPerSecond);
        }
    }
}
