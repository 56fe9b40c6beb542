package io.inferwatch.analytics.drift;

import java.util.List;
import java.util.Optional;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * Where one more window may lie if it is like the past ones: ybar +- t(k-1, 1 - alpha) s sqrt(1 + 1/k), told as the distance of the
 * current window from their mean. Windows differ for reasons that no test within windows knows (neighbours, weather of the network, batch
 * mix); with windows that differ by 10 % such a test alone cries wolf every fifth time.
 *
 * @param scale what the numbers mean: RELATIVE for distances of logarithms
 * @param change of the current window against the mean of the past ones
 * @param low lower limit of the change, each limit at 1 - alpha
 * @param high upper limit of the change
 * @param standardError s sqrt(1 + 1/k), in the scale
 * @param windows k, past windows
 */
public record PredictionInterval(
        Comparison.Scale scale, double change, double low, double high, double standardError, int windows) {

    /**
     * Places a window among past ones.
     *
     * @param history statistic of past comparable windows, e.g. of the same hour class; logarithms for RELATIVE, shares for POINTS
     * @param current the same of the current window
     * @return empty for fewer than the rule's windows (at least 2)
     */
    public static Optional<PredictionInterval> of(
            Comparison.Scale scale, List<Double> history, double current, DriftRule rule) {
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
        double score = current - mean;
        return Optional.of(new PredictionInterval(
                scale, scale.toChange(score), scale.toChange(score - reach), scale.toChange(score + reach), error, k));
    }

    /** Whether no change is outside, on the bad side, and the change reaches the threshold. */
    boolean shows(DriftRule rule) {
        return rule.worse() == DriftRule.Direction.UP
                ? low > 0 && reaches(change, scale, rule)
                : high < 0 && reaches(change, scale, rule);
    }

    /** Whether a change is bad and at least as great as the threshold; downwards that is 1 / 1.03, as far as 1.03 upwards. */
    static boolean reaches(double change, Comparison.Scale scale, DriftRule rule) {
        double score = scale.toScore(change);
        double worse = rule.worse() == DriftRule.Direction.UP ? score : -score;
        return worse >= scale.toScore(rule.threshold()) - 1e-12;
    }
}
