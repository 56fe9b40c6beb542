package io.inferwatch.analytics.drift;

import java.util.List;
import java.util.Optional;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * What past windows say of the next ones if nothing changes: the mean of m of them lies within ybar +- t(k/d - 1, 1 - alpha) s sqrt(min(1, d/m) + d/k).
 * Windows that resemble their neighbours tell less: d is (1 + r) / (1 - r) of the autocorrelation r of neighbours where that is above zero,
 * and 1 for windows that differ at random.
 *
 * @param scale what the numbers mean: RELATIVE for logarithms
 * @param mean ybar
 * @param deviation s
 * @param dependence d
 * @param errors t(k/d - 1, 1 - alpha), with at least one degree of freedom
 * @param windows k
 */
public record PastWindows(
        Comparison.Scale scale, double mean, double deviation, double dependence, double errors, int windows) {

    /**
     * Sums past windows up.
     *
     * @param history statistic of past comparable windows, e.g. of the same hour class, the oldest first; logarithms for RELATIVE, shares for POINTS
     * @return empty for fewer than the rule's windows (at least 2)
     */
    public static Optional<PastWindows> of(Comparison.Scale scale, double[] history, DriftRule rule) {
        int k = history.length;
        if (k < Math.max(2, rule.minWindows())) {
            return Optional.empty();
        }
        double mean = 0;
        for (double y : history) {
            mean += y / k;
        }
        double squares = 0;
        double products = 0;
        for (int i = 0; i < k; i++) {
            double distance = history[i] - mean;
            squares += distance * distance;
            products += i == 0 ? 0 : distance * (history[i - 1] - mean);
        }
        double correlation = squares > 0 ? Math.max(0, products / squares) : 0;
        double dependence = (1 + correlation) / (1 - correlation);
        double freedom = Math.max(1, k / dependence - 1);
        return Optional.of(new PastWindows(
                scale,
                mean,
                Math.sqrt(squares / (k - 1)),
                dependence,
                TDistribution.of(freedom).inverseSurvivalProbability(rule.alpha()),
                k));
    }

    /** The same of boxed numbers. */
    public static Optional<PastWindows> of(Comparison.Scale scale, List<Double> history, DriftRule rule) {
        return of(scale, history.stream().mapToDouble(Double::doubleValue).toArray(), rule);
    }

    /** Where a window lies among them; its statistic in the same scale. */
    public PredictionInterval place(double current) {
        return place(current, 1);
    }

    /**
     * Where windows in a row lie among them.
     *
     * @param current the mean of their statistics, in the same scale
     * @param count how many they are, at least 1
     */
    public PredictionInterval place(double current, int count) {
        double score = current - mean;
        double error = deviation * Math.sqrt(Math.min(1, dependence / count) + dependence / windows);
        return new PredictionInterval(
                scale,
                scale.toChange(score),
                scale.toChange(score - errors * error),
                scale.toChange(score + errors * error),
                error,
                windows);
    }
}
