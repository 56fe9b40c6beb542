package io.inferwatch.analytics.drift;

import java.util.stream.IntStream;

/**
 * Keeps the share of false alarms among all alarms of a window below q, however many keys are tested [Benjamini and Hochberg 1995]. Holds
 * for independent keys and for such as rise and fall together.
 */
public final class FalseDiscovery {
    /** The share of false alarms among all alarms that is taken. */
    public static final double SHARE = 0.05;

    private FalseDiscovery() {}

    /**
     * The least q at which each key would be among the alarms: min over j &gt;= i of p_(j) K / j, for p in rising order.
     *
     * @param p of all keys that were tested, those that gave no alarm too
     * @return in the same order; a key is an alarm when its number is at most q, by default {@link #SHARE}
     */
    public static double[] adjusted(double[] p) {
        int[] rising = IntStream.range(0, p.length)
                .boxed()
                .sorted((i, j) -> Double.compare(p[i], p[j]))
                .mapToInt(Integer::intValue)
                .toArray();
        double[] adjusted = new double[p.length];
        double least = 1;
        for (int rank = p.length; rank >= 1; rank--) {
            int key = rising[rank - 1];
            least = Math.min(least, p[key] * p.length / rank);
            adjusted[key] = least;
        }
        return adjusted;
    }
}
