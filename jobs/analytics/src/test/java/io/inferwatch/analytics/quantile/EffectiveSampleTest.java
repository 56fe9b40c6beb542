package io.inferwatch.analytics.quantile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.quantile.EffectiveSample.Part;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class EffectiveSampleTest {
    private static final double CONFIDENCE = 0.95;

    @ParameterizedTest(name = "{0}, seed 1")
    @EnumSource(Values.class)
    void aSketchByItselfIsExactlyWhatItWas(Values kind) {
        for (int n : new int[] {1, 5, 128, 368, 5_000}) {
            QuantileSketch sketch = sketchOf(kind.draw(n, 1));
            EffectiveSample sample = EffectiveSample.of(sketch);
            assertThat(sample.n()).isEqualTo(n);
            assertThat(sample.counted()).isEqualTo(n);
            for (double p : new double[] {0, 0.01, 0.5, 0.9, 0.99, 0.999, 1}) {
                int bucket = sketch.bucketOfRank(sketch.rankOf(p));
                assertThat(sample.bucketOfQuantile(p)).isEqualTo(bucket);
                assertThat(sample.quantile(p)).isEqualTo(sketch.quantile(p));
                assertThat(sample.countAbove(bucket)).isEqualTo((double) sketch.countAbove(bucket));
                if (p > 0 && p < 1) {
                    assertThat(sample.interval(p, CONFIDENCE)).isEqualTo(QuantileInterval.of(sketch, p, CONFIDENCE));
                }
            }
        }
    }

    @Test
    void valuesThatAreWorthAQuarterHaveTheLimitsOfAQuarterOfThem() {
        QuantileSketch sketch = new QuantileSketch();
        for (int rank = 1; rank <= 20_000; rank++) {
            sketch.add(rank * 1_000L);
        }
        EffectiveSample sample = EffectiveSample.of(sketch).correlated(4);
        assertThat(sample.n()).isEqualTo(5_000);
        assertThat(sample.counted()).isEqualTo(20_000);
        assertThat(sample.quantile(0.99)).isEqualTo(sketch.quantile(0.99));
        assertThat(sample.countAbove(sketch.bucketOfRank(19_800)))
                .isCloseTo(sketch.countAbove(sketch.bucketOfRank(19_800)) / 4.0, within(1e-9));
        // Of 5,000 values the published ranks are 4936 and 4964: here 19,744 and 19,856; a bucket is 0.74 % wide.
        QuantileInterval limits = sample.interval(0.99, CONFIDENCE).orElseThrow();
        assertThat(limits.low()).isBetween(19_744_000 / 1.0075, 19_744_000.0);
        assertThat(limits.high()).isBetween(19_856_000.0, Math.min(20_000_000.0, 19_856_000 * 1.0075));
    }

    @Test
    void fewerThanTheLeastNHaveNoLimits() {
        QuantileSketch sketch = new QuantileSketch();
        sketch.add(100, 735);
        assertThat(EffectiveSample.of(sketch).correlated(2).interval(0.99, CONFIDENCE))
                .isEmpty();
        sketch.add(100);
        assertThat(EffectiveSample.of(sketch).correlated(2).interval(0.99, CONFIDENCE))
                .isEqualTo(Optional.of(new QuantileInterval(100, 100)));
    }

    @Test
    void aDesignEffectBelowOneCountsAsOne() {
        QuantileSketch sketch = sketchOf(Values.LOGNORMAL.draw(500, 2));
        assertThat(EffectiveSample.of(sketch).correlated(0.3).n()).isEqualTo(500);
        assertThatThrownBy(() -> EffectiveSample.of(sketch).correlated(Double.NaN))
                .hasMessage("designEffect: must be finite, found NaN");
    }

    /** Every value of a part weighs w_k / n_k: the quantile by sorting all values and adding their weights up. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void reweightedQuantilesAreThoseOfSortedWeightedValues(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long[][] values = new long[5][];
        double[] weights = new double[values.length];
        for (int k = 0; k < values.length; k++) {
            values[k] = Values.LOGNORMAL.draw(random.nextInt(20, 3_000), seed * 10 + k);
            for (int i = 0; i < values[k].length; i++) {
                values[k][i] *= k + 1;
            }
            weights[k] = random.nextDouble(0.1, 3);
        }
        for (double p : new double[] {0.01, 0.5, 0.9, 0.99}) {
            double exact = weightedQuantile(values, weights, p);
            assertThat(EffectiveSample.reweighted(parts(values, weights), p).quantile(p))
                    .as("p %s", p)
                    .isCloseTo(exact, within(exact * 0.004));
        }
    }

    @Test
    void ownWeightsLeaveASampleAsItWas() {
        long[][] values = {Values.LOGNORMAL.draw(4_000, 1), Values.BIMODAL.draw(1_000, 2)};
        EffectiveSample sample = EffectiveSample.reweighted(parts(values, new double[] {4_000, 1_000}), 0.99);
        QuantileSketch merged = sketchOf(values[0]);
        merged.merge(sketchOf(values[1]));
        assertThat(sample.n()).isCloseTo(5_000, within(1e-6));
        assertThat(sample.quantile(0.99)).isEqualTo(merged.quantile(0.99));
        assertThat(sample.interval(0.99, CONFIDENCE)).isEqualTo(QuantileInterval.of(merged, 0.99, CONFIDENCE));
    }

    /** Two parts whose tails are known: 1 / (0.5^2 / 1000 + 0.5^2 / 9000) = 3600 by Kish, less where the small part holds the tail. */
    @Test
    void aSampleIsWorthWhatItsWeightsLeave() {
        QuantileSketch few = new QuantileSketch();
        few.add(10, 900);
        few.add(1_000, 100);
        QuantileSketch many = new QuantileSketch();
        many.add(10, 8_100);
        many.add(1_000, 900);
        // Tails alike: the stratified variance is Kish's.
        assertThat(EffectiveSample.reweighted(List.of(new Part(few, 1), new Part(many, 1)), 0.5)
                        .n())
                .isCloseTo(3_600, within(1e-6));
        QuantileSketch none = new QuantileSketch();
        none.add(10, 9_000);
        // q = 0.05; 0.05 * 0.95 / (0.25 * 0.1 * 0.9 / 1000) = 2111.1
        assertThat(EffectiveSample.reweighted(List.of(new Part(few, 1), new Part(none, 1)), 0.5)
                        .n())
                .isCloseTo(0.05 * 0.95 / (0.25 * 0.09 / 1_000), within(1e-6));
    }

    @Test
    void refusesPartsWithoutValuesOrWeight() {
        QuantileSketch one = sketchOf(new long[] {1});
        assertThatThrownBy(() -> EffectiveSample.reweighted(List.of(new Part(new QuantileSketch(), 1)), 0.5))
                .hasMessage("parts: must have a weight above 0 and hold values, found 1.0 and 0");
        assertThatThrownBy(() -> EffectiveSample.reweighted(List.of(new Part(one, 0)), 0.5))
                .hasMessage("parts: must have a weight above 0 and hold values, found 0.0 and 1");
    }

    @Test
    void anEmptySampleHasNoQuantiles() {
        EffectiveSample empty = EffectiveSample.of(new QuantileSketch());
        assertThat(empty.n()).isZero();
        assertThat(empty.countAbove(3)).isZero();
        assertThat(empty.interval(0.99, CONFIDENCE)).isEmpty();
        assertThatThrownBy(() -> empty.quantile(0.5)).hasMessage("an empty sample has no quantiles");
    }

    @Test
    void zerosAreValuesToo() {
        QuantileSketch sketch = new QuantileSketch();
        sketch.add(0, 600);
        EffectiveSample zeros = EffectiveSample.of(sketch);
        assertThat(zeros.quantile(1)).isZero();
        assertThat(zeros.interval(0.99, CONFIDENCE)).isEqualTo(Optional.of(new QuantileInterval(0, 0)));
        sketch.add(7, 400);
        EffectiveSample mixed = EffectiveSample.of(sketch).correlated(3);
        assertThat(mixed.quantile(0.6)).isZero();
        assertThat(mixed.quantile(0.601)).isEqualTo(7);
        assertThat(mixed.countAbove(-1)).isCloseTo(400 / 3.0, within(1e-9));
    }

    private static double weightedQuantile(long[][] values, double[] weights, double p) {
        record Weighted(long value, double weight) {}
        List<Weighted> sorted = java.util.stream.IntStream.range(0, values.length)
                .boxed()
                .flatMap(k ->
                        Arrays.stream(values[k]).mapToObj(value -> new Weighted(value, weights[k] / values[k].length)))
                .sorted(java.util.Comparator.comparingLong(Weighted::value))
                .toList();
        double wanted = p * Arrays.stream(weights).sum();
        double cumulated = 0;
        for (Weighted one : sorted) {
            cumulated += one.weight;
            if (cumulated >= wanted - 1e-9) {
                return one.value;
            }
        }
        throw new AssertionError("weights do not add up");
    }

    private static List<Part> parts(long[][] values, double[] weights) {
        return java.util.stream.IntStream.range(0, values.length)
                .mapToObj(k -> new Part(sketchOf(values[k]), weights[k]))
                .toList();
    }

    private static QuantileSketch sketchOf(long[] values) {
        QuantileSketch sketch = new QuantileSketch();
        Arrays.stream(values).forEach(sketch::add);
        return sketch;
    }
}
