package io.inferwatch.analytics.slo;

import java.util.OptionalDouble;

/**
 * How many of all were good.
 *
 * @param good at most total
 * @param total at least 0
 */
public record Tally(long good, long total) {
    /** Nothing counted. */
    public static final Tally NONE = new Tally(0, 0);

    /** Checks the numbers. */
    public Tally {
        if (good < 0 || good > total) {
            throw new IllegalArgumentException("good: must be from 0 to " + total + ", found " + good);
        }
    }

    /** Those that were not good. */
    public long bad() {
        return total - good;
    }

    /** Both together. */
    public Tally plus(Tally other) {
        return new Tally(good + other.good, total + other.total);
    }

    /** The share that was not good; empty where nothing was counted. */
    public OptionalDouble errorShare() {
        return total == 0 ? OptionalDouble.empty() : OptionalDouble.of((double) bad() / total);
    }
}
