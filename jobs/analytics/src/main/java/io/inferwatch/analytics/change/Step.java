package io.inferwatch.analytics.change;

import org.apache.commons.statistics.distribution.NormalDistribution;

/**
 * Two levels side by side.
 *
 * @param before median of the earlier values
 * @param after median of the later values
 * @param meanBefore mean of the earlier values, clipped
 * @param meanAfter mean of the later values, clipped
 * @param lengthBefore values of the earlier level
 * @param lengthAfter values of the later level
 * @param sigma robust standard deviation of the values around their own level's median
 * @param rankZ of the rank test; above 0 upwards
 * @param blocks test of the levels' means in blocks
 * @param aheadOfLine what a straight line leaves unexplained over what the step does: below 1 the values creep rather than step; infinite where the step leaves nothing
 */
public record Step(
        double before,
        double after,
        double meanBefore,
        double meanAfter,
        int lengthBefore,
        int lengthAfter,
        double sigma,
        double rankZ,
        BlockTest blocks,
        double aheadOfLine) {

    /**
     * Measures a step.
     *
     * @param values medians, spread and ranks are of
     * @param clipped blocks and the line are of, which rest on means
     */
    static Step of(double[] values, double[] clipped, int from, int cut, int to, int blocks) {
        double before = Robust.median(values, from, cut);
        double after = Robust.median(values, cut, to);
        double[] residuals = new double[to - from];
        for (int i = from; i < to; i++) {
            residuals[i - from] = values[i] - (i < cut ? before : after);
        }
        return new Step(
                before,
                after,
                mean(clipped, from, cut),
                mean(clipped, cut, to),
                cut - from,
                to - cut,
                Robust.sigma(residuals, 0, residuals.length),
                RankTest.z(values, from, cut, to),
                BlockTest.of(clipped, from, cut, to, blocks),
                line(clipped, cut, Math.min(cut - from, to - cut)));
    }

    /** So far on both sides as the shorter level reaches: what a long one does far away says nothing of the step. */
    private static double line(double[] values, int cut, int reach) {
        int from = cut - reach;
        int to = cut + reach;
        double middle = (from + to - 1) / 2.0;
        double mean = mean(values, from, to);
        double beforeMean = mean(values, from, cut);
        double afterMean = mean(values, cut, to);
        double step = 0;
        double total = 0;
        double together = 0;
        double times = 0;
        for (int i = from; i < to; i++) {
            double residual = values[i] - (i < cut ? beforeMean : afterMean);
            step += residual * residual;
            total += (values[i] - mean) * (values[i] - mean);
            together += (i - middle) * (values[i] - mean);
            times += (i - middle) * (i - middle);
        }
        return step == 0 ? Double.POSITIVE_INFINITY : (total - together * together / times) / step;
    }

    private static double mean(double[] values, int from, int to) {
        double sum = 0;
        for (int i = from; i < to; i++) {
            sum += values[i];
        }
        return sum / (to - from);
    }

    /** What the median changed by, relative: after / before - 1; infinite from a level of 0. */
    public double change() {
        return before == after ? 0 : (after - before) / Math.abs(before);
    }

    /** The step in robust standard deviations; infinite where nothing else varies. */
    public double sigmas() {
        return before == after ? 0 : Math.abs(after - before) / sigma;
    }

    /** Two-sided p-value: that of the rank test or of the blocks, whichever is less sure. */
    public double p() {
        return Math.max(2 * NormalDistribution.of(0, 1).survivalProbability(Math.abs(rankZ)), blocks.p());
    }
}
