package io.inferwatch.analytics.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.quantile.LogBuckets;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.commons.statistics.distribution.NormalDistribution;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TailWasteTest {
    /** Waste of lengths one by one. */
    private static double enumerated(SortedMap<Long, Long> lengths, long block) {
        double wasted = 0;
        double n = 0;
        for (Map.Entry<Long, Long> entry : lengths.entrySet()) {
            long blocks = 0;
            while (blocks * block < entry.getKey()) {
                blocks++;
            }
            wasted += entry.getValue() * (double) (blocks * block - entry.getKey());
            n += entry.getValue();
        }
        return wasted / n;
    }

    static QuantileSketch sketch(SortedMap<Long, Long> lengths) {
        QuantileSketch sketch = new QuantileSketch();
        lengths.forEach(sketch::add);
        return sketch;
    }

    @ParameterizedTest(name = "blocks of {0}, seed 1")
    @ValueSource(ints = {1, 2, 8, 16, 100, 128, 5_000})
    void lengthsKnownOneByOneGiveTheExactWaste(int block) {
        SortedMap<Long, Long> lengths = OptimalBoundariesTest.lognormal(2_000, new SplittableRandom(1));
        TailWaste waste = TailWaste.of(LengthHistogram.of(lengths), block);
        double expected = enumerated(lengths, block);
        double mean = lengths.entrySet().stream()
                        .mapToDouble(e -> (double) e.getKey() * e.getValue())
                        .sum()
                / 2_000;
        assertThat(waste.tokens().value()).isCloseTo(expected, within(1e-9 * (1 + expected)));
        assertThat(waste.share().value()).isCloseTo(expected / (expected + mean), within(1e-12));
    }

    /** Every whole number that a bucket can hold, from the least to the greatest value, counted one by one with the bucket's share. */
    @ParameterizedTest(name = "blocks of {0}, seed 2")
    @ValueSource(ints = {8, 16, 128, 1_000})
    void aSketchGivesTheWasteOfLengthsThatAreEquallyLikelyInABucket(int block) {
        QuantileSketch sketch = sketch(OptimalBoundariesTest.lognormal(500, new SplittableRandom(2)));
        Map<Integer, Long> widths = new TreeMap<>();
        for (long length = sketch.min(); length <= sketch.max(); length++) {
            widths.merge(LogBuckets.index(length), 1L, Long::sum);
        }
        Map<Integer, Long> counts = new TreeMap<>();
        sketch.forEachBucket(counts::put);
        double expected = 0;
        for (long length = sketch.min(); length <= sketch.max(); length++) {
            int bucket = LogBuckets.index(length);
            double likely = counts.getOrDefault(bucket, 0L) / (double) widths.get(bucket);
            expected += likely * ((length + block - 1) / block * block - length) / sketch.n();
        }
        assertThat(TailWaste.of(LengthHistogram.of(sketch), block).tokens().value())
                .isCloseTo(expected, within(1e-9 * (1 + expected)));
    }

    /** The published figures, of a sample, for lognormal lengths with a median of 330 and sigma 1; here is their whole distribution. */
    @ParameterizedTest(name = "blocks of {0}: {1} tokens, {2} %")
    @CsvSource({"8, 3.50, 0.6", "16, 7.49, 1.4", "32, 15.5, 2.8", "64, 31.4, 5.5", "128, 63.1, 10.4"})
    void lognormalLengthsWasteAsPublished(int block, double tokens, double percent) {
        NormalDistribution normal = NormalDistribution.of(Math.log(330), 1);
        SortedMap<Long, Long> lengths = new TreeMap<>();
        for (int i = 0; i < 200_000; i++) {
            double length = Math.exp(normal.inverseCumulativeProbability((i + 0.5) / 200_000));
            lengths.merge(Math.max(1, Math.round(length)), 1L, Long::sum);
        }
        for (LengthHistogram histogram :
                new LengthHistogram[] {LengthHistogram.of(lengths), LengthHistogram.of(sketch(lengths))}) {
            TailWaste waste = TailWaste.of(histogram, block);
            assertThat(waste.tokens().value()).isCloseTo(tokens, within(0.005 + 0.003 * tokens));
            assertThat(100 * waste.share().value()).isCloseTo(percent, within(0.06));
        }
    }

    @Test
    void whatHasNoMeaningIsRefused() {
        LengthHistogram empty = LengthHistogram.of(new QuantileSketch());
        assertThatIllegalStateException().isThrownBy(() -> TailWaste.of(empty, 16));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TailWaste.of(empty, 0))
                .withMessage("blockTokens: must be at least 1, found 0");
    }
}
