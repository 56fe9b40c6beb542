package io.inferwatch.analytics.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.quantile.LogBuckets;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class BoundariesTest {
    @Test
    void lengthsArePaddedToTheLeastSizeThatTheyFitIn() {
        SortedMap<Long, Long> lengths = new TreeMap<>(Map.of(3L, 2L, 4L, 1L, 5L, 10L, 9L, 1L));
        Padding padding = new Boundaries(List.of(4L, 8L, 9L)).padding(LengthHistogram.of(lengths));
        assertThat(padding).isEqualTo(new Padding(3 * 4 + 10 * 8 + 9, 6 + 4 + 50 + 9, 0));
        assertThat(padding.wastedTokens()).isEqualTo(32);
        assertThat(padding.share().value()).isCloseTo(32 / 101.0, within(1e-12));
    }

    @Test
    void lengthsBeyondTheLastSizeAreCountedApart() {
        SortedMap<Long, Long> lengths = new TreeMap<>(Map.of(3L, 2L, 9L, 5L));
        assertThat(new Boundaries(List.of(4L, 8L)).padding(LengthHistogram.of(lengths)))
                .isEqualTo(new Padding(8, 6, 5));
        assertThat(new Boundaries(List.of(2L))
                        .padding(LengthHistogram.of(lengths))
                        .share()
                        .value())
                .isZero();
    }

    /** Boundaries inside cells of a sketch, against every whole number of each cell with its share of the count. */
    @Test
    void cellsArePartedWhereABoundaryLiesInThem() {
        QuantileSketch sketch = new QuantileSketch();
        sketch.add(20_010, 3);
        sketch.add(20_300, 4);
        sketch.add(20_500, 5);
        LengthHistogram lengths = LengthHistogram.of(sketch);
        Boundaries boundaries = new Boundaries(List.of(20_020L, 20_050L, 20_310L, 20_450L));
        double padded = 0;
        double beyond = 0;
        for (int cell = 0; cell < lengths.cells(); cell++) {
            assertThat(LogBuckets.index(lengths.least(cell))).isEqualTo(LogBuckets.index(lengths.greatest(cell)));
            for (long length = lengths.least(cell); length <= lengths.greatest(cell); length++) {
                double likely = (double) lengths.count(cell) / lengths.width(cell);
                long at = length;
                double to = boundaries.sizes().stream()
                        .mapToDouble(size -> size)
                        .filter(size -> size >= at)
                        .findFirst()
                        .orElse(0);
                padded += likely * to;
                beyond += to == 0 ? likely : 0;
            }
        }
        Padding padding = boundaries.padding(lengths);
        assertThat(padding.paddedTokens()).isCloseTo(padded, within(1e-6));
        assertThat(padding.beyond()).isCloseTo(beyond, within(1e-9)).isPositive();
    }

    @Test
    void sizesAtEqualRatiosAndDistances() {
        assertThat(Boundaries.geometric(1, 16, 4).sizes()).containsExactly(2L, 4L, 8L, 16L);
        assertThat(Boundaries.uniform(4, 16, 4).sizes()).containsExactly(7L, 10L, 13L, 16L);
        assertThat(Boundaries.geometric(1, 3, 8).sizes()).containsExactly(1L, 2L, 3L);
        assertThat(Boundaries.uniform(5, 5, 3).sizes()).containsExactly(5L);
    }

    @Test
    void sizesThatDoNotRiseAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Boundaries(List.of(4L, 4L)))
                .withMessage("sizes: must be at least 1 and rise, found [4, 4]");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Boundaries(List.of(0L)))
                .withMessage("sizes: must be at least 1 and rise, found [0]");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Boundaries(List.of()))
                .withMessage("sizes: must be at least one, found none");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Boundaries.uniform(0, 4, 2))
                .withMessage("least: must be at least 1, found 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Boundaries.uniform(5, 4, 2))
                .withMessage("greatest: must be at least 5, found 4");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Boundaries.geometric(1, 4, 0))
                .withMessage("count: must be at least 1, found 0");
    }
}
