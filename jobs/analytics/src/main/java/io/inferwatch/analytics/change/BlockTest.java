package io.inferwatch.analytics.change;

import org.apache.commons.statistics.distribution.TDistribution;

/**
 * Student's test of two levels on means of blocks instead of values [batch means: Conway 1963; Law and Carson 1979]. Runs resemble their neighbours for hours or weeks, which the correlation of
 * neighbours shows badly; means of blocks that are longer than what lasts are independent. Blocks are as long as can be while there are enough of them: where the shorter level is short beside the other it is
 * one block, and the test asks whether stretches of its length wander so far without a change.
 *
 * @param t difference of the levels in its standard errors, from 0
 * @param freedom degrees of freedom; below 1 nothing can be said
 */
public record BlockTest(double t, int freedom) {
    /**
     * Cuts both levels to blocks of one length, from the cut outwards; what is left over at the far ends is left out.
     *
     * @param atLeast blocks of both together, where there are so many values
     */
    static BlockTest of(double[] values, int from, int cut, int to, int atLeast) {
        int length = Math.min(cut - from, to - cut);
        while (length > 1 && (cut - from) / length + (to - cut) / length < atLeast) {
            length--;
        }
        int before = (cut - from) / length;
        int after = (to - cut) / length;
        Moments earlier = Moments.of(values, cut - before * length, before, length);
        Moments later = Moments.of(values, cut, after, length);
        int freedom = before + after - 2;
        double difference = Math.abs(later.mean - earlier.mean);
        if (freedom < 1 || difference == 0) {
            return new BlockTest(0, freedom);
        }
        double variance = (earlier.squares + later.squares) / freedom * (1.0 / before + 1.0 / after);
        return new BlockTest(difference / Math.sqrt(variance), freedom);
    }

    /** Of the blocks' means: their mean, and their squared distances from it. */
    private record Moments(double mean, double squares) {
        static Moments of(double[] values, int from, int blocks, int length) {
            double[] means = new double[blocks];
            double mean = 0;
            for (int block = 0; block < blocks; block++) {
                double sum = 0;
                for (int i = 0; i < length; i++) {
                    sum += values[from + block * length + i];
                }
                means[block] = sum / length;
                mean += means[block] / blocks;
            }
            double squares = 0;
            for (double each : means) {
                squares += (each - mean) * (each - mean);
            }
            return new Moments(mean, squares);
        }
    }

    /** Two-sided p-value; 1 where nothing can be said. */
    public double p() {
        return freedom < 1 ? 1 : 2 * TDistribution.of(freedom).survivalProbability(t);
    }

    /** What is shown over what a p-value asks; 0 where nothing can be said. */
    double strength(double p) {
        return freedom < 1 ? 0 : t / TDistribution.of(freedom).inverseSurvivalProbability(p / 2);
    }
}
