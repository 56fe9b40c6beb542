package io.inferwatch.analytics.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.drift.Comparison.Measured;
import io.inferwatch.analytics.drift.Comparison.NotEstimable;
import io.inferwatch.analytics.drift.DriftRule.Direction;
import io.inferwatch.analytics.drift.RateComparison.Rate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RateComparisonTest {
    private static final DriftRule RULE = DriftRule.SLOWER;

    /** The example of R's poisson.test: 11 events in 800 against 21 in 3011, ratio 1.971488, limits 0.8584264 and 4.2772659. */
    @Test
    void limitsAreThePublishedOnes() {
        Measured measured = (Measured) RateComparison.of(new Rate(21, 3_011), new Rate(11, 800), 1, RULE);
        assertThat(1 + measured.change()).isCloseTo(1.971488, within(1e-6));
        assertThat(1 + measured.low()).isCloseTo(0.8584264, within(1e-6));
        assertThat(1 + measured.high()).isCloseTo(4.2772659, within(1e-6));
        assertThat(measured.baselineN()).isEqualTo(21);
        assertThat(measured.currentN()).isEqualTo(11);
    }

    /** Computed by SciPy 1.17, binomtest(current, both, r t / (r t + t'), alternative='greater'). */
    @ParameterizedTest
    @CsvSource({
        "100, 60, 150, 60, 0.0020205011549090735, 0.9997387422269759",
        "21, 3011, 11, 800, 0.06472106336160804, 0.9797938395878149",
        "1000, 3600, 30, 60, 0.0034353524285885913, 0.9992457903219344"
    })
    void pIsThatOfTheBinomialTest(
            long before, double beforeSeconds, long now, double nowSeconds, double up, double down) {
        Rate baseline = new Rate(before, beforeSeconds);
        Rate current = new Rate(now, nowSeconds);
        assertThat(((Measured) RateComparison.of(baseline, current, 1, RULE)).p())
                .isCloseTo(up, within(up * 1e-9));
        assertThat(((Measured) RateComparison.of(baseline, current, 1, RULE.withWorse(Direction.DOWN))).p())
                .isCloseTo(down, within(1e-9));
    }

    @Test
    void eventsInFoursCountForAQuarter() {
        Measured single = (Measured) RateComparison.of(new Rate(100, 60), new Rate(150, 60), 1, RULE);
        Measured inFours = (Measured) RateComparison.of(new Rate(400, 60), new Rate(600, 60), 4, RULE);
        assertThat(inFours.p()).isCloseTo(single.p(), within(1e-12));
        assertThat(inFours.low()).isCloseTo(single.low(), within(1e-12));
        assertThat(inFours.standardError()).isEqualTo(single.standardError());
        assertThat(RateComparison.of(new Rate(100, 60), new Rate(150, 60), 0.2, RULE))
                .isEqualTo(single);
    }

    @Test
    void noEventsAreARateButNoBaseline() {
        Measured none = (Measured) RateComparison.of(new Rate(10, 60), new Rate(0, 60), 1, RULE);
        assertThat(none.change()).isEqualTo(-1);
        assertThat(none.low()).isEqualTo(-1);
        assertThat(none.p()).isEqualTo(1);
        assertThat(none.standardError()).isFinite();
        // Of ten events none is current, with a chance of 1/2.03 each when the rate is 1/1.03 of the baseline's.
        assertThat(((Measured) RateComparison.of(new Rate(10, 60), new Rate(0, 60), 1, RULE.withWorse(Direction.DOWN)))
                        .p())
                .isCloseTo(Math.pow(1.03 / 2.03, 10), within(1e-12));
        assertThat(RateComparison.of(new Rate(0, 60), new Rate(10, 60), 1, RULE))
                .isEqualTo(new NotEstimable(0, 10));
        assertThatThrownBy(() -> new Rate(1, 0))
                .hasMessage("events, exposure: must be at least 0 and above 0, found 1 and 0.0");
    }
}
