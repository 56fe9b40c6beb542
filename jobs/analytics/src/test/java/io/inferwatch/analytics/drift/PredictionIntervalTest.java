package io.inferwatch.analytics.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.drift.Comparison.Scale;
import io.inferwatch.analytics.drift.DriftRule.Direction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class PredictionIntervalTest {
    private static final DriftRule RULE = DriftRule.SLOWER;
    private static final List<Double> HISTORY =
            List.of(5.0, 5.1, 4.9, 5.05, 4.95, 5.0, 5.02, 4.98, 5.01, 4.99, 5.03, 4.97);

    /** Worked out apart: mean 5, s 0.0502720, s sqrt(1 + 1/12) = 0.0523247, t(11, 0.99) = 2.718079. */
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

    /** Of four the mean varies by s sqrt(1/4 + 1/12) = s sqrt(1/3); these past windows go up and down, so that none resembles its neighbour. */
    @Test
    void theMeanOfSeveralWindowsIsPlacedMoreNarrowly() {
        PredictionInterval four =
                PastWindows.of(Scale.POINTS, HISTORY, RULE).orElseThrow().place(5.3, 4);
        assertThat(four.change()).isCloseTo(0.3, within(1e-9));
        assertThat(four.standardError()).isCloseTo(0.052324743552919294 * Math.sqrt(12 / 13.0 / 3), within(1e-12));
        assertThat(four.low()).isCloseTo(0.3 - 2.718079 * 0.050272 / Math.sqrt(3), within(1e-6));
    }

    /**
     * Twenty windows, ten at 0 and ten at 2: mean 1, s = sqrt(20/19), r = (18 - 1) / 20 = 0.85 and d = 1.85 / 0.15 = 37/3, so that four in
     * a row vary like one, s sqrt(1 + 37/60), and there are 60/37 - 1 < 1 degrees of freedom, taken for 1: t(1, 0.99) = 31.820516.
     */
    @Test
    void windowsThatResembleTheirNeighboursTellLess() {
        List<Double> steps = new ArrayList<>(Collections.nCopies(10, 0.0));
        steps.addAll(Collections.nCopies(10, 2.0));
        PastWindows past = PastWindows.of(Scale.POINTS, steps, RULE).orElseThrow();
        assertThat(past.dependence()).isCloseTo(37.0 / 3, within(1e-9));
        PredictionInterval four = past.place(3, 4);
        assertThat(four.standardError()).isCloseTo(Math.sqrt(20.0 / 19 * (1 + 37.0 / 60)), within(1e-9));
        assertThat(four.low()).isCloseTo(2 - 31.820516 * Math.sqrt(20.0 / 19 * (1 + 37.0 / 60)), within(1e-5));
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
