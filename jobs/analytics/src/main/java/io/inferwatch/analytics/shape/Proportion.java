package io.inferwatch.analytics.shape;

import java.util.Optional;
import org.apache.commons.statistics.distribution.BetaDistribution;
import org.apache.commons.statistics.distribution.GammaDistribution;

/** Counts and shares of counts, with exact limits: Clopper's and Pearson's of a share, Garwood's of what comes at random in time. */
public final class Proportion {
    private static final double TAIL = 0.025;

    private Proportion() {}

    /** The share of trials that hit; empty without trials. */
    public static Optional<Estimate> of(long hits, long trials) {
        if (trials == 0) {
            return Optional.empty();
        }
        double low = hits == 0
                ? 0
                : BetaDistribution.of((double) hits, trials - hits + 1.0).inverseCumulativeProbability(TAIL);
        double high = hits == trials
                ? 1
                : BetaDistribution.of(hits + 1.0, (double) (trials - hits)).inverseSurvivalProbability(TAIL);
        return Optional.of(new Estimate(hits / (double) trials, low, high));
    }

    /** Events of a window, and what others of the same traffic would have. */
    public static Estimate count(long events) {
        double low = events == 0 ? 0 : GammaDistribution.of((double) events, 1).inverseCumulativeProbability(TAIL);
        return new Estimate(events, low, GammaDistribution.of(events + 1.0, 1).inverseSurvivalProbability(TAIL));
    }
}
