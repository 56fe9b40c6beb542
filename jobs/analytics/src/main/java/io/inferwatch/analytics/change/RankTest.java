package io.inferwatch.analytics.change;

import java.util.Arrays;

/** The rank sum test [Mann and Whitney 1947] with mid-ranks, in its normal approximation, whose variance counts ties. */
final class RankTest {
    private RankTest() {}

    /**
     * Standard normal under "no change"; above 0 where the later values are the greater ones. 0 where all values are the same.
     *
     * @param from first of the earlier values
     * @param cut first of the later values
     * @param to after the last of them
     */
    static double z(double[] values, int from, int cut, int to) {
        double[] sorted = Arrays.copyOfRange(values, from, to);
        Arrays.sort(sorted);
        int n = sorted.length;
        double[] before = Arrays.copyOfRange(values, from, cut);
        Arrays.sort(before);
        double ranks = 0;
        double ties = 0;
        int seen = 0;
        for (int i = 0; i < n; ) {
            int end = i + 1;
            while (end < n && sorted[end] == sorted[i]) {
                end++;
            }
            double same = end - i;
            ties += same * same * same - same;
            while (seen < before.length && before[seen] == sorted[i]) {
                ranks += (i + 1 + end) / 2.0;
                seen++;
            }
            i = end;
        }
        double a = before.length;
        double b = n - a;
        double variance = a * b / 12 * (n + 1 - ties / (n * (n - 1.0)));
        return variance <= 0 ? 0 : (a * (n + 1.0) / 2 - ranks) / Math.sqrt(variance);
    }
}
