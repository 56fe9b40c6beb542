package io.inferwatch.analytics.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.drift.Comparison.Measured;
import io.inferwatch.analytics.drift.Comparison.NotEstimable;
import io.inferwatch.analytics.drift.Comparison.Scale;
import io.inferwatch.analytics.drift.DriftRule.Direction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FindingTest {
    private static final DriftRule RULE = DriftRule.SLOWER;

    /** A standard error of 0.0118 makes a minimum detectable effect of 2.98 %, 0.0120 one of 3.03 %. */
    @ParameterizedTest(name = "change {0}, p {1}, error {2}; between windows {3} from {4}, error {5}: {6}")
    @CsvSource({
        // Worse by the threshold, proven within and between windows.
        "0.03,  0.0099, 0.0118, 0.03,  0.001,  0.01,  DRIFT",
        "0.50,  0.0001, 0.2000, 0.50,  0.100,  0.15,  DRIFT",
        // One of the three lacks.
        "0.0299, 0.001, 0.0118, 0.03,  0.001,  0.01,  NO_DRIFT",
        "0.03,  0.0100, 0.0118, 0.03,  0.001,  0.01,  INCONCLUSIVE",
        "0.03,  0.0010, 0.0118, 0.03,  -0.001, 0.01,  INCONCLUSIVE",
        "0.03,  0.0010, 0.0118, 0.029, 0.001,  0.01,  INCONCLUSIVE",
        // Nothing to see, and it would have been seen or not, within or between windows.
        "0.00,  0.9000, 0.0118, 0.00,  -0.03,  0.01,  NO_DRIFT",
        "-0.40, 1.0000, 0.0118, -0.4,  -0.43,  0.01,  NO_DRIFT",
        "0.00,  0.9000, 0.0120, 0.00,  -0.03,  0.01,  INCONCLUSIVE",
        "0.00,  0.9000, 0.0100, 0.00,  -0.03,  0.012, INCONCLUSIVE"
    })
    void verdicts(
            double change, double p, double error, double betweenChange, double low, double spread, Verdict expected) {
        Finding finding = Finding.of(measured(change, p, error), between(betweenChange, low, spread), RULE);
        assertThat(finding.verdict()).isEqualTo(expected);
    }

    @Test
    void withoutPastWindowsNothingIsDriftUnlessTheRuleDoesWithoutThem() {
        Measured proven = measured(0.5, 0.0001, 0.01);
        assertThat(Finding.of(proven, null, RULE).verdict()).isEqualTo(Verdict.INCONCLUSIVE);
        assertThat(Finding.of(proven, null, RULE.withMinWindows(0)).verdict()).isEqualTo(Verdict.DRIFT);
        Measured none = measured(0, 0.9, 0.01);
        assertThat(Finding.of(none, null, RULE).verdict()).isEqualTo(Verdict.NO_DRIFT);
        // Past windows that the rule does not ask for do not count.
        Finding alone = Finding.of(proven, between(0, -1, 1), RULE.withMinWindows(0));
        assertThat(alone.verdict()).isEqualTo(Verdict.DRIFT);
        assertThat(alone.between()).isNull();
    }

    @Test
    void whatIsNotEstimableHasNoNumbers() {
        Finding finding = Finding.of(new NotEstimable(100_000, 12), null, RULE);
        assertThat(finding.verdict()).isEqualTo(Verdict.NOT_ESTIMABLE);
        assertThat(finding.comparison().baselineN()).isEqualTo(100_000);
        assertThat(finding.comparison().currentN()).isEqualTo(12);
        assertThat(finding.minimumDetectableEffect()).isEmpty();
        assertThat(finding.provableChange()).isEmpty();
    }

    /** exp(2.48647 e) - 1 of the greater error; 1.03 exp(3.16797 e) - 1 within, exp(3.16797 e) - 1 between windows. */
    @Test
    void tellsWhatCouldHaveBeenSeen() {
        Finding within = Finding.of(measured(0, 0.5, 0.05), between(0, -0.1, 0.01), RULE);
        assertThat(within.minimumDetectableEffect().orElseThrow()).isCloseTo(Math.exp(0.1243235) - 1, within(1e-6));
        assertThat(within.provableChange().orElseThrow()).isCloseTo(1.03 * Math.exp(0.1583985) - 1, within(1e-6));
        Finding between = Finding.of(measured(0, 0.5, 0.01), between(0, -0.1, 0.05), RULE);
        assertThat(between.minimumDetectableEffect().orElseThrow()).isCloseTo(Math.exp(0.1243235) - 1, within(1e-6));
        assertThat(between.provableChange().orElseThrow()).isCloseTo(Math.exp(0.1583985) - 1, within(1e-6));
        assertThat(Finding.of(measured(0, 0.5, 0.05), null, RULE).provableChange())
                .isEmpty();
    }

    @Test
    void downwardsTheThresholdIsAsFarAsUpwards() {
        DriftRule down = RULE.withMinWindows(0).withWorse(Direction.DOWN);
        assertThat(Finding.of(measured(1 / 1.03 - 1, 0.001, 0.01), null, down).verdict())
                .isEqualTo(Verdict.DRIFT);
        assertThat(Finding.of(measured(-0.029, 0.001, 0.01), null, down).verdict())
                .isEqualTo(Verdict.NO_DRIFT);
        assertThat(Finding.of(measured(0.5, 0.001, 0.01), null, down).verdict()).isEqualTo(Verdict.NO_DRIFT);
    }

    @Test
    void sharesAreJudgedInPoints() {
        DriftRule points = RULE.withMinWindows(0).withThreshold(0.01);
        Measured share = new Measured(Scale.POINTS, 0.01, 0.002, 0.018, 0.001, 0.004, 9, 9);
        Finding drift = Finding.of(share, null, points);
        assertThat(drift.verdict()).isEqualTo(Verdict.DRIFT);
        assertThat(drift.minimumDetectableEffect().orElseThrow()).isCloseTo(2.486475 * 0.004, within(1e-7));
        assertThat(drift.provableChange().orElseThrow()).isCloseTo(0.01 + 3.167969 * 0.004, within(1e-7));
    }

    @Test
    void refusesRulesThatAreNone() {
        assertThatThrownBy(() -> RULE.withThreshold(0))
                .hasMessage("threshold: must be above 0 and below infinity, found 0.0");
        assertThatThrownBy(() -> RULE.withAlpha(1)).hasMessage("alpha: must be above 0 and below 1, found 1.0");
        assertThatThrownBy(() -> new DriftRule(0.03, 0.01, Double.NaN, 12, Direction.UP))
                .hasMessage("confidence: must be above 0 and below 1, found NaN");
        assertThatThrownBy(() -> RULE.withMinWindows(1)).hasMessage("minWindows: must be 0 or at least 2, found 1");
    }

    private static Measured measured(double change, double p, double error) {
        return new Measured(Scale.RELATIVE, change, change - 0.01, change + 0.01, p, error, 20_000, 5_000);
    }

    private static @Nullable PredictionInterval between(double change, double low, double error) {
        return new PredictionInterval(Scale.RELATIVE, change, low, 2 * change - low, error, 24);
    }
}
