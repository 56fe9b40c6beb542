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

    /** Panes that a decision looks at, the two that may be new among them. */
    static final int MEMORY = MAX_PANES + 2;

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
            if (isStart(counts, start, i)) {
                start = i;
            }
        }
        return start;
    }

    /** Whether a regime begins with the last pane but one; for callers who see one pane after the other, of one regime. */
    static boolean beginsBeforeLast(long[] counts) {
        return counts.length > 1 && isStart(counts, 0, counts.length - 2);
    }

    private static boolean isStart(long[] counts, int regimeStart, int i) {
        if (i - regimeStart < MIN_PANES) {
            return false;
        }
        int from = Math.max(regimeStart, i - MAX_PANES);
        double first = z(counts, from, i, counts[i]);
        double second = z(counts, from, i, counts[i + 1]);
        return Math.min(Math.abs(first), Math.abs(second)) > LIMIT && first * second > 0;
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
