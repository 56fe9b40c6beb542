package io.inferwatch.probes.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Whether the buckets of an engine's histogram can carry the quantiles P50 and P99 at all. */
final class GridCheck {
    private static final double[] QUANTILES = {0.5, 0.99};

    private final Map<String, Duration> finest;

    /**
     * Buckets.
     *
     * @param bounds upper ones, rising, seconds; the last is infinite
     * @param counts of each bucket
     */
    record Grid(double[] bounds, double[] counts) {}

    GridCheck(Map<String, Duration> finest) {
        this.finest = finest;
    }

    /** What is wrong with the buckets of a signal, as sentences; empty when nothing is. */
    List<String> problems(String signal, Grid grid) {
        List<String> problems = new ArrayList<>();
        double[] bounds = grid.bounds();
        double first = 0;
        for (int i = 0; i < bounds.length && first == 0; i++) {
            first = Math.max(0, bounds[i]);
        }
        Duration limit = finest.get(signal);
        if (limit != null && first > limit.toNanos() / 1e9) {
            problems.add("the first bucket ends at " + seconds(first) + ": nothing can be said of values below it");
        }
        double n = 0;
        for (double count : grid.counts()) {
            n += count;
        }
        for (double quantile : QUANTILES) {
            int bucket = n > 0 ? bucketOf(quantile * n, grid.counts()) : -1;
            String name = "P" + Math.round(quantile * 100);
            if (bucket == bounds.length - 1) {
                problems.add(name + " lies above the last bound, " + seconds(bounds[bounds.length - 2]));
            } else if (bucket >= 0 && bounds[bucket] == first) {
                problems.add(name + " lies within the first bucket, below " + seconds(first));
            }
        }
        return problems;
    }

    private static int bucketOf(double rank, double[] counts) {
        double below = 0;
        for (int i = 0; i < counts.length; i++) {
            below += counts[i];
            if (below >= rank) {
                return i;
            }
        }
        return counts.length - 1;
    }

    private static String seconds(double seconds) {
        return String.format(Locale.ROOT, "%s s", Double.toString(seconds).replaceAll("\\.0$", ""));
    }
}
