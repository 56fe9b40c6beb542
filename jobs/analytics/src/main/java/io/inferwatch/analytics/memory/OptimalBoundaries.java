package io.inferwatch.analytics.memory;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The boundaries that need the least padding, of all that there are. The optimum lies on lengths that occur; with v_j the greatest length of
 * cell j and N_j the number of lengths up to it, the least number of padded tokens of the first j cells in k buckets is
 * D[k][j] = min over i < j of D[k-1][i] + v_j (N_j - N_i). That cost satisfies the quadrangle inequality, so that the best i never falls as j
 * rises, and a layer is found by divide and conquer: O(K n log n) time, O(K n) memory. Whole numbers throughout: exact.
 */
public final class OptimalBoundaries {
    private final LengthHistogram lengths;
    /** Lengths in the first j cells. */
    private final long[] below;

    private long[] before;
    private long[] padded;
    private int[] start;

    private OptimalBoundaries(LengthHistogram lengths) {
        int n = lengths.cells();
        this.lengths = lengths;
        below = new long[n + 1];
        padded = new long[n + 1];
        before = new long[n + 1];
        start = new int[n + 1];
        for (int j = 1; j <= n; j++) {
            below[j] = below[j - 1] + lengths.count(j - 1);
            padded[j] = below[j] * lengths.greatest(j - 1);
        }
    }

    /**
     * The best boundaries, the last of which is the greatest length.
     *
     * @param count how many there may be, at least 1; fewer where there are no more lengths
     * @throws IllegalStateException when the histogram is empty
     */
    public static Boundaries of(LengthHistogram lengths, int count) {
        Amounts.requireAtLeast(1, "count", count);
        lengths.requireLengths();
        return new OptimalBoundaries(lengths).find(Math.min(count, lengths.cells()));
    }

    private Boundaries find(int count) {
        int n = lengths.cells();
        List<int[]> starts = new ArrayList<>();
        starts.add(start);
        for (int k = 2; k <= count; k++) {
            long[] free = before;
            before = padded;
            padded = free;
            start = new int[n + 1];
            starts.add(start);
            fill(1, n, 0, n - 1);
        }
        List<Long> sizes = new ArrayList<>();
        int end = n;
        for (int k = count - 1; end > 0; k--) {
            sizes.add(lengths.greatest(end - 1));
            end = starts.get(k)[end];
        }
        Collections.reverse(sizes);
        return new Boundaries(sizes);
    }

    /** A layer's cells from..to, whose last buckets start behind one of the cells low..high. */
    private void fill(int from, int to, int low, int high) {
        if (from > to) {
            return;
        }
        int middle = (from + to) >>> 1;
        long size = lengths.greatest(middle - 1);
        long least = Long.MAX_VALUE;
        int best = low;
        for (int i = low; i <= Math.min(high, middle - 1); i++) {
            long cost = before[i] + size * (below[middle] - below[i]);
            if (cost < least) {
                least = cost;
                best = i;
            }
        }
        padded[middle] = least;
        start[middle] = best;
        fill(from, middle - 1, low, best);
        fill(middle + 1, to, best, high);
    }
}
