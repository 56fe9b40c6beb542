package io.inferwatch.analytics.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.commons.statistics.distribution.NormalDistribution;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OptimalBoundariesTest {
    /** Padded tokens, length by length. */
    static double padded(SortedMap<Long, Long> lengths, List<Long> sizes) {
        double padded = 0;
        for (Map.Entry<Long, Long> entry : lengths.entrySet()) {
            for (long size : sizes) {
                if (size >= entry.getKey()) {
                    padded += (double) size * entry.getValue();
                    break;
                }
            }
        }
        return padded;
    }

    /** The least padded tokens by the same recursion, all starts of the last bucket tried: O(K n^2). */
    static double quadratic(SortedMap<Long, Long> lengths, int count) {
        long[] sizes = lengths.keySet().stream().mapToLong(Long::longValue).toArray();
        long[] counts = lengths.values().stream().mapToLong(Long::longValue).toArray();
        int n = sizes.length;
        double[] least = new double[n + 1];
        Arrays.fill(least, 1, n + 1, Double.POSITIVE_INFINITY);
        for (int k = 1; k <= count; k++) {
            double[] next = new double[n + 1];
            for (int j = 1; j <= n; j++) {
                double held = 0;
                next[j] = Double.POSITIVE_INFINITY;
                for (int i = j - 1; i >= 0; i--) {
                    held += counts[i];
                    next[j] = Math.min(next[j], least[i] + held * sizes[j - 1]);
                }
            }
            least = next;
        }
        return least[n];
    }

    static SortedMap<Long, Long> lognormal(int n, SplittableRandom random) {
        NormalDistribution normal = NormalDistribution.of(Math.log(330), 1);
        SortedMap<Long, Long> lengths = new TreeMap<>();
        for (int i = 0; i < n; i++) {
            double length = Math.exp(normal.inverseCumulativeProbability(random.nextDouble()));
            lengths.merge(Math.max(1, Math.round(length)), 1L, Long::sum);
        }
        return lengths;
    }

    private static SortedMap<Long, Long> anyLengths(int most, SplittableRandom random) {
        SortedMap<Long, Long> lengths = new TreeMap<>();
        for (int i = random.nextInt(1, most + 1); i > 0; i--) {
            lengths.put(random.nextLong(1, 60), random.nextLong(1, 20));
        }
        return lengths;
    }

    @Test
    void noOtherChoiceOfFewLengthsNeedsLessSeed1() {
        SplittableRandom random = new SplittableRandom(1);
        for (int round = 0; round < 300; round++) {
            SortedMap<Long, Long> lengths = anyLengths(10, random);
            int count = random.nextInt(1, 6);
            List<Long> sizes = List.copyOf(lengths.keySet());
            double least = Double.POSITIVE_INFINITY;
            for (int chosen = 0; chosen < 1 << (sizes.size() - 1); chosen++) {
                if (Integer.bitCount(chosen) < count) {
                    List<Long> boundaries = new ArrayList<>();
                    for (int i = 0; i < sizes.size(); i++) {
                        if (i == sizes.size() - 1 || (chosen & 1 << i) != 0) {
                            boundaries.add(sizes.get(i));
                        }
                    }
                    least = Math.min(least, padded(lengths, boundaries));
                }
            }
            Boundaries found = OptimalBoundaries.of(LengthHistogram.of(lengths), count);
            assertThat(found.sizes()).hasSizeLessThanOrEqualTo(count);
            assertThat(padded(lengths, found.sizes()))
                    .as("%d for %s", count, lengths)
                    .isEqualTo(least);
        }
    }

    @ParameterizedTest(name = "{0} boundaries, seed 2")
    @ValueSource(ints = {1, 2, 3, 7, 16, 64})
    void noOtherChoiceOfManyLengthsNeedsLess(int count) {
        SplittableRandom random = new SplittableRandom(2);
        for (int round = 0; round < 5; round++) {
            SortedMap<Long, Long> lengths = lognormal(600, random);
            Boundaries found = OptimalBoundaries.of(LengthHistogram.of(lengths), count);
            assertThat(found.sizes()).hasSize(count);
            assertThat(found.limit()).isEqualTo(lengths.lastKey());
            assertThat(padded(lengths, found.sizes())).isEqualTo(quadratic(lengths, count));
        }
    }

    @Test
    void asManyBoundariesAsLengthsNeedNoPadding() {
        SortedMap<Long, Long> lengths = anyLengths(30, new SplittableRandom(3));
        assertThat(OptimalBoundaries.of(LengthHistogram.of(lengths), 100).sizes())
                .containsExactlyElementsOf(lengths.keySet());
    }

    /**
     * Published for 486 sizes of a sample that is not published: optimal, geometric and uniform. Sketches of 1,500 lognormal lengths (median 330,
     * sigma 1) have as many cells, and it lies among them.
     */
    @ParameterizedTest(name = "{0} boundaries: {1} {2} {3}, seeds 1 to 60")
    @CsvSource({"4, 0.435, 0.582, 0.742", "8, 0.237, 0.337, 0.548", "16, 0.118, 0.180, 0.336"})
    void samplesOfAsManySizesNeedPaddingAroundThePublished(
            int count, double optimal, double geometric, double uniform) {
        double[][] shares = new double[3][60];
        for (int i = 0; i < 60; i++) {
            SortedMap<Long, Long> sample = lognormal(1_500, new SplittableRandom(i + 1));
            LengthHistogram lengths = LengthHistogram.of(TailWasteTest.sketch(sample));
            assertThat(lengths.cells()).isBetween(460, 510);
            List<Boundaries> kinds = List.of(
                    OptimalBoundaries.of(lengths, count),
                    Boundaries.geometric(lengths.least(), lengths.greatest(), count),
                    Boundaries.uniform(lengths.least(), lengths.greatest(), count));
            for (int kind = 0; kind < 3; kind++) {
                shares[kind][i] = kinds.get(kind).padding(lengths).share().value();
            }
        }
        double[] published = {optimal, geometric, uniform};
        for (int kind = 0; kind < 3; kind++) {
            Arrays.sort(shares[kind]);
            // The middle nine tenths of the samples.
            assertThat(published[kind]).as("kind %d", kind).isBetween(shares[kind][3], shares[kind][56]);
        }
    }

    /** What a sketch knows of lengths costs little: its boundaries need hardly more padding of the lengths themselves than the best. */
    @ParameterizedTest(name = "{0} boundaries, seed 4")
    @CsvSource({"4, 1.01", "8, 1.01", "16, 1.02", "32, 1.05"})
    void boundariesFromASketchAreNearlyAsGood(int count, double most) {
        SortedMap<Long, Long> lengths = lognormal(20_000, new SplittableRandom(4));
        double tokens = padded(lengths, List.copyOf(lengths.keySet()));
        QuantileSketch sketch = TailWasteTest.sketch(lengths);
        Boundaries found = OptimalBoundaries.of(LengthHistogram.of(sketch), count);
        Boundaries best = OptimalBoundaries.of(LengthHistogram.of(lengths), count);
        double ratio = (padded(lengths, found.sizes()) - tokens) / (padded(lengths, best.sizes()) - tokens);
        assertThat(ratio).isBetween(1.0, most);
        assertThat(found.padding(LengthHistogram.of(sketch)).share().value())
                .isCloseTo(1 - tokens / padded(lengths, found.sizes()), within(0.003));
    }

    @Test
    void whatHasNoBoundariesIsRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> OptimalBoundaries.of(LengthHistogram.of(new QuantileSketch()), 4));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OptimalBoundaries.of(LengthHistogram.of(new QuantileSketch()), 0))
                .withMessage("count: must be at least 1, found 0");
    }
}
