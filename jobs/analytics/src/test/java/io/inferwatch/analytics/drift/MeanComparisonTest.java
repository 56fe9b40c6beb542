package io.inferwatch.analytics.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.Latencies;
import io.inferwatch.analytics.drift.Comparison.Measured;
import io.inferwatch.analytics.drift.Comparison.NotEstimable;
import io.inferwatch.analytics.drift.DriftRule.Direction;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class MeanComparisonTest {
    private static final DriftRule RULE = DriftRule.SLOWER;

    /** Computed by SciPy 1.17 from the definition: 70.978 degrees of freedom. */
    @Test
    void aSlowerMean() {
        Measured measured =
                (Measured) MeanComparison.of(new Moments(200, 100, 2_500), new Moments(50, 110, 3_600), RULE);
        assertThat(measured.change()).isCloseTo(0.1, within(1e-12));
        assertThat(measured.standardError()).isCloseTo(0.08485524864815668, within(1e-12));
        assertThat(measured.low()).isCloseTo(-0.07122363319324719, within(1e-9));
        assertThat(measured.high()).isCloseTo(0.30278939392065796, within(1e-9));
        assertThat(measured.p()).isCloseTo(0.22049656086234573, within(1e-9));
    }

    @Test
    void aLowerMeanIsWorseDownwards() {
        Moments before = new Moments(40, 100, 400);
        Moments now = new Moments(30, 90, 100);
        Measured down = (Measured) MeanComparison.of(before, now, RULE.withWorse(Direction.DOWN));
        assertThat(down.change()).isCloseTo(-0.1, within(1e-12));
        assertThat(down.low()).isCloseTo(-0.16509048292808418, within(1e-9));
        assertThat(down.high()).isCloseTo(-0.02983498997505162, within(1e-9));
        assertThat(down.p()).isCloseTo(0.023938864812270214, within(1e-9));
        assertThat(((Measured) MeanComparison.of(before, now, RULE)).p()).isCloseTo(0.9996783573437429, within(1e-9));
    }

    @Test
    void meansWithoutSpreadDifferOrNot() {
        Moments ten = new Moments(100, 10, 0);
        assertThat(((Measured) MeanComparison.of(ten, new Moments(100, 10.4, 0), RULE)).p())
                .isZero();
        assertThat(((Measured) MeanComparison.of(ten, new Moments(100, 10.2, 0), RULE)).p())
                .isEqualTo(1);
    }

    @Test
    void fewValuesAndMeansOfZeroAreNotEstimable() {
        Moments enough = new Moments(30, 100, 25);
        assertThat(MeanComparison.of(new Moments(29, 100, 25), enough, RULE)).isEqualTo(new NotEstimable(29, 30));
        assertThat(MeanComparison.of(enough, new Moments(29, 100, 25), RULE)).isEqualTo(new NotEstimable(30, 29));
        assertThat(MeanComparison.of(new Moments(50, 0, 0), enough, RULE)).isEqualTo(new NotEstimable(50, 30));
        assertThat(MeanComparison.of(enough, new Moments(50, 0, 0), RULE)).isEqualTo(new NotEstimable(30, 50));
    }

    @Test
    void momentsAreThoseOfTheValues() {
        for (Latencies kind : Latencies.values()) {
            SplittableRandom random = new SplittableRandom(4);
            long[] values = random.doubles(5_000)
                    .mapToLong(u -> Math.round(kind.quantile(u)))
                    .toArray();
            QuantileSketch sketch = new QuantileSketch();
            Arrays.stream(values).forEach(sketch::add);
            double mean = Arrays.stream(values).average().orElseThrow();
            double squares = Arrays.stream(values)
                    .mapToDouble(value -> (value - mean) * (value - mean))
                    .sum();
            Moments moments = Moments.of(sketch);
            assertThat(moments.n()).isEqualTo(5_000);
            assertThat(moments.mean()).isEqualTo(mean);
            double meanSquare = Arrays.stream(values)
                    .mapToDouble(value -> (double) value * value)
                    .average()
                    .orElseThrow();
            assertThat(moments.variance()).as("%s", kind).isCloseTo(squares / 4_999, within(meanSquare * 0.0074));
        }
    }

    @Test
    void momentsOfFewAndOfZeros() {
        QuantileSketch sketch = new QuantileSketch();
        assertThat(Moments.of(sketch)).isEqualTo(new Moments(0, 0, 0));
        sketch.add(5);
        assertThat(Moments.of(sketch)).isEqualTo(new Moments(1, 5, 0));
        QuantileSketch zeros = new QuantileSketch();
        zeros.add(0, 3);
        zeros.add(1);
        // Values 0, 0, 0, 1: variance 0.25, of a representative of 1 that is up to 0.37 % more.
        assertThat(Moments.of(zeros).variance()).isCloseTo(0.25, within(0.002));
    }
}
