package io.inferwatch.analytics.drift;

/**
 * Where traffic last changed abruptly, so that a burst is not averaged with what surrounds it: two panes in a row whose counts are over six
 * standard deviations from the panes before them, both on the same side, begin a regime of their own. z = (n - lambda) / sqrt(lambda phi)
 * with lambda the mean and phi the dispersion (variance over mean, at least 1) of up to thirty preceding panes of the regime.
 */
public final class Burst {
    private static final double LIMIT = 6;
    private static final int MIN_PANES = 6;
    private static final int MAX_PANES = 30;

    private Burst() {}

    /**
     * The first pane of the regime that lasts until now.
     *
     * @param counts values of panes of equal length, the latest last
     * @return 0 where nothing changed
     */
    public static int lastStart(long[] counts) {
        int start = 0;
        for (int i = MIN_PANES; i < counts.length - 1; i++) {
            if (i - start >= MIN_PANES) {
                int from = Math.max(start, i - MAX_PANES);
                double first = z(counts, from, i, counts[i]);
                double second = z(counts, from, i, counts[i + 1]);
                if (Math.min(Math.abs(first), Math.abs(second)) > LIMIT && first * second > 0) {
                    start = i;
                }
            }
        }
        return start;
    }

    private static double z(long[] counts, int from, int to, long count) {
        int k = to - from;
        double mean = 0;
        for (int i = from; i < to; i++) {
            mean += (double) counts[i] / k;
        }
        double squares = 0;
        for (int i = from; i < to; i++) {
            squares += (counts[i] - mean) * (counts[i] - mean);
        }
        // Variance, at least that of a Poisson process of one value a pane.
        double variance = Math.max(Math.max(1, mean), squares / (k - 1));
        return (count - mean) / Math.sqrt(variance);
    }
}
