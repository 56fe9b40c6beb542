package io.inferwatch.analytics.graphs;

import io.inferwatch.analytics.graphs.JitterStudy.Insufficient;
import io.inferwatch.analytics.graphs.JitterStudy.Randomised;
import io.inferwatch.analytics.shape.Estimate;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * The difference of two arms' shares of failed captures. A replica is what was dealt out, so that replicas are what varies: a share is a ratio
 * of sums over replicas, with the variance G / (G - 1) sum (failures - share x attempts)^2 / (sum attempts)^2 [Cochran 1977, 6.4], and limits at
 * 95 % have Student's distribution with Welch's degrees of freedom. Unlike a ratio, the difference is there where one arm never fails.
 */
final class ArmDifference {
    private static final double TAIL = 0.025;

    /** Fewer replicas in an arm do not show how replicas differ. */
    private static final int MIN_REPLICAS = 5;

    private ArmDifference() {}

    static JitterStudy of(CaptureArm baseline, CaptureArm changed) {
        long failures = baseline.captures().failures() + changed.captures().failures();
        int least = Math.min(baseline.replicas().size(), changed.replicas().size());
        int replicas = baseline.replicas().size() + changed.replicas().size();
        if (failures < JitterStudy.MIN_FAILURES || least < MIN_REPLICAS) {
            return new Insufficient(failures, replicas);
        }
        double before = variance(baseline);
        double now = variance(changed);
        double variance = before + now;
        if (variance == 0) {
            return new Insufficient(failures, replicas);
        }
        double freedom = variance
                * variance
                / (before * before / (baseline.replicas().size() - 1)
                        + now * now / (changed.replicas().size() - 1));
        double reach = TDistribution.of(freedom).inverseSurvivalProbability(TAIL) * Math.sqrt(variance);
        double difference = share(changed) - share(baseline);
        Estimate estimate = new Estimate(difference, difference - reach, difference + reach);
        boolean holdsZero = estimate.low() <= 0 && estimate.high() >= 0;
        return new Randomised(holdsZero ? Wording.NO_ASSOCIATION : Wording.CAUSE, failures, replicas, estimate);
    }

    private static double share(CaptureArm arm) {
        CaptureCounts captures = arm.captures();
        return (double) captures.failures() / captures.attempts();
    }

    private static double variance(CaptureArm arm) {
        double share = share(arm);
        double squares = 0;
        for (CaptureCounts replica : arm.replicas()) {
            squares += Math.pow(replica.failures() - share * replica.attempts(), 2);
        }
        double replicas = arm.replicas().size();
        double attempts = arm.captures().attempts();
        return squares * replicas / (replicas - 1) / (attempts * attempts);
    }
}
