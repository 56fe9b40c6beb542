package io.inferwatch.analytics.drift;

import org.apache.commons.statistics.distribution.NormalDistribution;

/**
 * When a change counts as drift.
 *
 * @param threshold the change that matters: relative (0.03 is 3 %), for shares a difference (0.01 is one point); above 0
 * @param alpha chance of a false alarm that each test may take, e.g. 0.01
 * @param confidence of the limits that are told with the change, e.g. 0.95
 * @param minWindows past windows that the between-window test needs, e.g. 12; 0 leaves it out: for two arms that ran at the same time,
 *     which have no history and differ by nothing else
 * @param worse the direction that is bad
 */
public record DriftRule(double threshold, double alpha, double confidence, int minWindows, Direction worse) {
    /** 3 % slower, p below 0.01, limits at 95 %, twelve past windows. */
    public static final DriftRule SLOWER = new DriftRule(0.03, 0.01, 0.95, 12, Direction.UP);

    /** A direction. */
    public enum Direction {
        /** Greater is worse: latencies, errors. */
        UP,
        /** Smaller is worse: throughput, cache hits. */
        DOWN
    }

    /** Checks the numbers. */
    public DriftRule {
        requireInside("threshold", threshold, Double.MAX_VALUE);
        requireInside("alpha", alpha, 1);
        requireInside("confidence", confidence, 1);
        if (minWindows != 0 && minWindows < 2) {
            throw new IllegalArgumentException("minWindows: must be 0 or at least 2, found " + minWindows);
        }
    }

    /** The same with another threshold. */
    public DriftRule withThreshold(double other) {
        return new DriftRule(other, alpha, confidence, minWindows, worse);
    }

    /** The same with another chance of a false alarm. */
    public DriftRule withAlpha(double other) {
        return new DriftRule(threshold, other, confidence, minWindows, worse);
    }

    /** The same with another number of past windows. */
    public DriftRule withMinWindows(int other) {
        return new DriftRule(threshold, alpha, confidence, other, worse);
    }

    /** The same for another direction. */
    public DriftRule withWorse(Direction other) {
        return new DriftRule(threshold, alpha, confidence, minWindows, other);
    }

    /** Standard errors between a measured value and its two-sided limits. */
    double z() {
        return NormalDistribution.of(0, 1).inverseCumulativeProbability((1 + confidence) / 2);
    }

    private static void requireInside(String key, double value, double below) {
        if (!(value > 0 && value < below)) {
            throw new IllegalArgumentException(
                    key + ": must be above 0 and below " + (below == 1 ? "1" : "infinity") + ", found " + value);
        }
    }
}
