package io.inferwatch.analytics.change;

import io.inferwatch.analytics.drift.DriftRule.Direction;
import io.inferwatch.analytics.quantile.LogBuckets;
import org.apache.commons.statistics.distribution.NormalDistribution;

/**
 * When a candidate is worse than the baseline that runs beside it.
 *
 * @param quantile that is compared, e.g. 0.99
 * @param maxRegression relative change for the worse that is let pass, e.g. 0.03; above 0
 * @param alpha chance that a candidate that is like the baseline is ever called regressed, over all looks
 * @param beta chance that a candidate that is just so much worse as is let pass is ever passed
 * @param growth how many times more requests there are at a look than at the one before: 1.5, looks more often than that see the same requests again
 * @param looks that there are at most; the chances are shared out equally. 24 with that growth reach from the first minute to eleven days
 * @param worse the direction that is bad
 */
public record GateRule(
        double quantile, double maxRegression, double alpha, double beta, double growth, int looks, Direction worse) {
    /** P99 of latencies, 3 %, one in a hundred regressed by chance, one in twenty passed by chance. */
    public static final GateRule SLOWER = new GateRule(0.99, 0.03, 0.01, 0.05, 1.5, 24, Direction.UP);

    /** What is like the baseline is no more than a bucket of the sketch away from it, 0.74 %. */
    static final double ALIKE = LogBuckets.GAMMA - 1;

    private static final double POWER = 0.8;

    /** Checks the numbers. */
    public GateRule {
        require("quantile", quantile > 0 && quantile < 1, "above 0 and below 1", quantile);
        require("maxRegression", maxRegression > ALIKE, "above " + ALIKE, maxRegression);
        require("alpha", alpha > 0 && alpha < 1, "above 0 and below 1", alpha);
        require("beta", beta > 0 && beta < 1, "above 0 and below 1", beta);
        require("growth", growth > 1 && growth < Double.MAX_VALUE, "above 1", growth);
        require("looks", looks > 0, "at least 1", looks);
    }

    private static void require(String key, boolean isRight, String what, double found) {
        if (!isRight) {
            throw new IllegalArgumentException(key + ": must be " + what + ", found " + found);
        }
    }

    /** The same for another regression. */
    public GateRule withMaxRegression(double other) {
        return new GateRule(quantile, other, alpha, beta, growth, looks, worse);
    }

    /** p-value below which a look calls the candidate regressed. */
    double alphaOfALook() {
        return alpha / looks;
    }

    /** Standard errors that the change must be below what is let pass, to be passed. */
    double errorsToPass() {
        return NormalDistribution.of(0, 1).inverseSurvivalProbability(beta / looks);
    }

    /** The least change that one look calls regressed four times out of five. */
    double detectable(double standardError) {
        NormalDistribution normal = NormalDistribution.of(0, 1);
        double power = normal.inverseCumulativeProbability(POWER) * standardError;
        double proven = Math.log1p(ALIKE) + normal.inverseSurvivalProbability(alphaOfALook()) * standardError;
        return Math.expm1(power + Math.max(proven, Math.log1p(maxRegression)));
    }
}
