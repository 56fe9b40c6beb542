package io.inferwatch.analytics.change;

import io.inferwatch.analytics.change.ChangeRule.Levels;
import org.apache.commons.numbers.gamma.LogGamma;

/**
 * How badly one level with one spread explains a stretch of values: minus the logarithm of its marginal likelihood under a Normal-Inverse-Gamma prior around 0
 * [Murphy 2007, 3]. Any stretch costs the same few operations, by cumulated sums. Memory: 24 bytes a value.
 */
final class SegmentCost {
    private final double[] sums;
    private final double[] squares;
    private final double[] constants;
    private final Levels prior;

    SegmentCost(double[] values, Levels prior) {
        this.prior = prior;
        int n = values.length;
        sums = new double[n + 1];
        squares = new double[n + 1];
        constants = new double[n + 1];
        for (int i = 0; i < n; i++) {
            sums[i + 1] = sums[i] + values[i];
            squares[i + 1] = squares[i] + values[i] * values[i];
        }
        double fixed = prior.a0() * Math.log(prior.b0()) - LogGamma.value(prior.a0()) + 0.5 * Math.log(prior.k0());
        for (int length = 1; length <= n; length++) {
            constants[length] = 0.5 * Math.log(prior.k0() + length)
                    + 0.5 * length * Math.log(2 * Math.PI)
                    - LogGamma.value(prior.a0() + 0.5 * length)
                    - fixed;
        }
    }

    /** Of the values from one position to before another. */
    double of(int from, int to) {
        int n = to - from;
        double sum = sums[to] - sums[from];
        double mean = sum / n;
        double within = Math.max(0, squares[to] - squares[from] - sum * mean);
        double scale = prior.b0() + 0.5 * within + 0.5 * prior.k0() * n * mean * mean / (prior.k0() + n);
        return constants[n] + (prior.a0() + 0.5 * n) * Math.log(scale);
    }
}
