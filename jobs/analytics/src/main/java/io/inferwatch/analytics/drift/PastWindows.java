package io.inferwatch.analytics.drift;

import java.util.List;
import java.util.Optional;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * What past windows say of the next one if nothing changes: it lies within ybar +- t(k-1, 1 - alpha) s sqrt(1 + 1/k).
 *
 * @param scale what the numbers mean: RELATIVE for logarithms
 * @param mean ybar
 * @param standardError s sqrt(1 + 1/k)
 * @param reach t(k-1, 1 - alpha) standard errors
 * @param windows k
 */
public record PastWindows(Comparison.Scale scale, double mean, double standardError, double reach, int windows) {

    /**
     * Sums past windows up.
     *
     * @param history statistic of past comparable windows, e.g. of the same hour class; logarithms for RELATIVE, shares for POINTS
     * @return empty for fewer than the rule's windows (at least 2)
     */
    public static Optional<PastWindows> of(Comparison.Scale scale, List<Double> history, DriftRule rule) {
        int k = history.size();
        if (k < Math.max(2, rule.minWindows())) {
            return Optional.empty();
        }
        double mean = 0;
        for (double y : history) {
            mean += y / k;
        }
        double squares = 0;
        for (double y : history) {
            squares += (y - mean) * (y - mean);
        }
        double error = Math.sqrt(squares / (k - 1) * (1 + 1.0 / k));
        double reach = TDistribution.of(k - 1).inverseSurvivalProbability(rule.alpha()) * error;
        return Optional.of(new PastWindows(scale, mean, error, reach, k));
    }

    /** Where a window lies among them; its statistic in the same scale. */
    public PredictionInterval place(double current) {
        double score = current - mean;
        return new PredictionInterval(
                scale,
                scale.toChange(score),
                scale.toChange(score - reach),
                scale.toChange(score + reach),
                standardError,
                windows);
    }
}
