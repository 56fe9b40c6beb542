package io.inferwatch.analytics.drift;

import io.inferwatch.analytics.quantile.LogBuckets;
import io.inferwatch.analytics.quantile.QuantileSketch;

/**
 * Number, mean and variance of values.
 *
 * @param n number of values
 * @param mean their mean
 * @param variance their sample variance, over n - 1
 */
public record Moments(long n, double mean, double variance) {

    /**
     * The moments that a sketch holds: n and mean exactly, the variance from the buckets' representatives, so that its root is within
     * 0.37 % of that of the mean square.
     */
    public static Moments of(QuantileSketch sketch) {
        if (sketch.n() < 2) {
            return new Moments(sketch.n(), sketch.n() == 0 ? 0 : sketch.mean(), 0);
        }
        double[] sum = new double[1];
        sketch.forEachBucket((bucket, count) -> sum[0] += count * value(bucket));
        double mean = sum[0] / sketch.n();
        double[] squares = new double[1];
        sketch.forEachBucket((bucket, count) -> squares[0] += count * (value(bucket) - mean) * (value(bucket) - mean));
        return new Moments(sketch.n(), sketch.mean(), squares[0] / (sketch.n() - 1));
    }

    private static double value(int bucket) {
        return bucket < 0 ? 0 : LogBuckets.representative(bucket);
    }
}
