package io.inferwatch.analytics.quantile;

import java.util.Optional;
import org.apache.commons.statistics.distribution.BinomialDistribution;
import org.apache.commons.statistics.distribution.NormalDistribution;

/**
 * Distribution-free confidence limits of a quantile, by order statistics: of n samples, X(l) and X(u) enclose the p-quantile with
 * probability sum over k from l to u-1 of C(n,k) p^k (1-p)^(n-k). Bucket counts are exact ranks, so the sketch only widens the limits by
 * a bucket on each side and coverage is at least nominal.
 *
 * @param low lower limit, in the sketch's unit
 * @param high upper limit, in the sketch's unit
 */
public record QuantileInterval(double low, double high) {
    private static final NormalDistribution STANDARD = NormalDistribution.of(0, 1);

    /**
     * The two-sided limits of the p-quantile; empty where n is too small for an upper limit (below 368 for P99 at 95 %): then the
     * quantile is not estimable.
     *
     * @param p the quantile, above 0 and below 1
     * @param confidence e.g. 0.95
     */
    public static Optional<QuantileInterval> of(QuantileSketch sketch, double p, double confidence) {
        requireProbabilities(p, confidence);
        if (sketch.n() == 0) {
            return Optional.empty();
        }
        Ranks ranks = Ranks.of(sketch.n(), p, confidence);
        if (ranks.upper > sketch.n()) {
            return Optional.empty();
        }
        double low = ranks.lower < 1 ? 0 : sketch.lowerBoundOfRank(ranks.lower);
        return Optional.of(new QuantileInterval(low, sketch.upperBoundOfRank(ranks.upper)));
    }

    /**
     * The least n for which the p-quantile has two-sided limits: 1 - p^n must reach 1 - a/2. 368 for P99 at 95 %; 299 with one-sided
     * limits, which are two-sided ones at 90 %.
     *
     * @param p the quantile, above 0 and below 1
     * @param confidence e.g. 0.95
     */
    public static long minimumN(double p, double confidence) {
        requireProbabilities(p, confidence);
        double half = (1 - confidence) / 2;
        long n = Math.max(1, (long) Math.floor(Math.log(half) / Math.log(p)));
        return Math.pow(p, (double) n) <= half ? n : n + 1;
    }

    static void requireProbabilities(double p, double confidence) {
        if (!(p > 0 && p < 1) || !(confidence > 0 && confidence < 1)) {
            throw new IllegalArgumentException(
                    "p, confidence: must be above 0 and below 1, found " + p + ", " + confidence);
        }
    }

    /**
     * The ranks whose values are the limits.
     *
     * @param lower l = max{l : P(Bin(n,p) &lt;= l-1) &lt;= a/2}; 0 when there is none
     * @param upper u = min{u : P(Bin(n,p) &lt;= u-1) &gt;= 1 - a/2}; n + 1 when there is none
     */
    record Ranks(long lower, long upper) {
        static Ranks of(long n, double p, double confidence) {
            double half = (1 - confidence) / 2;
            return n <= Integer.MAX_VALUE ? exact((int) n, p, half) : normal(n, p, half);
        }

        private static Ranks exact(int n, double p, double half) {
            BinomialDistribution binomial = BinomialDistribution.of(n, p);
            // The least x with P(X <= x) >= half: below it the probability is less than half, so l - 1 = x - 1 unless
            // equality holds.
            int least = inverse(binomial, half);
            int lower = binomial.cumulativeProbability(least) <= half ? least + 1 : least;
            long upper = inverse(binomial, 1 - half) + 1L;
            return new Ranks(lower, upper);
        }

        /** The least x with P(X &lt;= x) &gt;= u. The normal quantile is within a few ranks of it: doubling steps from there, then halving. */
        private static int inverse(BinomialDistribution binomial, double u) {
            int n = binomial.getNumberOfTrials();
            double normal =
                    binomial.getMean() + Math.sqrt(binomial.getVariance()) * STANDARD.inverseCumulativeProbability(u);
            int reached = (int) Math.min(n, Math.max(0, Math.round(normal)));
            int below = reached - 1;
            for (int step = 1; below >= 0 && binomial.cumulativeProbability(below) >= u; step *= 2) {
                reached = below;
                below = Math.max(-1, below - step);
            }
            for (int step = 1; reached < n && binomial.cumulativeProbability(reached) < u; step *= 2) {
                below = reached;
                reached = (int) Math.min(n, (long) reached + step);
            }
            while (reached - below > 1) {
                int middle = (reached + below) >>> 1;
                if (binomial.cumulativeProbability(middle) >= u) {
                    reached = middle;
                } else {
                    below = middle;
                }
            }
            return reached;
        }

        /** For more values than an int counts, where the normal distribution is within two ranks; they are added on each side. */
        private static Ranks normal(long n, double p, double half) {
            double spread = -STANDARD.inverseCumulativeProbability(half) * Math.sqrt(n * p * (1 - p));
            return new Ranks((long) Math.floor(n * p - spread) - 2, (long) Math.ceil(n * p + spread) + 2);
        }
    }
}
