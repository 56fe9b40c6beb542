package io.inferwatch.analytics.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.Latencies;
import io.inferwatch.analytics.drift.Comparison.Measured;
import io.inferwatch.analytics.drift.QuantileDrift.Baseline;
import io.inferwatch.analytics.drift.QuantileDrift.United;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class QuantileDriftTest {
    private static final QuantileDrift P99 = new QuantileDrift(0.99, 1, DriftRule.SLOWER);

    private final SplittableRandom random = new SplittableRandom(11);

    @Test
    void aBaselinePoolsAllWindowsAndMeasuresThoseThatCanBe() {
        QuantileSketch zeros = new QuantileSketch();
        zeros.add(0, 1_000);
        List<QuantileSketch> windows = List.of(window(5_000, 1), window(367, 1), zeros, window(368, 1));
        Baseline baseline = P99.baseline(windows);
        assertThat(baseline.pooled().counted()).isEqualTo(6_735);
        assertThat(baseline.past()).isNull();
        QuantileDrift two = new QuantileDrift(0.99, 1, DriftRule.SLOWER.withMinWindows(2));
        double first = Math.log(windows.get(0).quantile(0.99));
        double last = Math.log(windows.get(3).quantile(0.99));
        PastWindows past = two.baseline(windows).past();
        assertThat(past).isNotNull();
        assertThat(past.windows()).isEqualTo(2);
        assertThat(past.mean()).isCloseTo((first + last) / 2, within(1e-12));
        // s = |difference| / sqrt(2), times sqrt(1 + 1/2)
        assertThat(past.deviation()).isCloseTo(Math.abs(first - last) * Math.sqrt(0.5), within(1e-12));
    }

    @Test
    void theFourVerdicts() {
        Baseline baseline = baseline(100_000);
        assertThat(P99.of(baseline, window(100_000, 1.5)).verdict()).isEqualTo(Verdict.DRIFT);
        assertThat(P99.of(baseline, window(5_000, 1)).verdict()).isEqualTo(Verdict.INCONCLUSIVE);
        assertThat(P99.of(baseline, window(367, 3)).verdict()).isEqualTo(Verdict.NOT_ESTIMABLE);
        assertThat(P99.of(baseline(1_000_000), window(1_000_000, 1)).verdict()).isEqualTo(Verdict.NO_DRIFT);
    }

    @Test
    void correlatedRequestsProveLess() {
        Baseline baseline = baseline(20_000);
        QuantileSketch window = window(5_000, 1.3);
        Measured independent = (Measured) P99.of(baseline, window).comparison();
        QuantileDrift inTens = new QuantileDrift(0.99, 10, DriftRule.SLOWER);
        Finding correlated = inTens.of(inTens.baseline(windows(20_000)), window);
        assertThat(((Measured) correlated.comparison()).p()).isGreaterThan(10 * independent.p());
        assertThat(((Measured) correlated.comparison()).currentN()).isEqualTo(5_000);
    }

    @Test
    void windowsAreUnitedUntilSomethingCanBeSaid() {
        Baseline baseline = baseline(20_000);
        List<QuantileSketch> windows = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            windows.add(window(100, 2));
        }
        United united = P99.ofUnited(baseline, windows);
        assertThat(united.finding().verdict()).isEqualTo(Verdict.DRIFT);
        // 100 and 200 values are too few; the look at 400 is the first, which takes half of alpha.
        assertThat(united.windows()).isEqualTo(4);
        Measured measured = (Measured) united.finding().comparison();
        Measured alone = (Measured) P99.of(baseline, union(windows, 4)).comparison();
        assertThat(measured.currentN()).isEqualTo(400);
        assertThat(measured.p()).isCloseTo(2 * alone.p(), within(1e-15));
        assertThat(measured.change()).isEqualTo(alone.change());
    }

    @Test
    void everyLookHasHalfTheChanceOfThatBeforeIt() {
        Baseline baseline = baseline(20_000);
        List<QuantileSketch> windows = new ArrayList<>();
        for (int i = 0; i < 11; i++) {
            windows.add(window(400, 1.05));
        }
        United united = P99.ofUnited(baseline, windows);
        assertThat(united.finding().verdict()).isEqualTo(Verdict.INCONCLUSIVE);
        // 1, 2, 4, 8 and all eleven: the fifth look.
        assertThat(united.windows()).isEqualTo(11);
        Measured alone = (Measured) P99.of(baseline, union(windows, 11)).comparison();
        assertThat(alone.p()).isBetween(0.001, 1.0);
        assertThat(((Measured) united.finding().comparison()).p())
                .isCloseTo(Math.min(1, 32 * alone.p()), within(1e-12));
    }

    @Test
    void aVerdictOnTheLatestWindowNeedsNoOther() {
        List<QuantileSketch> windows = List.of(window(50_000, 1), window(50_000, 1), window(50_000, 1.5));
        United united = P99.ofUnited(baseline(50_000), windows);
        assertThat(united.windows()).isEqualTo(1);
        assertThat(united.finding().verdict()).isEqualTo(Verdict.DRIFT);
    }

    @Test
    void windowsBeforeAnAbruptChangeOfTrafficAreLeftOut() {
        List<QuantileSketch> windows = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            windows.add(window(400, 1));
        }
        for (int i = 0; i < 3; i++) {
            windows.add(window(1_000, 1));
        }
        United united = P99.ofUnited(baseline(20_000), windows);
        assertThat(united.windows()).isEqualTo(3);
        assertThat(united.finding().comparison().currentN()).isEqualTo(3_000);
    }

    @Test
    void tooFewValuesInAllWindowsAreNotEstimable() {
        United united = P99.ofUnited(baseline(20_000), List.of(window(100, 1), window(100, 1), window(100, 1)));
        assertThat(united.finding().verdict()).isEqualTo(Verdict.NOT_ESTIMABLE);
        assertThat(united.windows()).isEqualTo(3);
        assertThat(united.finding().comparison().currentN()).isEqualTo(300);
        assertThatThrownBy(() -> P99.ofUnited(baseline(20_000), List.of()))
                .hasMessage("windows: must be at least one, found none");
    }

    private Baseline baseline(int n) {
        return P99.baseline(windows(n));
    }

    private List<QuantileSketch> windows(int n) {
        List<QuantileSketch> windows = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            windows.add(window(n, 1));
        }
        return windows;
    }

    private QuantileSketch window(int n, double factor) {
        return Latencies.LOGNORMAL.tailOf(n, factor, random);
    }

    private static QuantileSketch union(List<QuantileSketch> windows, int last) {
        QuantileSketch union = new QuantileSketch();
        windows.subList(windows.size() - last, windows.size()).forEach(union::merge);
        return union;
    }
}
