package io.inferwatch.analytics.change;

import java.util.Arrays;

/**
 * The cheapest way to cut a series into levels: of all partitions that with the least sum of {@link SegmentCost} and of the price of each cut [optimal partitioning, Jackson et al. 2005].
 * Exact; n^2 / 2 costs.
 */
final class Partition {
    private Partition() {}

    /**
     * Where new levels begin, rising; empty where one level is the cheapest.
     *
     * @param price of a cut
     * @param minLength values that a level has at least
     */
    static int[] of(SegmentCost cost, int n, double price, int minLength) {
        if (n < 2 * minLength) {
            return new int[0];
        }
        double[] best = new double[n + 1];
        int[] lastCut = new int[n + 1];
        Arrays.fill(best, Double.POSITIVE_INFINITY);
        best[0] = -price;
        for (int to = minLength; to <= n; to++) {
            for (int from = 0; from <= to - minLength; from++) {
                if (best[from] < Double.POSITIVE_INFINITY) {
                    double sum = best[from] + cost.of(from, to) + price;
                    if (sum < best[to]) {
                        best[to] = sum;
                        lastCut[to] = from;
                    }
                }
            }
        }
        int[] cuts = new int[n];
        int at = n;
        for (int cut = lastCut[n]; cut > 0; cut = lastCut[cut]) {
            cuts[--at] = cut;
        }
        return Arrays.copyOfRange(cuts, at, n);
    }
}
