package io.inferwatch.analytics.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.drift.Comparison.Measured;
import io.inferwatch.analytics.drift.DriftRule.Direction;
import io.inferwatch.analytics.drift.Sample.Counts;
import io.inferwatch.analytics.drift.Sample.Values;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

class StatisticTest {
    private static final Statistic P50 = new Statistic.Quantile(0.5);
    private static final Statistic MEAN = new Statistic.Mean();
    private static final Statistic SHARE = new Statistic.Share();
    private static final Statistic RATE = new Statistic.Rate();

    @Test
    void quantilesAndMeansAreThoseOfAllKindsOfTraffic() {
        Values values = new Values(Map.of("a", sketch(100, 100, 100), "b", sketch(400, 500), "c", sketch()));
        assertThat(values.n()).isEqualTo(5);
        assertThat(P50.value(values).orElseThrow()).isCloseTo(100, within(0.37));
        assertThat(MEAN.value(values)).hasValue(240);
        assertThat(MEAN.score(values).orElseThrow()).isCloseTo(Math.log(240), within(1e-12));
        Values none = Values.of(sketch());
        assertThat(P50.value(none)).isEmpty();
        assertThat(MEAN.value(none)).isEmpty();
        assertThat(P50.score(none)).isEmpty();
    }

    @Test
    void kindsOfTrafficAreAddedOneByOneAndNothingElseChanges() {
        Values first = new Values(Map.of("a", sketch(1, 2), "b", sketch(3)));
        Values second = new Values(Map.of("b", sketch(4), "c", sketch(5)));
        Values sum = (Values) first.plus(second);
        assertThat(sum.byBucket().keySet()).containsExactly("a", "b", "c");
        assertThat(sum.byBucket().get("b").sum()).isEqualTo(7);
        assertThat(sum.byBucket().get("b").n()).isEqualTo(2);
        assertThat(first.n()).isEqualTo(3);
        assertThat(second.n()).isEqualTo(2);
        assertThat(new Counts(1, 10).plus(new Counts(2, 30))).isEqualTo(new Counts(3, 40));
    }

    @Test
    void nothingHasTheLogarithmOfZero() {
        assertThat(P50.value(Values.of(sketch(0, 0, 0)))).hasValue(0);
        assertThat(P50.score(Values.of(sketch(0, 0, 0)))).isEmpty();
        assertThat(MEAN.score(Values.of(sketch(0)))).isEmpty();
        assertThat(SHARE.score(new Counts(0, 50))).hasValue(0);
        assertThat(SHARE.score(new Counts(0, 0))).isEmpty();
        assertThat(RATE.value(new Counts(0, 60))).hasValue(0);
        // Half an event.
        assertThat(RATE.score(new Counts(0, 60)).orElseThrow()).isCloseTo(Math.log(1 / 120.0), within(1e-12));
        assertThat(RATE.score(new Counts(3, 0))).isEmpty();
        assertThat(RATE.value(new Counts(0, 0))).isEmpty();
    }

    @Test
    void whatHasNoTrialsOrNoTimeIsNotEstimable() {
        DriftRule rule = DriftRule.SLOWER;
        assertThat(RATE.against(new Counts(5, 0), 1, rule).compare(new Counts(5, 60)))
                .isInstanceOf(Comparison.NotEstimable.class);
        assertThat(RATE.against(new Counts(5, 60), 1, rule).compare(new Counts(0, 0)))
                .isInstanceOf(Comparison.NotEstimable.class);
        assertThat(SHARE.against(new Counts(0, 0), 1, rule).compare(new Counts(0, 60)))
                .isInstanceOf(Comparison.NotEstimable.class);
        assertThatThrownBy(() -> SHARE.against(new Counts(61, 60), 1, rule).compare(new Counts(0, 60)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** A rate that falls silent: each minute has had twenty to forty events. */
    @Test
    void aRateThatFallsToNothingIsDriftDownwardsSeed6() {
        SplittableRandom random = new SplittableRandom(6);
        DriftRule rule = DriftRule.SLOWER.withWorse(Direction.DOWN);
        List<Verdict> verdicts = verdicts(RATE, rule, i -> new Counts(i < 40 ? random.nextInt(20, 41) : 0, 60), 44);
        assertThat(verdicts.subList(0, 39)).doesNotContain(Verdict.DRIFT);
        assertThat(verdicts.subList(39, 43)).containsOnly(Verdict.DRIFT);
    }

    /** Rare events: none in most minutes, three of ten minutes with one; then nine. */
    @Test
    void aRateOfRareEventsIsJudgedByItsQuietMinutesTooSeed6() {
        SplittableRandom random = new SplittableRandom(6);
        List<Verdict> verdicts = verdicts(
                RATE, DriftRule.SLOWER, i -> new Counts(i < 60 ? (random.nextInt(10) < 3 ? 1 : 0) : 9, 60), 63);
        assertThat(verdicts.subList(0, verdicts.size() - 3)).doesNotContain(Verdict.DRIFT);
        assertThat(verdicts.subList(verdicts.size() - 3, verdicts.size())).containsOnly(Verdict.DRIFT);
    }

    @Test
    void errorsAfterNoneAtAllAreDriftFromOnePointOnSeed6() {
        DriftRule rule = DriftRule.SLOWER.withThreshold(0.01);
        assertThat(verdicts(SHARE, rule, i -> new Counts(i < 30 ? 0 : 8, 1_000), 33)
                        .subList(29, 32))
                .doesNotContain(Verdict.DRIFT);
        assertThat(verdicts(SHARE, rule, i -> new Counts(i < 30 ? 0 : 40, 1_000), 33)
                        .subList(29, 32))
                .containsOnly(Verdict.DRIFT);
    }

    @Test
    void aMeanIsJudgedFromThirtyValuesOnSeed6() {
        SplittableRandom random = new SplittableRandom(6);
        List<Verdict> verdicts = verdicts(
                MEAN,
                DriftRule.SLOWER,
                i -> Values.of(sketch(random.longs(40, 100, i < 30 ? 201 : 401).toArray())),
                33);
        assertThat(verdicts.subList(0, 29)).doesNotContain(Verdict.DRIFT);
        assertThat(verdicts.subList(29, 32)).containsOnly(Verdict.DRIFT);
        assertThat(MEAN.against(Values.of(sketch(1, 2)), 1, DriftRule.SLOWER).compare(Values.of(sketch(1))))
                .isNotInstanceOf(Measured.class);
    }

    private static List<Verdict> verdicts(Statistic statistic, DriftRule rule, IntFunction<Sample> windows, int count) {
        DriftHistory history = new DriftHistory(Duration.ofMinutes(1));
        List<Verdict> verdicts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            history.observe(windows.apply(i), 60_000_000L * (i + 1), Optional.empty(), statistic, rule)
                    .judged()
                    .ifPresent(judged -> verdicts.add(judged.raw().verdict()));
        }
        return verdicts;
    }

    private static QuantileSketch sketch(long... values) {
        QuantileSketch sketch = new QuantileSketch();
        for (long value : values) {
            sketch.add(value);
        }
        return sketch;
    }
}
