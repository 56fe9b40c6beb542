package io.inferwatch.analytics.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.quantile.LogBuckets;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LengthHistogramTest {
    @Test
    void aSketchKeepsNumberAndSumAndEndsAtItsLeastAndGreatest() {
        QuantileSketch sketch = new QuantileSketch();
        sketch.add(0, 5);
        sketch.add(7, 2);
        sketch.add(1_001, 3);
        sketch.add(7_437);
        LengthHistogram lengths = LengthHistogram.of(sketch);
        assertThat(lengths.n()).isEqualTo(6);
        assertThat(lengths.tokens()).isEqualTo(2 * 7 + 3 * 1_001 + 7_437);
        assertThat(lengths.least()).isEqualTo(7);
        assertThat(lengths.greatest()).isEqualTo(7_437);
        assertThat(lengths.cells()).isEqualTo(3);
        assertThat(LogBuckets.index(lengths.least(1))).isEqualTo(LogBuckets.index(lengths.greatest(1)));
        assertThat(LogBuckets.index(lengths.least(1) - 1)).isLessThan(LogBuckets.index(1_001));
        assertThat(LogBuckets.index(lengths.greatest(1) + 1)).isGreaterThan(LogBuckets.index(1_001));
    }

    @Test
    void noCellReachesOverTheLeastOrTheGreatestLength() {
        QuantileSketch sketch = new QuantileSketch();
        sketch.add(20_050);
        sketch.add(40_050);
        assertThat(LogBuckets.index(20_049)).isEqualTo(LogBuckets.index(20_050));
        assertThat(LogBuckets.index(40_051)).isEqualTo(LogBuckets.index(40_050));
        LengthHistogram lengths = LengthHistogram.of(sketch);
        assertThat(lengths.least()).isEqualTo(20_050);
        assertThat(lengths.greatest()).isEqualTo(40_050);
    }

    @Test
    void aPartHoldsWhatIsBelowTheLimit() {
        LengthHistogram lengths = LengthHistogram.of(new TreeMap<>(Map.of(10L, 98L, 20L, 1L, 5_000L, 1L)));
        assertThat(lengths.upTo(19).tokens()).isEqualTo(980);
        assertThat(lengths.upTo(20).n()).isEqualTo(99);
        assertThat(lengths.upTo(5_000)).isSameAs(lengths);
        assertThat(lengths.upTo(9).n()).isZero();
        assertThat(lengths.quantile(0.98)).isEqualTo(10);
        assertThat(lengths.quantile(0.99)).isEqualTo(20);
        assertThat(lengths.quantile(1)).isEqualTo(5_000);
    }

    @Test
    void meansAboveALimitAreThoseOfEachNumberInACell() {
        QuantileSketch sketch = new QuantileSketch();
        sketch.add(20_000);
        sketch.add(20_100);
        sketch.add(40_000);
        LengthHistogram lengths = LengthHistogram.of(sketch);
        for (long limit : new long[] {0, 19_999, 20_000, 20_050, 30_000, 39_990, 40_000}) {
            double expected = 0;
            for (int cell = 0; cell < lengths.cells(); cell++) {
                double above = 0;
                for (long length = lengths.least(cell); length <= lengths.greatest(cell); length++) {
                    above += Math.max(0, length - limit);
                }
                expected += lengths.count(cell) * above / lengths.width(cell) / 3;
            }
            assertThat(lengths.meanAbove(limit)).as("above %d", limit).isCloseTo(expected, within(1e-6));
        }
    }

    @Test
    void lengthsThatCannotBeAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LengthHistogram.of(new TreeMap<>(Map.of(0L, 1L))))
                .withMessage("length: must be at least 1, found 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LengthHistogram.of(new TreeMap<>(Map.of(1L, 0L))))
                .withMessage("count: must be at least 1, found 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LengthHistogram.of(new TreeMap<>(Map.of(1L << 40, 1L << 40))))
                .withMessageStartingWith("lengths: number times greatest must be below 2^63");
        LengthHistogram empty = LengthHistogram.of(new QuantileSketch());
        assertThatIllegalStateException().isThrownBy(() -> empty.quantile(0.5));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> empty.quantile(0))
                .withMessage("share: must be above 0 and at most 1, found 0.0");
    }
}
