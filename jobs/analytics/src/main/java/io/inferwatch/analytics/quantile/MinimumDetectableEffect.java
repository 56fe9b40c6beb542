package io.inferwatch.analytics.quantile;

import java.util.OptionalLong;
import org.apache.commons.statistics.distribution.NormalDistribution;

/**
 * The smallest true change that data could have shown: a one-sided test against no change at 95 % sees it with a probability of 80 %.
 * A statement without it may mean that nothing changed, or that nobody could have noticed.
 */
public final class MinimumDetectableEffect {
    private static final NormalDistribution NORMAL = NormalDistribution.of(0, 1);
    private static final double BUCKET = Math.log(LogBuckets.GAMMA);

    /** z(0.95) + z(0.80) = 2.486: standard errors that a change must measure. */
    public static final double STANDARD_ERRORS =
            NORMAL.inverseCumulativeProbability(0.95) + NORMAL.inverseCumulativeProbability(0.80);

    private MinimumDetectableEffect() {}

    /**
     * The relative change, 0.03 for 3 %: exp(2.486 SE) - 1.
     *
     * @param standardError of the logarithm of the ratio
     */
    public static double relative(double standardError) {
        return Math.expm1(STANDARD_ERRORS * standardError);
    }

    /**
     * The standard error of the logarithm of a quantile that its distribution-free limits imply: (ln high - ln low) / (2 z), less the
     * bucket that limits are too wide because they end at edges, half of one on each side on average. At least that of a whole bucket,
     * below which a sketch can not tell.
     *
     * @param interval limits of a sketch; low above 0
     * @param confidence what the limits were made for
     */
    public static double standardError(QuantileInterval interval, double confidence) {
        double width = Math.log(interval.high()) - Math.log(interval.low());
        return Math.max(BUCKET, width - BUCKET) / (2 * NORMAL.inverseCumulativeProbability((1 + confidence) / 2));
    }

    /**
     * How many values a sample needs so that the relative effect can be seen against a baseline, if both spread alike: the standard error
     * falls with the root of n.
     *
     * @param baselineN values of the baseline
     * @param baselineError standard error of the logarithm of its quantile
     * @param effect relative, above 0
     * @return empty where the baseline itself is too small, however large the sample
     */
    public static OptionalLong valuesNeeded(double baselineN, double baselineError, double effect) {
        double allowed = Math.log1p(effect) / STANDARD_ERRORS;
        double rest = allowed * allowed - baselineError * baselineError;
        if (!(rest > 0)) {
            return OptionalLong.empty();
        }
        return OptionalLong.of((long) Math.ceil(baselineN * baselineError * baselineError / rest));
    }
}
