package io.inferwatch.analytics.shape;

import io.inferwatch.analytics.quantile.LogBuckets;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.Optional;

/**
 * Mean and coefficient of variation of values. The mean is exact, with Student's limits. The coefficient of variation c comes from the
 * sketch's buckets (within 0.4 %), and its limits from the delta method for any distribution: its variance is
 * c^2 ((kurtosis - 1) / 4 - skewness c + c^2) / n [Kendall and Stuart, The Advanced Theory of Statistics I, 10.6].
 *
 * @param n values
 */
public record Spread(long n, Estimate mean, Estimate variation) {

    /** The spread of a sketch's values; empty below {@value Estimate#MIN_N} of them, and where all are zero. */
    public static Optional<Spread> of(QuantileSketch sketch) {
        long n = sketch.n();
        if (n < Estimate.MIN_N || !(sketch.mean() > 0)) {
            return Optional.empty();
        }
        double center = power(sketch, 0, 1) / n;
        double second = power(sketch, center, 2) / n;
        double mean = sketch.mean();
        double error = Math.sqrt(second / (n - 1));
        double variation = Math.sqrt(second * n / (n - 1)) / center;
        double variance = 0;
        if (second > 0) {
            double skewness = power(sketch, center, 3) / n / Math.pow(second, 1.5);
            double kurtosis = power(sketch, center, 4) / n / (second * second);
            variance = variation * variation * ((kurtosis - 1) / 4 - skewness * variation + variation * variation) / n;
        }
        return Optional.of(new Spread(
                n,
                Estimate.around(mean, Estimate.reach(n - 1.0) * error),
                Estimate.around(variation, Estimate.reach() * Math.sqrt(Math.max(0, variance)))));
    }

    private static double power(QuantileSketch sketch, double center, int exponent) {
        double[] sum = new double[1];
        sketch.forEachBucket((bucket, count) ->
                sum[0] += count * Math.pow((bucket < 0 ? 0 : LogBuckets.representative(bucket)) - center, exponent));
        return sum[0];
    }
}
