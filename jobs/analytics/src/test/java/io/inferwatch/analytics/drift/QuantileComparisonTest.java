package io.inferwatch.analytics.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.Latencies;
import io.inferwatch.analytics.drift.Comparison.Measured;
import io.inferwatch.analytics.drift.Comparison.NotEstimable;
import io.inferwatch.analytics.drift.Comparison.Scale;
import io.inferwatch.analytics.drift.DriftRule.Direction;
import io.inferwatch.analytics.quantile.EffectiveSample;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.commons.statistics.distribution.HypergeometricDistribution;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuantileComparisonTest {
    private static final DriftRule RULE = DriftRule.SLOWER;

    /**
     * p by counting in sorted arrays: bucket bounds are powers of 1.03 to the quarter, b counts what is at or above the upper bound of the
     * baseline's P99, e what is at or above four bounds further, and the chance is that of all orders of both samples.
     */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void pIsThatOfCountingInSortedArrays(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        double[] before = draw(4_000, 1, random);
        double[] now = draw(1_500, 1.15, random);
        int j = (int) Math.floor(Math.log(before[3_960 - 1]) / Math.log(1.03) * 4);
        int b = above(before, Math.pow(1.03, (j + 1) / 4.0));
        int e = above(now, Math.pow(1.03, (j + 5) / 4.0));
        double expected = HypergeometricDistribution.of(5_500, 1_500, b + e).survivalProbability(e - 1);
        assertThat(measured(sketchOf(before), sketchOf(now), RULE).p()).isCloseTo(expected, within(expected * 1e-9));

        // Downwards the samples change places.
        int k = (int) Math.floor(Math.log(now[1_485 - 1]) / Math.log(1.03) * 4);
        int below = above(now, Math.pow(1.03, (k + 1) / 4.0));
        int e2 = above(before, Math.pow(1.03, (k + 5) / 4.0));
        double down = HypergeometricDistribution.of(5_500, 4_000, below + e2).survivalProbability(e2 - 1);
        assertThat(measured(sketchOf(before), sketchOf(now), RULE.withWorse(Direction.DOWN))
                        .p())
                .isCloseTo(down, within(down * 1e-9));
    }

    /** Ranks 983 and 997 of 1,000 and 4936 and 4964 of 5,000 are the published limits; values are ranks times a step. */
    @Test
    void theChangesLimitsComeFromThoseOfBothSides() {
        Measured measured = measured(ramp(1_000, 1_000), ramp(5_000, 240), RULE);
        double change = Math.log(4_950 * 240.0 / 990_000);
        double low = Math.hypot(Math.log(4_950 / 4_936.0), Math.log(997 / 990.0));
        double high = Math.hypot(Math.log(4_964 / 4_950.0), Math.log(990 / 983.0));
        // A bucket is 0.74 % wide.
        assertThat(measured.scale()).isEqualTo(Scale.RELATIVE);
        assertThat(Math.log1p(measured.change())).isCloseTo(change, within(0.0075));
        assertThat(Math.log1p(measured.low())).isCloseTo(change - low, within(0.015));
        assertThat(Math.log1p(measured.high())).isCloseTo(change + high, within(0.015));
        assertThat(measured.low()).isLessThan(measured.change());
        assertThat(measured.high()).isGreaterThan(measured.change());
        assertThat(measured.baselineN()).isEqualTo(1_000);
        assertThat(measured.currentN()).isEqualTo(5_000);
        assertThat(measured.standardError())
                .isCloseTo(
                        Math.hypot(Math.log(997 / 983.0), Math.log(4_964 / 4_936.0)) / (2 * 1.959964),
                        within(2 * 0.0075 / 3.92));
    }

    @Test
    void theThresholdIsRoundedUpToBuckets() {
        SplittableRandom random = new SplittableRandom(9);
        EffectiveSample before = EffectiveSample.of(Latencies.LOGNORMAL.tailOf(20_000, 1, random));
        EffectiveSample now = EffectiveSample.of(Latencies.LOGNORMAL.tailOf(20_000, 1.1, random));
        double five = Math.pow(1.03, 5 / 4.0) - 1;
        double p4 = QuantileComparison.exceedance(before, now, 0.99, 0.03);
        double p5 = QuantileComparison.exceedance(before, now, 0.99, five);
        assertThat(p4).isLessThan(p5);
        assertThat(QuantileComparison.exceedance(before, now, 0.99, 0.0301)).isEqualTo(p5);
        assertThat(QuantileComparison.exceedance(before, now, 0.99, 0.0299)).isEqualTo(p4);
    }

    @Test
    void aDesignEffectOfFourIsAQuarterOfTheValues() {
        SplittableRandom random = new SplittableRandom(3);
        QuantileSketch before = new QuantileSketch();
        QuantileSketch now = new QuantileSketch();
        QuantileSketch before4 = new QuantileSketch();
        QuantileSketch now4 = new QuantileSketch();
        for (double value : draw(2_000, 1, random)) {
            before.add((long) value);
            before4.add((long) value, 4);
        }
        for (double value : draw(1_000, 1.3, random)) {
            now.add((long) value);
            now4.add((long) value, 4);
        }
        Measured single = measured(before, now, RULE);
        Comparison fourfold = QuantileComparison.of(
                EffectiveSample.of(before4).correlated(4),
                EffectiveSample.of(now4).correlated(4),
                0.99,
                RULE);
        assertThat(fourfold)
                .isEqualTo(new Measured(
                        single.scale(),
                        single.change(),
                        single.low(),
                        single.high(),
                        single.p(),
                        single.standardError(),
                        8_000,
                        4_000));
    }

    @Test
    void tooFewValuesOnEitherSideAreNotEstimable() {
        QuantileSketch few = ramp(367, 1_000);
        QuantileSketch enough = ramp(368, 1_000);
        assertThat(compare(few, enough, RULE)).isEqualTo(new NotEstimable(367, 368));
        assertThat(compare(enough, few, RULE)).isEqualTo(new NotEstimable(368, 367));
        assertThat(compare(enough, enough, RULE)).isInstanceOf(Measured.class);
        assertThat(compare(new QuantileSketch(), enough, RULE)).isEqualTo(new NotEstimable(0, 368));
    }

    @Test
    void nothingIsARatioToZero() {
        QuantileSketch zeros = new QuantileSketch();
        zeros.add(0, 10_000);
        QuantileSketch some = ramp(10_000, 1_000);
        assertThat(compare(zeros, some, RULE)).isEqualTo(new NotEstimable(10_000, 10_000));
        assertThat(compare(some, zeros, RULE)).isEqualTo(new NotEstimable(10_000, 10_000));
    }

    private static double[] draw(int n, double factor, SplittableRandom random) {
        return random.doubles(n)
                .map(u -> Math.floor(factor * Latencies.LOGNORMAL.quantile(u)))
                .sorted()
                .toArray();
    }

    private static int above(double[] values, double bound) {
        return (int) Arrays.stream(values).filter(value -> value >= bound).count();
    }

    private static QuantileSketch sketchOf(double[] values) {
        QuantileSketch sketch = new QuantileSketch();
        Arrays.stream(values).forEach(value -> sketch.add((long) value));
        return sketch;
    }

    private static QuantileSketch ramp(int n, long step) {
        QuantileSketch sketch = new QuantileSketch();
        IntStream.rangeClosed(1, n).forEach(rank -> sketch.add(rank * step));
        return sketch;
    }

    private static Comparison compare(QuantileSketch before, QuantileSketch now, DriftRule rule) {
        return QuantileComparison.of(EffectiveSample.of(before), EffectiveSample.of(now), 0.99, rule);
    }

    private static Measured measured(QuantileSketch before, QuantileSketch now, DriftRule rule) {
        return (Measured) compare(before, now, rule);
    }
}
