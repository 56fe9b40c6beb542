package io.inferwatch.report;

import io.inferwatch.analytics.quantile.LogBuckets;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;

/**
 * A sketch in the bounds that Prometheus' native histograms of schema 2 have: four to each power of two, from 2^-14 (61 µs) to 2^10 (17 minutes), the same for every series, so that
 * they add up. A value is counted at most one bucket of the sketch (0.75 %) too high.
 */
final class PrometheusBuckets {
    private static final int STEPS_OF_TWO = 4;
    private static final int LEAST_POWER = -14;
    private static final int GREATEST_POWER = 10;
    private static final double[] BOUNDS = bounds();

    private PrometheusBuckets() {}

    /** The counts of each bucket. */
    static ClassicHistogramBuckets of(QuantileSketch sketch, double scale) {
        long[] counts = new long[BOUNDS.length];
        sketch.forEachBucket((bucket, count) -> {
            double greatest = bucket < 0 ? 0 : LogBuckets.upperBound(bucket) * scale;
            int bound = 0;
            while (BOUNDS[bound] < greatest) {
                bound++;
            }
            counts[bound] += count;
        });
        return ClassicHistogramBuckets.of(BOUNDS, counts);
    }

    private static double[] bounds() {
        int steps = (GREATEST_POWER - LEAST_POWER) * STEPS_OF_TWO;
        double[] bounds = new double[steps + 2];
        for (int i = 0; i <= steps; i++) {
            bounds[i] = Math.pow(2, LEAST_POWER + (double) i / STEPS_OF_TWO);
        }
        bounds[steps + 1] = Double.POSITIVE_INFINITY;
        return bounds;
    }
}
