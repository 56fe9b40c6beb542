package io.inferwatch.analytics.drift;

import io.inferwatch.analytics.drift.Comparison.Measured;
import io.inferwatch.analytics.drift.Comparison.NotEstimable;
import io.inferwatch.analytics.drift.Comparison.Scale;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * Compares two means by the logarithm of their ratio: ln(m_c / m_b) has the variance v_b / (n_b m_b^2) + v_c / (n_c m_c^2) (delta method),
 * and Student's distribution with Welch's and Satterthwaite's degrees of freedom [Welch 1947]. The logarithm makes the threshold a
 * distance, and leaves the limits of skewed means their asymmetry.
 */
public final class MeanComparison {
    /** Below it latencies are too skewed for Student's distribution. */
    public static final int MIN_N = 30;

    private MeanComparison() {}

    /** Compares two means; not estimable below {@value #MIN_N} values on a side, or where a mean is not above zero. */
    public static Comparison of(Moments baseline, Moments current, DriftRule rule) {
        if (Math.min(baseline.n(), current.n()) < MIN_N || !(baseline.mean() > 0) || !(current.mean() > 0)) {
            return new NotEstimable(baseline.n(), current.n());
        }
        double b = squaredError(baseline);
        double c = squaredError(current);
        double error = Math.sqrt(b + c);
        double ratio = Math.log(current.mean() / baseline.mean());
        double threshold = Math.log1p(rule.threshold());
        double worse = rule.worse() == DriftRule.Direction.UP ? ratio : -ratio;
        if (error == 0) {
            double change = Math.expm1(ratio);
            double p = worse > threshold ? 0 : 1;
            return new Measured(Scale.RELATIVE, change, change, change, p, 0, baseline.n(), current.n());
        }
        double freedom = (b + c) * (b + c) / (b * b / (baseline.n() - 1) + c * c / (current.n() - 1));
        TDistribution student = TDistribution.of(freedom);
        double reach = student.inverseSurvivalProbability((1 - rule.confidence()) / 2) * error;
        return new Measured(
                Scale.RELATIVE,
                Math.expm1(ratio),
                Math.expm1(ratio - reach),
                Math.expm1(ratio + reach),
                student.survivalProbability((worse - threshold) / error),
                error,
                baseline.n(),
                current.n());
    }

    private static double squaredError(Moments moments) {
        return moments.variance() / (moments.n() * moments.mean() * moments.mean());
    }
}
