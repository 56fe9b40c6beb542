package io.inferwatch.analytics.shape;

import org.apache.commons.statistics.distribution.NormalDistribution;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * A figure with its two-sided 95 % confidence limits.
 *
 * @param low no greater than the value
 * @param high no less than the value
 */
public record Estimate(double value, double low, double high) {
    /** Fewer values tell nothing of latencies, whose tails are long. */
    public static final int MIN_N = 30;

    private static final double TAIL = 0.025;

    /** Standard errors from a value to its limits. */
    static double reach() {
        return NormalDistribution.of(0, 1).inverseSurvivalProbability(TAIL);
    }

    /** The same where the error was itself measured with so many degrees of freedom. */
    static double reach(double freedom) {
        return TDistribution.of(freedom).inverseSurvivalProbability(TAIL);
    }

    static Estimate around(double value, double distance) {
        return new Estimate(value, value - distance, value + distance);
    }
}
