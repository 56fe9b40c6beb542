package io.inferwatch.analytics.drift;

import io.inferwatch.analytics.drift.Comparison.Measured;
import io.inferwatch.analytics.drift.Comparison.Scale;
import io.inferwatch.analytics.quantile.MinimumDetectableEffect;
import java.util.OptionalDouble;
import org.apache.commons.statistics.distribution.NormalDistribution;
import org.jspecify.annotations.Nullable;

/**
 * A verdict with its proof.
 *
 * <p>DRIFT needs all of: a change of at least the threshold, p below alpha, and, unless the rule does without, a change from past windows
 * that is outside their prediction interval and reaches the threshold too. NO_DRIFT needs a change below the threshold and a minimum
 * detectable effect that is no greater. All else is INCONCLUSIVE: also a change that reaches the threshold without being proven.
 *
 * @param verdict what it says
 * @param comparison with the baseline
 * @param between the current window among past ones; null where there are too few, and where the rule does without
 * @param rule what it was judged by
 */
public record Finding(
        Verdict verdict, Comparison comparison, @Nullable PredictionInterval between, DriftRule rule) {

    /**
     * Judges a comparison.
     *
     * @param between see {@link PredictionInterval}; null where there are too few past windows
     */
    public static Finding of(Comparison comparison, @Nullable PredictionInterval between, DriftRule rule) {
        PredictionInterval asked = rule.minWindows() == 0 ? null : between;
        return new Finding(verdict(comparison, asked, rule), comparison, asked, rule);
    }

    private static Verdict verdict(Comparison comparison, @Nullable PredictionInterval between, DriftRule rule) {
        if (!(comparison instanceof Measured measured)) {
            return Verdict.NOT_ESTIMABLE;
        }
        boolean reaches = PredictionInterval.reaches(measured.change(), measured.scale(), rule);
        boolean unusual = rule.minWindows() == 0 || (between != null && between.shows(rule));
        if (reaches && measured.p() < rule.alpha() && unusual) {
            return Verdict.DRIFT;
        }
        return !reaches && detectable(measured, between) <= rule.threshold() ? Verdict.NO_DRIFT : Verdict.INCONCLUSIVE;
    }

    /**
     * The minimum detectable effect, of the test within or between windows, whichever sees less, since DRIFT needs both; empty when not
     * estimable. A test against no change at 95 % would see it four times out of five.
     */
    public OptionalDouble minimumDetectableEffect() {
        return comparison instanceof Measured measured
                ? OptionalDouble.of(detectable(measured, between))
                : OptionalDouble.empty();
    }

    /**
     * The change that this rule would call DRIFT four times out of five. Greater than the minimum detectable effect, since it must be told
     * from the threshold instead of from nothing, and at the rule's alpha; empty where nothing would be called so.
     */
    public OptionalDouble provableChange() {
        if (!(comparison instanceof Measured measured) || (between == null && rule.minWindows() > 0)) {
            return OptionalDouble.empty();
        }
        NormalDistribution normal = NormalDistribution.of(0, 1);
        double errors = normal.inverseSurvivalProbability(rule.alpha()) + normal.inverseCumulativeProbability(0.80);
        Scale scale = measured.scale();
        double within = scale.toScore(rule.threshold()) + errors * measured.standardError();
        double amongWindows = between == null ? 0 : errors * between.standardError();
        return OptionalDouble.of(scale.toChange(Math.max(within, amongWindows)));
    }

    private static double detectable(Measured measured, @Nullable PredictionInterval between) {
        double error = between == null
                ? measured.standardError()
                : Math.max(measured.standardError(), between.standardError());
        return measured.scale().toChange(MinimumDetectableEffect.STANDARD_ERRORS * error);
    }
}
