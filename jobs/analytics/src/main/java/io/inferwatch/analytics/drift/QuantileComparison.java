package io.inferwatch.analytics.drift;

import io.inferwatch.analytics.drift.Comparison.Measured;
import io.inferwatch.analytics.drift.Comparison.NotEstimable;
import io.inferwatch.analytics.drift.Comparison.Scale;
import io.inferwatch.analytics.quantile.EffectiveSample;
import io.inferwatch.analytics.quantile.LogBuckets;
import io.inferwatch.analytics.quantile.MinimumDetectableEffect;
import io.inferwatch.analytics.quantile.QuantileInterval;
import org.jspecify.annotations.Nullable;

/**
 * Compares a quantile of two samples without any assumption on their distribution.
 *
 * <p>p: the precedence (exceedance) test [Nelson 1963; Balakrishnan and Ng 2006], scaled. With b of the baseline's n_b values above the
 * bucket of its quantile, and e of the current n_c values above the bucket that lies the threshold higher (four buckets for 3 %), e of a
 * current sample that is no more than the threshold slower is at most BetaBinomial(n_c; b + 1, n_b - b), and p = P(E &gt;= e). For a
 * quantile that gets worse downwards the samples change places. It asks the tail alone, and costs two counts.
 *
 * <p>Limits of the change: from the order-statistic limits of both sides by the method of variance estimates recovery [Zou and Donner
 * 2008], which keeps their asymmetry: ln Q_c - ln Q_b minus sqrt((ln Q_c - ln L_c)^2 + (ln U_b - ln Q_b)^2), and correspondingly upwards.
 */
public final class QuantileComparison {
    private static final double BUCKET = Math.log(LogBuckets.GAMMA);

    private QuantileComparison() {}

    /**
     * Compares the quantile of two samples.
     *
     * @param quantile above 0 and below 1
     * @return not estimable where a side has too few values for limits (below 368 for P99 at 95 %) or a limit is zero
     */
    public static Comparison of(EffectiveSample baseline, EffectiveSample current, double quantile, DriftRule rule) {
        return of(baseline, baseline.interval(quantile, rule.confidence()).orElse(null), current, quantile, rule);
    }

    /** The same with the baseline's limits at hand, which cost as much as all else; null where it has none. */
    static Comparison of(
            EffectiveSample baseline,
            @Nullable QuantileInterval limits,
            EffectiveSample current,
            double quantile,
            DriftRule rule) {
        QuantileInterval currentLimits =
                current.interval(quantile, rule.confidence()).orElse(null);
        if (limits == null || currentLimits == null || limits.low() <= 0 || currentLimits.low() <= 0) {
            return new NotEstimable(baseline.counted(), current.counted());
        }
        Logs b = Logs.of(baseline.quantile(quantile), limits);
        Logs c = Logs.of(current.quantile(quantile), currentLimits);
        double ratio = c.value - b.value;
        double error = Math.hypot(
                MinimumDetectableEffect.standardError(limits, rule.confidence()),
                MinimumDetectableEffect.standardError(currentLimits, rule.confidence()));
        double p =
                switch (rule.worse()) {
                    case UP -> exceedance(baseline, current, quantile, rule.threshold());
                    case DOWN -> exceedance(current, baseline, quantile, rule.threshold());
                };
        return new Measured(
                Scale.RELATIVE,
                Math.expm1(ratio),
                Math.expm1(ratio - Math.hypot(c.value - c.low, b.high - b.value)),
                Math.expm1(ratio + Math.hypot(c.high - c.value, b.value - b.low)),
                p,
                error,
                baseline.counted(),
                current.counted());
    }

    /** Chance of so many values of the upper sample so far above the lower one's quantile, if it is no more than the threshold higher. */
    static double exceedance(EffectiveSample lower, EffectiveSample upper, double quantile, double threshold) {
        int bucket = lower.bucketOfQuantile(quantile);
        double b = lower.countAbove(bucket);
        // Whole numbers that are too small make p too great, never too small.
        long e = (long) Math.floor(upper.countAbove(bucket + buckets(threshold)) * (1 + 1e-12));
        long n = Math.round(upper.n());
        return new BetaBinomial(n, b + 1, Math.max(1, lower.n() - b)).atLeast(Math.min(e, n));
    }

    /** Buckets that a relative change spans, rounded up: a test for a little more than the threshold holds for the threshold. */
    private static int buckets(double threshold) {
        return (int) Math.ceil(Math.log1p(threshold) / BUCKET - 1e-9);
    }

    private record Logs(double low, double value, double high) {
        static Logs of(double value, QuantileInterval limits) {
            return new Logs(Math.log(limits.low()), Math.log(value), Math.log(limits.high()));
        }
    }
}
