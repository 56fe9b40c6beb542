package io.inferwatch.analytics.change;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Two modes of one and the same software: runs of a commit come out now here, now there. Which mode a run takes is told apart from the level within the modes, since a run of luck is no change,
 * and a change within a mode is not to be hidden by the distance of the modes.
 *
 * @param boundary values above are of the high mode
 * @param low median of the low mode
 * @param high median of the high mode
 */
record Modes(double boundary, double low, double high) {
    /** The share of runs that the lesser mode has at least: fewer are outliers. */
    static final double MIN_SHARE = 0.2;

    /** How far apart the medians are at least, in robust standard deviations around them: 4, with which two normal modes overlap by 5 %. */
    static final double MIN_SIGMAS = 4;

    /** Runs that commits have in their own lesser mode, all together, at least: one or two may be accidents, and a change of level has none. */
    static final int MIN_REPEATS = 3;

    /**
     * The modes, where there are two.
     *
     * @param values in the order of the runs
     * @param commits of the runs
     */
    static Optional<Modes> of(double[] values, List<String> commits) {
        int n = values.length;
        int least = (int) Math.ceil(MIN_SHARE * n);
        if (n < 2 * MIN_REPEATS || least == 0) {
            return Optional.empty();
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int cut = widestApart(sorted, least);
        if (cut < 0) {
            return Optional.empty();
        }
        double low = Robust.median(sorted, 0, cut);
        double high = Robust.median(sorted, cut, n);
        double[] residuals = new double[n];
        for (int i = 0; i < n; i++) {
            residuals[i] = sorted[i] - (i < cut ? low : high);
        }
        Modes modes = new Modes((sorted[cut - 1] + sorted[cut]) / 2, low, high);
        boolean isApart = high - low >= MIN_SIGMAS * Robust.sigma(residuals, 0, n);
        return isApart && modes.repeats(values, commits) >= MIN_REPEATS ? Optional.of(modes) : Optional.empty();
    }

    /** The cut with the most variance between its sides [Otsu 1979], both of which have their share; -1 where equal values leave none. */
    private static int widestApart(double[] sorted, int least) {
        double total = Arrays.stream(sorted).sum();
        double sum = 0;
        double best = Double.NEGATIVE_INFINITY;
        int cut = -1;
        int n = sorted.length;
        for (int i = 1; i < n; i++) {
            sum += sorted[i - 1];
            double apart = sum / i - (total - sum) / (n - i);
            double between = (double) i * (n - i) * apart * apart;
            if (i >= least && n - i >= least && sorted[i] > sorted[i - 1] && between > best) {
                best = between;
                cut = i;
            }
        }
        return cut;
    }

    private int repeats(double[] values, List<String> commits) {
        Map<String, int[]> byCommit = new HashMap<>();
        for (int i = 0; i < values.length; i++) {
            byCommit.computeIfAbsent(commits.get(i), key -> new int[2])[isHigh(values[i]) ? 1 : 0]++;
        }
        return byCommit.values().stream()
                .mapToInt(counts -> Math.min(counts[0], counts[1]))
                .sum();
    }

    boolean isHigh(double value) {
        return value > boundary;
    }

    /** 1 for a run of the high mode, 0 for one of the low mode. */
    double[] membership(double[] values) {
        return Arrays.stream(values).map(value -> isHigh(value) ? 1 : 0).toArray();
    }

    /** The values, those of the high mode brought down to the low one. */
    double[] levelled(double[] values) {
        return Arrays.stream(values)
                .map(value -> isHigh(value) ? value - high + low : value)
                .toArray();
    }
}
