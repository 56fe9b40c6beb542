package io.inferwatch.analytics.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.change.ReleaseGate.Reading;
import io.inferwatch.analytics.change.ReleaseGate.Verdict;
import io.inferwatch.analytics.drift.Comparison;
import io.inferwatch.analytics.drift.DriftRule.Direction;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Lognormal latencies with sigma 0.8. */
class ReleaseGateTest {
    private static void add(QuantileSketch sketch, int n, SplittableRandom random, double factor) {
        for (int i = 0; i < n; i++) {
            sketch.add(Math.round(200_000 * factor * Math.exp(0.8 * random.nextGaussian())));
        }
    }

    private static QuantileSketch sketch(int n, int seed, double factor) {
        QuantileSketch sketch = new QuantileSketch();
        add(sketch, n, new SplittableRandom(seed), factor);
        return sketch;
    }

    private static Reading look(ReleaseGate gate, QuantileSketch baseline, QuantileSketch candidate) {
        return gate.look(Map.of("", baseline), Map.of("", candidate), 1);
    }

    @Test
    void whatIsMuchWorseIsRegressedAtOnceSeeds1And2() {
        Reading reading = look(new ReleaseGate(GateRule.SLOWER), sketch(60_000, 1, 1), sketch(60_000, 2, 1.2));
        assertThat(reading.verdict()).isEqualTo(Verdict.REGRESSED);
        assertThat(reading.looks()).isEqualTo(1);
    }

    @Test
    void whatIsAlikePassesWithEnoughRequestsSeeds1And2() {
        assertThat(look(new ReleaseGate(GateRule.SLOWER), sketch(5_000, 1, 1), sketch(5_000, 2, 1))
                        .verdict())
                .isEqualTo(Verdict.INCONCLUSIVE);
        assertThat(look(new ReleaseGate(GateRule.SLOWER), sketch(1_000_000, 1, 1), sketch(1_000_000, 2, 1))
                        .verdict())
                .isEqualTo(Verdict.PASS);
    }

    @Test
    void throughputGetsWorseDownwardsSeeds1And2() {
        GateRule lower = new GateRule(0.5, 0.03, 0.01, 0.05, 1.5, 24, Direction.DOWN);
        assertThat(look(new ReleaseGate(lower), sketch(20_000, 1, 1), sketch(20_000, 2, 0.9))
                        .verdict())
                .isEqualTo(Verdict.REGRESSED);
        assertThat(look(new ReleaseGate(lower), sketch(20_000, 1, 1), sketch(20_000, 2, 1.1))
                        .verdict())
                .isEqualTo(Verdict.PASS);
    }

    /** Only a look with half as many requests again counts, however often one asks; the state survives. */
    @Test
    void askingOftenChangesNothingSeeds3And4() {
        ReleaseGate gate = new ReleaseGate(GateRule.SLOWER);
        SplittableRandom base = new SplittableRandom(3);
        SplittableRandom candidate = new SplittableRandom(4);
        QuantileSketch baseline = new QuantileSketch();
        QuantileSketch current = new QuantileSketch();
        int looks = 0;
        for (int minute = 1; minute <= 12; minute++) {
            add(baseline, 500, base, 1);
            add(current, 500, candidate, 1);
            look(gate, baseline, current);
            gate = ReleaseGate.ofBytes(gate.toBytes(), GateRule.SLOWER);
            looks = look(gate, baseline, current).looks();
        }
        // At 1, 2, 3, 5, 8 and 12 times 500 requests.
        assertThat(looks).isEqualTo(6);
    }

    @Test
    void theFirstVerdictStaysSeeds1To3() {
        ReleaseGate gate = new ReleaseGate(GateRule.SLOWER);
        QuantileSketch baseline = sketch(60_000, 1, 1);
        assertThat(look(gate, baseline, sketch(60_000, 2, 1.2)).verdict()).isEqualTo(Verdict.REGRESSED);
        QuantileSketch more = sketch(1_000_000, 3, 1);
        assertThat(look(gate, more, more).verdict()).isEqualTo(Verdict.REGRESSED);
    }

    /** More of the long prompts in the candidate's arm: every request is as before. */
    @Test
    void longerPromptsAreNoRegressionSeeds1To4() {
        Map<String, QuantileSketch> baseline = Map.of("short", sketch(90_000, 1, 1), "long", sketch(10_000, 2, 4));
        Map<String, QuantileSketch> candidate = Map.of("short", sketch(50_000, 3, 1), "long", sketch(50_000, 4, 4));
        assertThat(new ReleaseGate(GateRule.SLOWER).look(baseline, candidate, 1).verdict())
                .isNotEqualTo(Verdict.REGRESSED);
        QuantileSketch all = new QuantileSketch();
        baseline.values().forEach(all::merge);
        QuantileSketch allOfCandidate = new QuantileSketch();
        candidate.values().forEach(allOfCandidate::merge);
        assertThat(look(new ReleaseGate(GateRule.SLOWER), all, allOfCandidate).verdict())
                .isEqualTo(Verdict.REGRESSED);
    }

    @Test
    void whereTooLittleIsAlikeNothingIsSaidSeeds1And2() {
        Reading reading = new ReleaseGate(GateRule.SLOWER)
                .look(Map.of("a", sketch(60_000, 1, 1)), Map.of("b", sketch(60_000, 2, 2)), 1);
        assertThat(reading.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
        assertThat(reading.comparison()).isInstanceOf(Comparison.NotEstimable.class);
        assertThat(reading.minimumDetectableEffect()).isEmpty();
        assertThat(reading.looks()).isZero();
    }

    /**
     * The published standard error of ln P99 is 0.8 * 3.733 / sqrt(n) for each arm. With it, 1.0074 * exp((3.339 + 0.842) SE) - 1; 3.339 is the normal quantile at 1 - 0.01 / 24, from SciPy 1.10. The error of
     * the limits of one sample is itself within a fifth.
     */
    @Test
    void tellsWhatItCouldHaveSeenSeeds1And2() {
        Reading reading = look(new ReleaseGate(GateRule.SLOWER), sketch(60_000, 1, 1), sketch(60_000, 2, 1));
        double error = 0.8 * 3.733 * Math.sqrt(2.0 / 60_000);
        double expected = 1.0074 * Math.exp((3.339 + 0.842) * error) - 1;
        assertThat(reading.minimumDetectableEffect().orElseThrow()).isCloseTo(expected, within(0.2 * expected));
    }

    @Test
    void ruleAndBytesAreChecked() {
        assertThatThrownBy(() -> GateRule.SLOWER.withMaxRegression(0.001))
                .hasMessageStartingWith("maxRegression: must be above 0.0074")
                .hasMessageEndingWith("found 0.001");
        byte[] bytes = new ReleaseGate(GateRule.SLOWER).toBytes();
        bytes[0] = 9;
        assertThatThrownBy(() -> ReleaseGate.ofBytes(bytes, GateRule.SLOWER))
                .hasMessage("state: must be of version 1, found 9");
    }
}
