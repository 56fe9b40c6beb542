package io.inferwatch.analytics.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.drift.Comparison.Scale;
import io.inferwatch.analytics.drift.DriftRule.Direction;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class PredictionIntervalTest {
    private static final DriftRule RULE = DriftRule.SLOWER;
    private static final List<Double> HISTORY =
            List.of(5.0, 5.1, 4.9, 5.05, 4.95, 5.0, 5.02, 4.98, 5.01, 4.99, 5.03, 4.97);

    /** Worked out apart: mean 5, s 0.0502722, s sqrt(1 + 1/12) = 0.0523247, t(11, 0.99) = 2.718079. */
    @Test
    void placesAWindowAmongPastOnes() {
        PredictionInterval interval =
                PastWindows.of(Scale.RELATIVE, HISTORY, RULE).orElseThrow().place(5.3);
        assertThat(interval.standardError()).isCloseTo(0.052324743552919294, within(1e-12));
        assertThat(interval.change()).isCloseTo(0.34985880757600285, within(1e-9));
        assertThat(interval.low()).isCloseTo(0.1709052923369576, within(1e-9));
        assertThat(interval.high()).isCloseTo(0.5561624089629169, within(1e-9));
        assertThat(interval.windows()).isEqualTo(12);
        assertThat(interval.shows(RULE)).isTrue();
        assertThat(interval.shows(RULE.withWorse(Direction.DOWN))).isFalse();
    }

    @Test
    void sharesAreDifferences() {
        PredictionInterval interval =
                PastWindows.of(Scale.POINTS, HISTORY, RULE).orElseThrow().place(5.3);
        assertThat(interval.change()).isCloseTo(0.3, within(1e-9));
        assertThat(interval.low()).isCloseTo(0.1577772037504113, within(1e-9));
        assertThat(interval.high()).isCloseTo(0.4422227962495884, within(1e-9));
    }

    @Test
    void aChangeWithinTheUsualDifferenceShowsNothing() {
        // 0.14 is less than the reach of 0.1422, 0.145 is more.
        assertThat(shows(5.14, RULE)).isFalse();
        assertThat(shows(5.145, RULE)).isTrue();
        assertThat(shows(4.86, RULE.withWorse(Direction.DOWN))).isFalse();
        assertThat(shows(4.855, RULE.withWorse(Direction.DOWN))).isTrue();
        assertThat(shows(4.5, RULE)).isFalse();
    }

    @Test
    void aChangeBelowTheThresholdShowsNothingHoweverUnusual() {
        List<Double> alike = Collections.nCopies(12, 5.0);
        double threshold = Math.log(1.03);
        assertThat(PastWindows.of(Scale.RELATIVE, alike, RULE)
                        .orElseThrow()
                        .place(5 + threshold)
                        .shows(RULE))
                .isTrue();
        assertThat(PastWindows.of(Scale.RELATIVE, alike, RULE)
                        .orElseThrow()
                        .place(5 + 0.99 * threshold)
                        .shows(RULE))
                .isFalse();
    }

    @Test
    void fewerWindowsThanTheRuleAsksForSayNothing() {
        assertThat(PastWindows.of(Scale.RELATIVE, HISTORY.subList(0, 11), RULE)).isEmpty();
        assertThat(PastWindows.of(Scale.RELATIVE, HISTORY.subList(0, 11), RULE.withMinWindows(11)))
                .isPresent();
        assertThat(PastWindows.of(Scale.RELATIVE, List.of(5.0), RULE.withMinWindows(0)))
                .isEmpty();
    }

    private static boolean shows(double current, DriftRule rule) {
        return PastWindows.of(Scale.RELATIVE, HISTORY, rule)
                .orElseThrow()
                .place(current)
                .shows(rule);
    }
}
