package io.inferwatch.analytics.drift;

import io.inferwatch.analytics.drift.Comparison.Measured;
import io.inferwatch.analytics.drift.Comparison.NotEstimable;
import io.inferwatch.analytics.drift.Comparison.Scale;
import org.apache.commons.statistics.distribution.NormalDistribution;

/**
 * Compares two shares (errors, goodput, cache hits) by their difference, with Newcombe's hybrid score limits [Newcombe 1998, method 10]:
 * p_c - p_b - sqrt((p_c - l_c)^2 + (u_b - p_b)^2) and correspondingly upwards, l and u being Wilson's limits. They hold near 0 and 1 and for
 * no hits at all. p is the level at which the limit touches the threshold, so that test and limits agree.
 */
public final class ShareComparison {
    private static final NormalDistribution NORMAL = NormalDistribution.of(0, 1);

    private ShareComparison() {}

    /**
     * A share.
     *
     * @param hits from 0 to trials
     * @param trials at least 0
     */
    public record Share(long hits, long trials) {
        /** Checks the numbers. */
        public Share {
            if (hits < 0 || hits > trials) {
                throw new IllegalArgumentException("hits: must be from 0 to the " + trials + " trials, found " + hits);
            }
        }

        double value() {
            return (double) hits / trials;
        }

        /** Wilson's limit at z standard errors; the lower one for a negative z. */
        double limit(double z) {
            double middle = value() + z * z / (2 * trials);
            double reach = z * Math.sqrt((value() * (1 - value()) + z * z / (4 * trials)) / trials);
            return Math.min(1, Math.max(0, (middle + reach) / (1 + z * z / trials)));
        }
    }

    /** Compares two shares, in points; not estimable where a side has no trials. */
    public static Comparison of(Share baseline, Share current, DriftRule rule) {
        if (baseline.trials == 0 || current.trials == 0) {
            return new NotEstimable(baseline.trials, current.trials);
        }
        double low = limit(baseline, current, -rule.z());
        double high = limit(baseline, current, rule.z());
        double p =
                switch (rule.worse()) {
                    case UP -> pOf(baseline, current, rule.threshold());
                    case DOWN -> pOf(current, baseline, rule.threshold());
                };
        return new Measured(
                Scale.POINTS,
                current.value() - baseline.value(),
                low,
                high,
                p,
                (high - low) / (2 * rule.z()),
                baseline.trials,
                current.trials);
    }

    /** Newcombe's limit of the difference at z standard errors. */
    private static double limit(Share baseline, Share current, double z) {
        double reach = Math.hypot(current.limit(z) - current.value(), baseline.limit(-z) - baseline.value());
        return current.value() - baseline.value() + Math.signum(z) * reach;
    }

    /** P that the difference is no more than the threshold: 1 - Phi of the z whose lower limit it is. */
    private static double pOf(Share baseline, Share current, double threshold) {
        double least = -40;
        double most = 40;
        for (int i = 0; i < 60; i++) {
            double z = (least + most) / 2;
            if (limit(baseline, current, -z) > threshold) {
                least = z;
            } else {
                most = z;
            }
        }
        return NORMAL.survivalProbability(least);
    }
}
