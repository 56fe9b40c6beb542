package io.inferwatch.analytics;

import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.SplittableRandom;
import org.apache.commons.statistics.distribution.BinomialDistribution;
import org.apache.commons.statistics.distribution.NormalDistribution;

/** Distributions of latencies in microseconds, by their quantile functions, and samples of their tails. */
public enum Latencies {
    /** Sigma 0.8, the published tables' distribution. */
    LOGNORMAL,
    /** 98.5 % around 50 ms, the rest around 2 s. */
    BIMODAL,
    /** Pareto with a tail index of 2. */
    HEAVY_TAILED;

    private static final NormalDistribution NORMAL = NormalDistribution.of(0, 1);

    /** The value below which a share u lies. */
    public double quantile(double u) {
        return switch (this) {
            case LOGNORMAL -> Math.exp(11 + 0.8 * NORMAL.inverseCumulativeProbability(u));
            case BIMODAL ->
                u < 0.985
                        ? 50_000 * Math.exp(0.2 * NORMAL.inverseCumulativeProbability(u / 0.985))
                        : 2_000_000 * Math.exp(0.2 * NORMAL.inverseCumulativeProbability((u - 0.985) / 0.015));
            case HEAVY_TAILED -> 10_000 / Math.sqrt(1 - u);
        };
    }

    /**
     * A sample of n values, each times a factor, exact in its upper part: how many fall there is binomial, and these are drawn; the others
     * are counted at a value below. For tests of P99, whose limits lie in that part.
     */
    public QuantileSketch tailOf(int n, double factor, SplittableRandom random) {
        double part = n < 5_000 ? 0.1 : 0.03;
        int drawn = BinomialDistribution.of(n, part).inverseCumulativeProbability(random.nextDouble());
        QuantileSketch sketch = new QuantileSketch();
        for (int i = 0; i < drawn; i++) {
            sketch.add(Math.round(factor * quantile(1 - part * (1 - random.nextDouble()))));
        }
        if (drawn < n) {
            sketch.add(Math.max(1, Math.round(factor * quantile(1 - part) / 2)), n - drawn);
        }
        return sketch;
    }

    /** A sample of n values, each times a factor. */
    public QuantileSketch sample(int n, double factor, SplittableRandom random) {
        QuantileSketch sketch = new QuantileSketch();
        for (int i = 0; i < n; i++) {
            sketch.add(Math.round(factor * quantile(random.nextDouble())));
        }
        return sketch;
    }
}
