package io.inferwatch.analytics.drift;

/**
 * How far a window is from past ones, with the limits of {@link PastWindows}. Windows differ for reasons that no test within windows knows (neighbours, weather of the network, batch
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
