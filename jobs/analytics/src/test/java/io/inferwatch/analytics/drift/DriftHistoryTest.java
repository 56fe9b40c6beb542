package io.inferwatch.analytics.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.Latencies;
import io.inferwatch.analytics.drift.Comparison.Measured;
import io.inferwatch.analytics.drift.DriftHistory.Step;
import io.inferwatch.analytics.drift.Sample.Values;
import io.inferwatch.analytics.quantile.EffectiveSample;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The rules of {@link DriftHistory}, each by what it makes of windows; how often it is wrong is {@link DriftHistoryRatesTest}'s. */
class DriftHistoryTest {
    private static final Statistic P99 = new Statistic.Quantile(0.99);
    private static final DriftRule RULE = DriftRule.SLOWER;
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final SplittableRandom random = new SplittableRandom(2);
    private Duration length = MINUTE;
    private DriftHistory history = new DriftHistory(MINUTE);
    private long endMicros;

    /** 368 values are the least for limits of P99 at 95 %: 1 - 0.99^368 exceeds 0.975, 1 - 0.99^367 does not. */
    @Test
    void windowsAreGatheredUntilTheyHoldEnoughValuesSeed2() {
        assertThat(unitsOf(368, 1)).containsExactly(1, 1, 1, 1);
        assertThat(unitsOf(367, 2)).containsExactly(2, 2, 2, 2);
        assertThat(unitsOf(92, 4)).containsExactly(4, 4, 4, 4);
        assertThat(unitsOf(91, 5)).containsExactly(5, 5, 5, 5);
    }

    /** Windows that the verdicts of four units are on, the first unit having nothing to be compared with. */
    private List<Integer> unitsOf(int n, int windows) {
        history = new DriftHistory(MINUTE);
        List<Integer> judged = new ArrayList<>();
        for (int i = 0; i < 5 * windows; i++) {
            next(n, 1).judged().ifPresent(verdict -> {
                assertThat(verdict.raw().comparison().currentN()).isEqualTo((long) n * windows);
                judged.add(verdict.windows());
            });
        }
        return judged;
    }

    @Test
    void sixteenWindowsWithTooFewValuesAreNotEstimableAndJoinTheValuesAloneSeed2() {
        for (int i = 1; i < 16; i++) {
            assertThat(next(22, 1).settled().isEmpty()).isTrue();
        }
        Step first = next(22, 1);
        assertThat(first.judged()).isEmpty();
        assertThat(first.settled().windows()).isZero();
        assertThat(first.settled().sample().n()).isEqualTo(352);
        skip(15, 22);
        Judged judged = next(22, 1).judged().orElseThrow();
        assertThat(judged.raw().verdict()).isEqualTo(Verdict.NOT_ESTIMABLE);
        assertThat(judged.windows()).isEqualTo(16);
        assertThat(judged.baseline().n()).isEqualTo(352);
    }

    /** The first twelve units by themselves; then the last of 1, 2, 4, 8 and 16, as binary counting carries. */
    @Test
    void unitsAreLookedAtInAlignedGroupsWithHalfTheChanceEachSeed2() {
        QuantileSketch pool = new QuantileSketch();
        for (int i = 0; i < 12; i++) {
            Values window = window(1_000, usual(i));
            pool.merge(window.total());
            Step step = observe(window);
            assertThat(step.settled().sample().n()).isEqualTo(1_000);
            step.judged().ifPresent(judged -> assertThat(judged.units()).isEqualTo(1));
        }
        int[] sizes = {1, 2, 1, 4, 1, 2, 1, 8, 1, 2, 1, 4, 1, 2, 1, 16, 1, 2};
        List<QuantileSketch> since = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            Values window = window(1_000, 1.03 * usual(i));
            since.add(window.total());
            Step step = observe(window);
            Judged judged = step.judged().orElseThrow();
            assertThat(judged.units()).as("unit %d", i).isEqualTo(sizes[i]);
            QuantileSketch union = new QuantileSketch();
            since.subList(since.size() - sizes[i], since.size()).forEach(union::merge);
            Measured alone = (Measured) QuantileComparison.of(
                    EffectiveSample.of(pool), EffectiveSample.of(union), 0.99, RULE.withMinWindows(0));
            Measured measured = (Measured) judged.raw().comparison();
            assertThat(measured.change()).isEqualTo(alone.change());
            // Looks 1 to 5: p times 2, 4, 8, 16, 32.
            assertThat(measured.p()).isCloseTo(Math.min(1, 2 * sizes[i] * alone.p()), within(1e-12));
            assertThat(step.settled().windows()).isEqualTo(sizes[i] == 16 ? 16 : 0);
        }
        assertThat(next(1_000, 1).judged().orElseThrow().units()).isEqualTo(sizes[16]);
        assertThat(next(1_000, 1).judged().orElseThrow().units()).isEqualTo(sizes[17]);
    }

    /** A unit of which it can be said that it is not slower ends its looks; the groups stay aligned. */
    @Test
    void nothingMoreIsAskedWhenItIsNotSlowerSeed2() {
        for (int i = 0; i < 12; i++) {
            next(400_000, 1);
        }
        for (int i = 0; i < 5; i++) {
            Judged judged = next(400_000, 1).judged().orElseThrow();
            assertThat(judged.raw().verdict()).isEqualTo(Verdict.NO_DRIFT);
            assertThat(judged.units()).isEqualTo(1);
        }
    }

    /** 12 units one by one; then sixteens: 28 and 44; from 30 on a generation is full, and what was before the younger one goes. */
    @Test
    void theBaselineIsTheLastGenerationOrTwoSeed2() {
        List<Long> sizes = new ArrayList<>();
        for (int i = 0; i < 12 + 8 * 16 + 1; i++) {
            Step step = next(1_000, usual(i));
            if (i >= 12 && (i - 12) % 16 == 0) {
                sizes.add(step.judged().orElseThrow().baseline().n() / 1_000);
            }
        }
        assertThat(sizes).containsExactly(12L, 28L, 44L, 60L, 32L, 48L, 32L, 48L, 32L);
        assertThat(sizes).allMatch(size -> size <= DriftHistory.MOST);
    }

    @Test
    void driftStaysOutOfTheBaselineSeed2() {
        skip(12 + 16, 5_000);
        for (int i = 0; i < 40; i++) {
            Step step = next(5_000, 2 * usual(i));
            Judged judged = step.judged().orElseThrow();
            assertThat(judged.raw().verdict()).isEqualTo(Verdict.DRIFT);
            assertThat(judged.baseline().n()).isEqualTo(28 * 5_000);
            assertThat(step.settled().isEmpty()).isTrue();
        }
        // Over after three units; only those that come when it is over are baseline again.
        for (int i = 0; i < 16; i++) {
            assertThat(next(5_000, usual(i)).judged().orElseThrow().raw().verdict())
                    .isNotEqualTo(Verdict.DRIFT);
        }
        assertThat(next(5_000, 1).judged().orElseThrow().baseline().n()).isEqualTo(44 * 5_000);
    }

    @Test
    void anHourOfDriftBecomesTheBaselineSeed2() {
        skip(12 + 16 + 2, 5_000);
        long sinceMicros = endMicros;
        for (int i = 1; i < 60; i++) {
            assertThat(next(5_000, 2 * usual(i)).rebased()).as("minute %d", i).isFalse();
        }
        assertThat(history.regimeStartMicros()).isEqualTo(Long.MIN_VALUE);
        Step step = next(5_000, 2);
        assertThat(step.rebased()).isTrue();
        assertThat(step.settled().isEmpty()).isTrue();
        assertThat(history.regimeStartMicros()).isEqualTo(sinceMicros);
        for (int i = 0; i < 10; i++) {
            Judged quiet = next(5_000, 2 * usual(i)).judged().orElseThrow();
            assertThat(quiet.raw().verdict()).isNotEqualTo(Verdict.DRIFT);
            assertThat(quiet.baseline().n()).isEqualTo(60 * 5_000);
        }
        assertThat(next(5_000, 4).judged().orElseThrow().raw().verdict()).isEqualTo(Verdict.DRIFT);
    }

    /** Of windows of an hour, twelve are needed until the new baseline could judge. */
    @Test
    void aNewBaselineHasEnoughUnitsToJudgeBySeed2() {
        length = Duration.ofHours(1);
        history = new DriftHistory(length);
        skip(12, 5_000);
        for (int i = 1; i < 12; i++) {
            assertThat(next(5_000, 2 * usual(i)).rebased()).as("hour %d", i).isFalse();
        }
        assertThat(next(5_000, 2).rebased()).isTrue();
        Judged next = next(5_000, 4).judged().orElseThrow();
        assertThat(next.raw().between()).isNotNull();
        assertThat(next.raw().verdict()).isEqualTo(Verdict.DRIFT);
    }

    /** One bad minute is told once: neither groups nor the baseline hold it afterwards. */
    @Test
    void whatHasShownDriftDoesNotShowItAgainSeed2() {
        skip(12 + 5, 1_000);
        Judged bad = next(1_000, 4).judged().orElseThrow();
        assertThat(bad.raw().verdict()).isEqualTo(Verdict.DRIFT);
        assertThat(bad.units()).isEqualTo(1);
        for (int i = 0; i < 16; i++) {
            Judged judged = next(1_000, usual(i)).judged().orElseThrow();
            assertThat(judged.raw().verdict()).as("unit %d", i).isNotEqualTo(Verdict.DRIFT);
            // What was grouped before the bad minute has joined the baseline.
            assertThat(judged.baseline().n()).isEqualTo(17_000);
        }
        assertThat(next(1_000, 1).judged().orElseThrow().baseline().n()).isEqualTo(33_000);
    }

    /** Twelve minutes to learn and two to group, which without a burst would be united with those that come. */
    @Test
    void aBurstIsNotUnitedWithWhatWasBeforeItSeed2() {
        skip(12 + 2, 1_000);
        assertThat(next(5_000, 1).judged().orElseThrow().units()).isEqualTo(1);
        Step second = next(5_000, 1);
        assertThat(second.judged().orElseThrow().units()).isEqualTo(1);
        assertThat(second.settled().sample().n()).isEqualTo(2 * 1_000 + 5_000);
        assertThat(next(5_000, 1).judged().orElseThrow().units()).isEqualTo(2);
    }

    @Test
    void aLongGapIsNotUnitedAcrossAndAShortOneIsSeed2() {
        skip(12 + 1, 1_000);
        endMicros += 15 * micros(MINUTE);
        assertThat(next(1_000, 1).judged().orElseThrow().units()).isEqualTo(2);
        skip(1, 1_000);
        endMicros += 16 * micros(MINUTE);
        assertThat(next(1_000, 1).judged().orElseThrow().units()).isEqualTo(1);
        assertThat(next(1_000, 1).judged().orElseThrow().units()).isEqualTo(2);
    }

    @Test
    void whatIsGatheredBeforeAGapIsNoUnitSeed2() {
        skip(4, 100);
        skip(3, 100);
        endMicros += 16 * micros(MINUTE);
        assertThat(next(100, 1).settled().sample().n()).isEqualTo(300);
        skip(2, 100);
        Judged judged = next(100, 1).judged().orElseThrow();
        assertThat(judged.windows()).isEqualTo(4);
        assertThat(judged.baseline().n()).isEqualTo(700);
    }

    @Test
    void theSameHourOfEarlierDaysTakesThePlaceOfRecentWindowsSeed2() {
        skip(12, 5_000);
        double[] scores = new double[12];
        QuantileSketch slow = new QuantileSketch();
        for (int i = 0; i < 12; i++) {
            QuantileSketch window = window(5_000, 2 * usual(i)).total();
            scores[i] = Math.log(window.quantile(0.99));
            slow.merge(window);
        }
        PastPool hour = PastPool.ofBytes(PastPool.of(Values.of(slow), scores).toBytes());
        Judged byHour = observe(window(5_000, 2), Optional.of(hour)).judged().orElseThrow();
        assertThat(byHour.isByHourClass()).isTrue();
        assertThat(byHour.baseline().n()).isEqualTo(60_000);
        assertThat(byHour.raw().verdict()).isNotEqualTo(Verdict.DRIFT);
        PastPool eleven = PastPool.of(Values.of(slow), Arrays.copyOf(scores, 11));
        Judged recent = observe(window(5_000, 2), Optional.of(eleven)).judged().orElseThrow();
        assertThat(recent.isByHourClass()).isFalse();
        assertThat(recent.raw().verdict()).isEqualTo(Verdict.DRIFT);
    }

    @Test
    void aQuantileOfZeroIsNotEstimableAndJoinsTheValues() {
        for (int i = 0; i < 3; i++) {
            QuantileSketch zeros = new QuantileSketch();
            zeros.add(0, 1_000);
            Optional<Judged> judged = observe(Values.of(zeros)).judged();
            assertThat(judged.isPresent()).isEqualTo(i > 0);
            judged.ifPresent(verdict -> assertThat(verdict.raw().verdict()).isEqualTo(Verdict.NOT_ESTIMABLE));
        }
        assertThat(next(1_000, 1).judged().orElseThrow().baseline().n()).isEqualTo(3_000);
    }

    @Test
    void windowsOutOfOrderAreRefused() {
        next(1_000, 1);
        assertThatThrownBy(() -> history.observe(window(1_000, 1), endMicros, Optional.empty(), P99, RULE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("endMicros: must be after 60000000, found 60000000");
    }

    private void skip(int windows, int n) {
        for (int i = 0; i < windows; i++) {
            next(n, usual(i));
        }
    }

    /** Windows that differ a little, by 2 % at most. */
    private static double usual(int i) {
        return 1 + 0.02 * Math.sin(2.4 * i);
    }

    private Step next(int n, double factor) {
        return observe(window(n, factor));
    }

    private Values window(int n, double factor) {
        return Values.of(Latencies.LOGNORMAL.tailOf(n, factor, random));
    }

    private Step observe(Values window) {
        return observe(window, Optional.empty());
    }

    private Step observe(Values window, Optional<PastPool> hourClass) {
        endMicros += micros(length);
        return history.observe(window, endMicros, hourClass, P99, RULE);
    }

    private static long micros(Duration duration) {
        return duration.toNanos() / 1_000;
    }
}
