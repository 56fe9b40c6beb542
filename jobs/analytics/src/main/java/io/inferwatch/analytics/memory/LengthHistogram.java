package io.inferwatch.analytics.memory;

import io.inferwatch.analytics.quantile.LogBuckets;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.Arrays;
import java.util.Map;
import java.util.SortedMap;

/**
 * Lengths of sequences, or sizes of batches, in cells: so many whole numbers from a least to a greatest one, each taken as equally likely. A
 * cell of a sketch is a bucket, within the sketch's least and greatest value, 0.74 % wide; below 135 tokens it is a single length. Lengths of
 * zero hold nothing and are left out. Immutable.
 */
public final class LengthHistogram {
    private final long[] least;
    private final long[] greatest;
    private final long[] counts;
    private final long n;
    private final double tokens;

    private LengthHistogram(long[] least, long[] greatest, long[] counts, double tokens) {
        this.least = least;
        this.greatest = greatest;
        this.counts = counts;
        this.n = Arrays.stream(counts).sum();
        this.tokens = tokens;
        if (Math.multiplyHigh(n, greatest()) != 0 || n * greatest() < 0) {
            throw new IllegalArgumentException(
                    "lengths: number times greatest must be below 2^63, found " + n + " times " + greatest());
        }
    }

    /** The lengths of a sketch; their sum is exact. */
    public static LengthHistogram of(QuantileSketch sketch) {
        int[] cells = new int[1];
        sketch.forEachBucket((bucket, count) -> cells[0] += bucket < 0 ? 0 : 1);
        long[] least = new long[cells[0]];
        long[] greatest = new long[cells[0]];
        long[] counts = new long[cells[0]];
        cells[0] = 0;
        sketch.forEachBucket((bucket, count) -> {
            if (bucket >= 0) {
                int cell = cells[0]++;
                least[cell] = Math.max(sketch.min(), LogBuckets.leastValue(bucket));
                greatest[cell] = bucket == LogBuckets.COUNT - 1
                        ? sketch.max()
                        : Math.min(sketch.max(), LogBuckets.leastValue(bucket + 1) - 1);
                counts[cell] = count;
            }
        });
        return new LengthHistogram(least, greatest, counts, (double) sketch.sum());
    }

    /**
     * Lengths that are known one by one.
     *
     * @param countByLength lengths of at least 1, and how many there are of each, at least 1
     */
    public static LengthHistogram of(SortedMap<Long, Long> countByLength) {
        long[] lengths = new long[countByLength.size()];
        long[] counts = new long[lengths.length];
        double tokens = 0;
        int cell = 0;
        for (Map.Entry<Long, Long> entry : countByLength.entrySet()) {
            lengths[cell] = entry.getKey();
            counts[cell] = entry.getValue();
            Amounts.requireAtLeast(1, "length", lengths[cell]);
            Amounts.requireAtLeast(1, "count", counts[cell]);
            tokens += (double) lengths[cell] * counts[cell];
            cell++;
        }
        return new LengthHistogram(lengths, lengths, counts, tokens);
    }

    /** The part in cells that lie wholly at or below a limit; where cells are left out the sum of the others is within 0.37 %. */
    public LengthHistogram upTo(long limit) {
        int kept = 0;
        double tokensKept = 0;
        while (kept < cells() && greatest[kept] <= limit) {
            tokensKept += counts[kept] * mean(kept);
            kept++;
        }
        return kept == cells()
                ? this
                : new LengthHistogram(
                        Arrays.copyOf(least, kept),
                        Arrays.copyOf(greatest, kept),
                        Arrays.copyOf(counts, kept),
                        tokensKept);
    }

    /**
     * The greatest length of the cell that a quantile lies in.
     *
     * @param share above 0, at most 1
     * @throws IllegalStateException when empty
     */
    public long quantile(double share) {
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException("share: must be above 0 and at most 1, found " + share);
        }
        requireLengths();
        long below = 0;
        int cell = -1;
        // A product such as 0.99 * 100 may come out a hair above the whole number that it is.
        while (below < share * n * (1 - 1e-12)) {
            below += counts[++cell];
        }
        return greatest[cell];
    }

    /** Number of lengths. */
    public long n() {
        return n;
    }

    /** Their sum. */
    public double tokens() {
        return tokens;
    }

    /**
     * The mean of what of each length exceeds a limit.
     *
     * @throws IllegalStateException when empty
     */
    double meanAbove(long limit) {
        requireLengths();
        double above = 0;
        for (int cell = 0; cell < cells(); cell++) {
            long first = Math.max(least[cell], limit + 1);
            if (first <= greatest[cell]) {
                double share = (double) (greatest[cell] - first + 1) / width(cell);
                above += counts[cell] * share * ((first + greatest[cell]) / 2.0 - limit);
            }
        }
        return above / n;
    }

    /** The mean length. */
    double mean() {
        requireLengths();
        return tokens / n;
    }

    /** The least length. */
    long least() {
        requireLengths();
        return least[0];
    }

    /** The greatest length; 0 when empty. */
    long greatest() {
        return cells() == 0 ? 0 : greatest[cells() - 1];
    }

    /** Number of cells, which rise. */
    int cells() {
        return counts.length;
    }

    long least(int cell) {
        return least[cell];
    }

    long greatest(int cell) {
        return greatest[cell];
    }

    long count(int cell) {
        return counts[cell];
    }

    /** Whole numbers that lie in a cell. */
    long width(int cell) {
        return greatest[cell] - least[cell] + 1;
    }

    private double mean(int cell) {
        return (least[cell] + greatest[cell]) / 2.0;
    }

    void requireLengths() {
        if (n == 0) {
            throw new IllegalStateException("a histogram without lengths has no mean, no quantiles and no boundaries");
        }
    }
}
