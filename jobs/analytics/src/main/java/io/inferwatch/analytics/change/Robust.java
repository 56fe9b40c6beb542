package io.inferwatch.analytics.change;

import java.util.Arrays;

/** Middle and spread that a few wild values do not move. */
final class Robust {
    /** Median absolute deviations of a normal distribution to its standard deviation. */
    static final double SIGMAS_PER_MAD = 1.4826;

    private Robust() {}

    /** The median of the values from one position to before another; the mean of the middle two where their number is even. */
    static double median(double[] values, int from, int to) {
        double[] sorted = Arrays.copyOfRange(values, from, to);
        Arrays.sort(sorted);
        int half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }

    static double median(double[] values) {
        return median(values, 0, values.length);
    }

    /** 1.4826 times the median absolute deviation from the median: the standard deviation, were the values normal. */
    static double sigma(double[] values, int from, int to) {
        double median = median(values, from, to);
        double[] deviations = new double[to - from];
        for (int i = 0; i < deviations.length; i++) {
            deviations[i] = Math.abs(values[from + i] - median);
        }
        return SIGMAS_PER_MAD * median(deviations);
    }
}
