package io.inferwatch.analytics.slo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.quantile.QuantileSketch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import org.apache.commons.statistics.distribution.NormalDistribution;
import org.junit.jupiter.api.Test;

class JointVerdictTest {
    private static final long SECOND = 1_000_000;
    private static final double BUCKET = 0.0037;
    private static final NormalDistribution NORMAL = NormalDistribution.of(0, 1);
    private static final LoadLimit LIMIT = LoadLimit.p99(Duration.ofMillis(200), 800);

    /** Every latency of the fixture by the second in which it ended, for the tests' own reckoning. */
    private final List<long[]> latenciesBySecond = new ArrayList<>();

    private final List<LoadPane> panes = new ArrayList<>();

    /** Five minutes each of 300, 800 and 1,200 requests a second, of which the slowest hundredth takes 86, 217 and 342 ms and more. */
    @Test
    void passesBreaksAndTripsLoadByLoad() {
        serve(300, 300, 86_000);
        serve(300, 800, 217_000);
        serve(300, 1_200, 342_000);
        JointVerdict verdict =
                JointVerdict.of(LIMIT, List.of(step(300, 0, 300), step(800, 300, 600), step(1_200, 600, 900)), panes);

        assertThat(verdict.steps())
                .extracting(StepVerdict::verdict)
                .containsExactly(LoadVerdict.PASS, LoadVerdict.BREACH, LoadVerdict.CIRCUIT_BREAKER);
        double[] published = {86_000, 217_000, 342_000};
        for (int i = 0; i < 3; i++) {
            StepVerdict row = verdict.steps().get(i);
            assertThat(row.worstMicros().orElseThrow()).isCloseTo(published[i], within(0.005 * published[i]));
            assertThat(row.micros().orElseThrow()).isCloseTo(published[i], within(0.005 * published[i]));
            assertThat(row.limits().orElseThrow().low()).isLessThan(published[i]);
            assertThat(row.limits().orElseThrow().high()).isGreaterThan(published[i]);
            assertThat(row.perSecond()).hasValue(row.step().perSecond());
            // 300 seconds less the first window, its end included.
            assertThat(row.readings()).hasSize(241);
            assertThat(row.exceededMicros()).isEqualTo(i == 0 ? 0 : 241 * SECOND);
            assertThat(row.longestMicros()).isEqualTo(row.exceededMicros());
        }
        assertThat(verdict.steps().get(1).excessMicros(LIMIT).orElseThrow()).isCloseTo(17_000, within(0.005 * 217_000));
        assertThat(verdict.passedPerSecond()).hasValue(300);
        assertThat(verdict.failedPerSecond()).hasValue(800);
        assertThat(verdict.recommendsCircuitBreaker()).isTrue();
    }

    @Test
    void everyReadingIsTheQuantileOfItsLastMinuteSeed7() {
        SplittableRandom random = new SplittableRandom(7);
        for (int second = 0; second < 100; second++) {
            serve(1, 20 + random.nextInt(30), 50_000 + random.nextInt(300_000));
        }
        StepVerdict row =
                JointVerdict.of(LIMIT, List.of(step(35, 0, 100)), panes).steps().get(0);
        assertThat(row.readings()).hasSize(41);
        for (int i = 0; i < 41; i++) {
            SlidingReading reading = row.readings().get(i);
            long[] sorted = sorted(i, i + 60);
            double exact = sorted[(int) Math.ceil(0.99 * sorted.length) - 1];
            assertThat(reading.endMicros()).isEqualTo((60 + i) * SECOND);
            assertThat(reading.n()).isEqualTo(sorted.length);
            assertThat(reading.micros().orElseThrow()).isCloseTo(exact, within(BUCKET * exact));
        }
    }

    /** The second step is slow from its first request on; no window of the first one may know. */
    @Test
    void noWindowMixesTwoLoads() {
        serve(90, 100, 86_000);
        serve(90, 900, 400_000);
        JointVerdict verdict = JointVerdict.of(LIMIT, List.of(step(100, 0, 90), step(900, 90, 180)), panes);
        assertThat(verdict.steps().get(0).verdict()).isEqualTo(LoadVerdict.PASS);
        assertThat(verdict.steps().get(1).readings().get(0).endMicros()).isEqualTo(150 * SECOND);
        assertThat(verdict.steps().get(1).exceededMicros()).isEqualTo(31 * SECOND);
    }

    /** A step that begins and ends within a second leaves that second out. */
    @Test
    void panesAcrossTheEdgeOfAStepBelongToNone() {
        serve(100, 100, 86_000);
        StepVerdict row = JointVerdict.of(LIMIT, List.of(new LoadStep(100, SECOND / 2, 70 * SECOND + 1)), panes)
                .steps()
                .get(0);
        assertThat(row.requests()).isEqualTo(69 * 100);
        assertThat(row.perSecond()).hasValue(100);
        assertThat(row.readings())
                .extracting(SlidingReading::endMicros)
                .startsWith(61 * SECOND)
                .endsWith(70 * SECOND);
    }

    /** A peak of ten seconds is a breach for as long as it is in the window, and no reason to turn requests away. */
    @Test
    void aPeakIsABreachForAsLongAsItIsSeen() {
        serve(100, 800, 100_000);
        serve(10, 800, 190_000);
        serve(10, 800, 1_000_000);
        serve(180, 800, 100_000);
        StepVerdict row = JointVerdict.of(LIMIT, List.of(step(800, 0, 300)), panes)
                .steps()
                .get(0);
        long exceeded = 0;
        for (int end = 60; end <= 300; end++) {
            long[] sorted = sorted(end - 60, end);
            exceeded += sorted[(int) Math.ceil(0.99 * sorted.length) - 1] > 200_000 ? 1 : 0;
        }
        assertThat(exceeded).isBetween(60L, 70L);
        assertThat(row.exceededMicros()).isEqualTo(exceeded * SECOND);
        assertThat(row.longestMicros()).isEqualTo(exceeded * SECOND);
    }

    @Test
    void theBreakerIsForWhatLasts() {
        LoadLimit patient = new LoadLimit(
                0.99, 200_000, 800, Duration.ofSeconds(10), Duration.ofSeconds(1), 1.5, Duration.ofSeconds(30));
        serve(60, 800, 290_000);
        serve(20, 800, 400_000);
        serve(60, 800, 290_000);
        // Readings above 300 ms: from the first slow second to nine seconds after the last one.
        StepVerdict row = JointVerdict.of(patient, List.of(step(800, 0, 140)), panes)
                .steps()
                .get(0);
        assertThat(row.verdict()).isEqualTo(LoadVerdict.BREACH);
        serve(60, 800, 400_000);
        assertThat(JointVerdict.of(patient, List.of(step(800, 0, 200)), panes)
                        .steps()
                        .get(0)
                        .verdict())
                .isEqualTo(LoadVerdict.CIRCUIT_BREAKER);
    }

    @Test
    void theLimitIsNotPromisedBelowItsLoad() {
        serve(100, 799, 217_000);
        JointVerdict verdict = JointVerdict.of(LIMIT, List.of(step(799, 0, 100)), panes);
        assertThat(verdict.steps().get(0).verdict()).isEqualTo(LoadVerdict.BELOW_LOAD);
        assertThat(verdict.passedPerSecond()).isEmpty();
        assertThat(verdict.failedPerSecond()).hasValue(799);
        assertThat(verdict.recommendsCircuitBreaker()).isFalse();
    }

    /** A load that passes above one that fails is luck, not room. */
    @Test
    void roomIsBelowTheLeastLoadThatFails() {
        serve(100, 300, 86_000);
        serve(100, 800, 217_000);
        serve(100, 900, 150_000);
        JointVerdict verdict =
                JointVerdict.of(LIMIT, List.of(step(300, 0, 100), step(800, 100, 200), step(900, 200, 300)), panes);
        assertThat(verdict.steps().get(2).verdict()).isEqualTo(LoadVerdict.PASS);
        assertThat(verdict.passedPerSecond()).hasValue(300);
    }

    /** Beside 6,000 that were answered 60, and then 61 fail: of so many P99 leaves out 60. */
    @Test
    void failedRequestsAreSlowerThanAnyOther() {
        serve(60, 100, 86_000);
        panes.set(0, failing(panes.get(0), 60));
        assertThat(JointVerdict.of(LIMIT, List.of(step(100, 0, 60)), panes)
                        .steps()
                        .get(0)
                        .micros()
                        .orElseThrow())
                .isFinite();
        panes.set(0, failing(panes.get(0), 61));
        StepVerdict row =
                JointVerdict.of(LIMIT, List.of(step(900, 0, 60)), panes).steps().get(0);
        assertThat(row.micros()).hasValue(Double.POSITIVE_INFINITY);
        assertThat(row.limits()).isEmpty();
        assertThat(row.failed()).isEqualTo(61);
        assertThat(row.verdict()).isEqualTo(LoadVerdict.BREACH);
    }

    @Test
    void tooFewRequestsOrTooShortAStepSayNothing() {
        serve(60, 6, 500_000);
        assertThat(JointVerdict.of(LIMIT, List.of(step(800, 0, 60)), panes)
                        .steps()
                        .get(0))
                .extracting(StepVerdict::verdict, StepVerdict::micros)
                .containsExactly(LoadVerdict.NOT_ESTIMABLE, OptionalDouble.empty());
        serve(59, 800, 500_000);
        StepVerdict shorter = JointVerdict.of(LIMIT, List.of(step(800, 60, 119)), panes)
                .steps()
                .get(0);
        assertThat(shorter.readings()).isEmpty();
        assertThat(shorter.verdict()).isEqualTo(LoadVerdict.NOT_ESTIMABLE);
        StepVerdict nothing = JointVerdict.of(LIMIT, List.of(new LoadStep(800, 1, 2)), panes)
                .steps()
                .get(0);
        assertThat(nothing.perSecond()).isEmpty();
        assertThat(nothing.requests()).isZero();
    }

    @Test
    void nonsenseIsRefused() {
        serve(2, 10, 86_000);
        panes.add(panes.get(0));
        assertThatThrownBy(() -> JointVerdict.of(LIMIT, List.of(), panes))
                .hasMessage("panes: must end at different multiples of PT1S, found one that ends at 1000000");
        assertThatThrownBy(() -> new LoadStep(0, 0, 1)).hasMessage("perSecond: must be above 0 and finite, found 0.0");
        assertThatThrownBy(() -> new LoadStep(1, 1, 1)).hasMessage("endMicros: must be after 1, found 1");
        assertThatThrownBy(() -> new LoadPane(1, -1, 0, new QuantileSketch()))
                .hasMessage("requests, failed: must be at least 0, found -1, 0");
        assertThatThrownBy(() -> LoadLimit.p99(Duration.ZERO, 1))
                .hasMessage("limitMicros: must be at least 1, found 0");
        assertThatThrownBy(() -> new LoadLimit(
                        0.99, 1, 1, Duration.ofMillis(2_500), Duration.ofSeconds(1), 1, Duration.ofSeconds(1)))
                .hasMessage("window: must be whole panes of PT1S, found PT2.5S");
    }

    private static LoadStep step(double perSecond, int fromSecond, int toSecond) {
        return new LoadStep(perSecond, fromSecond * SECOND, toSecond * SECOND);
    }

    private static LoadPane failing(LoadPane pane, long failed) {
        return new LoadPane(pane.endMicros(), pane.requests(), failed, pane.latenciesMicros());
    }

    /** Seconds in each of which latencies are those of a lognormal distribution at equal steps of probability, from another beginning each. */
    private void serve(int seconds, int perSecond, double p99Micros) {
        for (int second = 0; second < seconds; second++) {
            long[] latencies = new long[perSecond];
            double begin = (latenciesBySecond.size() + 1) * (Math.sqrt(5) - 1) / 2 % 1;
            QuantileSketch sketch = new QuantileSketch();
            for (int i = 0; i < perSecond; i++) {
                double z = NORMAL.inverseCumulativeProbability((i + begin) / perSecond);
                latencies[i] = Math.round(p99Micros * Math.exp(0.4 * (z - NORMAL.inverseCumulativeProbability(0.99))));
                sketch.add(latencies[i]);
            }
            latenciesBySecond.add(latencies);
            panes.add(new LoadPane(latenciesBySecond.size() * SECOND, perSecond, 0, sketch));
        }
    }

    private long[] sorted(int fromSecond, int toSecond) {
        return latenciesBySecond.subList(fromSecond, toSecond).stream()
                .flatMapToLong(Arrays::stream)
                .sorted()
                .toArray();
    }
}
