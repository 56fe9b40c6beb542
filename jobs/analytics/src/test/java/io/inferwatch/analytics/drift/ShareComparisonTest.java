package io.inferwatch.analytics.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.drift.Comparison.Measured;
import io.inferwatch.analytics.drift.Comparison.NotEstimable;
import io.inferwatch.analytics.drift.DriftRule.Direction;
import io.inferwatch.analytics.drift.ShareComparison.Share;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShareComparisonTest {
    private static final DriftRule RULE = DriftRule.SLOWER.withThreshold(0.01);

    /** The examples of Newcombe 1998 (Statistics in Medicine 17, 873-890), method 10. */
    @ParameterizedTest
    @CsvSource({
        "56, 70, 48, 80, 0.0524, 0.3339",
        "9, 10, 3, 10, 0.1705, 0.8090",
        "6, 7, 2, 7, 0.0582, 0.8062",
        "5, 56, 0, 29, -0.0381, 0.1926",
        "0, 10, 0, 20, -0.1611, 0.2775",
        "0, 10, 0, 10, -0.2775, 0.2775",
        "10, 10, 0, 20, 0.6791, 1.0000",
        "10, 10, 0, 10, 0.6075, 1.0000"
    })
    void limitsAreThePublishedOnes(
            long hits, long trials, long baselineHits, long baselineTrials, double low, double high) {
        Share now = new Share(hits, trials);
        Share before = new Share(baselineHits, baselineTrials);
        Measured measured = (Measured) ShareComparison.of(before, now, RULE);
        assertThat(measured.low()).isCloseTo(low, within(0.00005));
        assertThat(measured.high()).isCloseTo(high, within(0.00005));
        assertThat(measured.change())
                .isCloseTo((double) hits / trials - (double) baselineHits / baselineTrials, within(1e-12));
        assertThat(measured.standardError()).isCloseTo((high - low) / (2 * 1.959964), within(0.00003));
        assertThat(measured.baselineN()).isEqualTo(baselineTrials);
        assertThat(measured.currentN()).isEqualTo(trials);
        // Seen from the other side.
        Measured mirrored = (Measured) ShareComparison.of(now, before, RULE);
        assertThat(mirrored.low()).isCloseTo(-high, within(0.00005));
        assertThat(mirrored.high()).isCloseTo(-low, within(0.00005));
    }

    /** The lower limit of 56/70 against 48/80 at 95 % is 0.0524: with that as threshold p is half of 5 %. */
    @Test
    void pIsTheLevelAtWhichTheLimitTouchesTheThreshold() {
        Share now = new Share(56, 70);
        Share before = new Share(48, 80);
        assertThat(((Measured) ShareComparison.of(before, now, RULE.withThreshold(0.0524))).p())
                .isCloseTo(0.025, within(0.0001));
        assertThat(((Measured) ShareComparison.of(before, now, RULE.withThreshold(0.2))).p())
                .isCloseTo(0.5, within(1e-9));
        assertThat(((Measured) ShareComparison.of(before, now, RULE.withThreshold(0.3339))).p())
                .isCloseTo(0.975, within(0.0001));
        assertThat(((Measured) ShareComparison.of(
                                now, before, RULE.withThreshold(0.0524).withWorse(Direction.DOWN)))
                        .p())
                .isCloseTo(0.025, within(0.0001));
    }

    @Test
    void sharesWithoutTrialsAreNotEstimable() {
        assertThat(ShareComparison.of(new Share(0, 0), new Share(3, 4), RULE)).isEqualTo(new NotEstimable(0, 4));
        assertThat(ShareComparison.of(new Share(3, 4), new Share(0, 0), RULE)).isEqualTo(new NotEstimable(4, 0));
        assertThatThrownBy(() -> new Share(5, 4)).hasMessage("hits: must be from 0 to the 4 trials, found 5");
        assertThatThrownBy(() -> new Share(-1, 4)).hasMessage("hits: must be from 0 to the 4 trials, found -1");
    }
}
