package io.inferwatch.probes.corpus;

import java.util.HashMap;
import java.util.Map;

/**
 * Entropy of the runs of four tokens of texts, in bits: 0 where one run repeats, log2 n where n runs are all different. Exact up to a million different runs; beyond, counts are kept of a share of them that is drawn by their hash, and the entropy's
 * error is below 0.01 bits.
 */
final class FourGrams {
    private static final int LENGTH = 4;
    private static final int MOST_KEPT = 1 << 20;

    private final Map<Long, Integer> counts = new HashMap<>();
    private final int mostKept;
    private long n;
    /** Kept are runs whose hash ends in so many zeros. */
    private int zeros;

    FourGrams() {
        this(MOST_KEPT);
    }

    FourGrams(int mostKept) {
        this.mostKept = mostKept;
    }

    /** The entropy of one text. */
    static double bits(int[] tokens) {
        FourGrams grams = new FourGrams();
        grams.add(tokens);
        return grams.bits();
    }

    /** Counts the runs of a text; none reaches from one text to another. */
    void add(int[] tokens) {
        for (int i = 0; i + LENGTH <= tokens.length; i++) {
            n++;
            long hash = 0;
            for (int j = i; j < i + LENGTH; j++) {
                hash = mixed(hash + tokens[j] + 0x9E3779B97F4A7C15L);
            }
            if (isKept(hash)) {
                counts.merge(hash, 1, Integer::sum);
                while (counts.size() > mostKept) {
                    zeros++;
                    counts.keySet().removeIf(kept -> !isKept(kept));
                }
            }
        }
    }

    /** log2 n less the mean of log2 of each run's count. */
    double bits() {
        if (n == 0) {
            return 0;
        }
        double sum = 0;
        for (int count : counts.values()) {
            sum += count * (Math.log(count) / Math.log(2));
        }
        double share = Math.scalb(1.0, -zeros);
        return Math.max(0, Math.log((double) n) / Math.log(2) - sum / share / n);
    }

    private boolean isKept(long hash) {
        return (hash & ((1L << zeros) - 1)) == 0;
    }

    /** SplitMix's final step. */
    private static long mixed(long value) {
        long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
