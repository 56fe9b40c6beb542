package io.inferwatch.analytics.quantile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantileSketchTest {
    private static final double[] QUANTILES = {0, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 1};

    /** The published bound: 0.37 % of the buckets, rounded up. */
    private static final double ERROR = 0.004;

    private static final int SEEDS = Integer.getInteger("seeds", 5);

    static Stream<Arguments> drawn() {
        return Arrays.stream(Values.values()).flatMap(values -> Stream.of(1, 2, 7, 127, 128, 129, 1_000, 30_000)
                .flatMap(n -> LongStream.range(0, SEEDS).mapToObj(seed -> Arguments.of(values, n, seed))));
    }

    @ParameterizedTest(name = "{1} values {0}, seed {2}")
    @MethodSource("drawn")
    void quantilesAreWithinTheBoundOfTheOrderStatistic(Values kind, int n, long seed) {
        long[] values = kind.draw(n, seed);
        QuantileSketch sketch = sketchOf(values);
        Arrays.sort(values);
        assertThat(sketch.n()).isEqualTo(n);
        assertThat(sketch.sum()).isEqualTo(Arrays.stream(values).sum());
        assertThat(sketch.min()).isEqualTo(values[0]);
        assertThat(sketch.max()).isEqualTo(values[n - 1]);
        assertThat(sketch.mean()).isEqualTo((double) Arrays.stream(values).sum() / n);
        for (double q : QUANTILES) {
            // ceil(q n) in decimal arithmetic, independent of the sketch's own.
            int rank = new java.math.BigDecimal(Double.toString(q))
                    .multiply(java.math.BigDecimal.valueOf(n))
                    .setScale(0, java.math.RoundingMode.CEILING)
                    .intValueExact();
            double exact = values[Math.max(1, rank) - 1];
            // Values beyond the greatest that is told apart are known by the least and the greatest alone.
            double bound = exact >= LogBuckets.MAX_VALUE ? values[n - 1] : exact * ERROR;
            assertThat(sketch.quantile(q)).as("q %s", q).isCloseTo(exact, within(bound));
        }
    }

    @ParameterizedTest(name = "{1} values {0}, seed {2}")
    @MethodSource("drawn")
    void severalQuantilesAreTheSameAsOneByOne(Values kind, int n, long seed) {
        QuantileSketch sketch = sketchOf(kind.draw(n, seed));
        double[] several = sketch.quantiles(QUANTILES);
        for (int i = 0; i < QUANTILES.length; i++) {
            assertThat(several[i]).isEqualTo(sketch.quantile(QUANTILES[i]));
            if (i > 0) {
                assertThat(several[i]).as("rises").isGreaterThanOrEqualTo(several[i - 1]);
            }
        }
        assertThat(several[0]).isBetween((double) sketch.min(), (double) sketch.max());
        assertThat(several[QUANTILES.length - 1]).isBetween((double) sketch.min(), (double) sketch.max());
    }

    @ParameterizedTest(name = "{1} values {0}, seed {2}")
    @MethodSource("drawn")
    void boundsOfARankEncloseItsValue(Values kind, int n, long seed) {
        long[] values = kind.draw(n, seed);
        QuantileSketch sketch = sketchOf(values);
        Arrays.sort(values);
        for (double q : QUANTILES) {
            long rank = sketch.rankOf(q);
            double exact = values[(int) rank - 1];
            assertThat(sketch.lowerBoundOfRank(rank)).isLessThanOrEqualTo(exact * (1 + 1e-12));
            assertThat(sketch.upperBoundOfRank(rank)).isGreaterThanOrEqualTo(exact * (1 - 1e-12));
            int bucket = sketch.bucketOfRank(rank);
            assertThat(sketch.countAbove(bucket))
                    .isEqualTo(Arrays.stream(values)
                            .filter(value -> value > 0 && LogBuckets.index(value) > bucket)
                            .count());
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void mergedIsTheSameAsAddedInWhateverOrder(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (Values kind : Values.values()) {
            for (int parts : List.of(2, 5, 40)) {
                long[] values = kind.draw(random.nextInt(1, 4_000), seed);
                QuantileSketch[] sketches = new QuantileSketch[parts];
                Arrays.setAll(sketches, i -> new QuantileSketch());
                for (long value : values) {
                    sketches[random.nextInt(parts)].add(value);
                }
                byte[] added = SketchEncoding.encode(sketchOf(values));
                byte[][] before =
                        Arrays.stream(sketches).map(SketchEncoding::encode).toArray(byte[][]::new);
                assertThat(SketchEncoding.encode(fold(sketches))).isEqualTo(added);
                java.util.Collections.reverse(Arrays.asList(sketches));
                assertThat(SketchEncoding.encode(fold(sketches))).isEqualTo(added);
                assertThat(SketchEncoding.encode(pairwise(sketches, 0, parts))).isEqualTo(added);
                byte[][] after =
                        Arrays.stream(sketches).map(SketchEncoding::encode).toArray(byte[][]::new);
                java.util.Collections.reverse(Arrays.asList(after));
                assertThat(after).as("merged sketches stay as they are").isDeepEqualTo(before);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Values.class)
    void readingInBetweenChangesNothing(Values kind) {
        long[] values = kind.draw(1_000, 9);
        QuantileSketch read = new QuantileSketch();
        for (long value : values) {
            read.add(value);
            assertThat(read.quantile(0.5)).isBetween((double) read.min(), (double) read.max());
        }
        assertThat(SketchEncoding.encode(read)).isEqualTo(SketchEncoding.encode(sketchOf(values)));
    }

    @ParameterizedTest
    @EnumSource(Values.class)
    void addingAValueSeveralTimesIsAddingItAgainAndAgain(Values kind) {
        QuantileSketch weighted = new QuantileSketch();
        QuantileSketch repeated = new QuantileSketch();
        SplittableRandom random = new SplittableRandom(3);
        for (long value : kind.draw(300, 3)) {
            int times = random.nextInt(1, 5);
            weighted.add(value, times);
            for (int i = 0; i < times; i++) {
                repeated.add(value);
            }
        }
        assertThat(SketchEncoding.encode(weighted)).isEqualTo(SketchEncoding.encode(repeated));
    }

    @ParameterizedTest
    @EnumSource(Values.class)
    void showsEveryBucketThatHoldsValues(Values kind) {
        long[] values = kind.draw(2_000, 4);
        java.util.SortedMap<Integer, Long> expected = new java.util.TreeMap<>();
        for (long value : values) {
            expected.merge(value == 0 ? -1 : LogBuckets.index(value), 1L, Long::sum);
        }
        java.util.Map<Integer, Long> shown = new java.util.LinkedHashMap<>();
        sketchOf(values).forEachBucket(shown::put);
        assertThat(List.copyOf(shown.entrySet())).isEqualTo(List.copyOf(expected.entrySet()));
    }

    @Test
    void aClearedSketchIsAsNew() {
        QuantileSketch sketch = new QuantileSketch();
        for (int n : new int[] {50, 5_000, 3, 128, 129}) {
            long[] values = Values.LOGNORMAL.draw(n, n);
            Arrays.stream(values).forEach(sketch::add);
            assertThat(SketchEncoding.encode(sketch)).isEqualTo(SketchEncoding.encode(sketchOf(values)));
            sketch.clear();
            assertThat(sketch.n()).isZero();
            assertThat(sketch.sum()).isZero();
            assertThat(SketchEncoding.encode(sketch)).isEqualTo(SketchEncoding.encode(new QuantileSketch()));
        }
    }

    @Test
    void rankIsThatOfTheDecimalProduct() {
        QuantileSketch sketch = new QuantileSketch();
        sketch.add(1, 1_000_000);
        // 0.99 * 1,000,000 is exactly 990,000, and 0.29 * 100 is 28.999999999999996 in binary.
        assertThat(sketch.rankOf(0.99)).isEqualTo(990_000);
        assertThat(sketch.rankOf(0.999999)).isEqualTo(999_999);
        assertThat(sketch.rankOf(0.9999991)).isEqualTo(1_000_000);
        assertThat(sketch.rankOf(0)).isEqualTo(1);
        assertThat(sketch.rankOf(1)).isEqualTo(1_000_000);
        sketch.add(1, 999_000_000);
        assertThat(sketch.rankOf(0.999)).isEqualTo(999_000_000);
    }

    @Test
    void theSumStopsAtTheGreatestLong() {
        QuantileSketch sketch = new QuantileSketch();
        sketch.add(Long.MAX_VALUE);
        sketch.add(1);
        assertThat(sketch.sum()).isEqualTo(Long.MAX_VALUE);
        QuantileSketch weighted = new QuantileSketch();
        weighted.add(Long.MAX_VALUE / 2, 3);
        assertThat(weighted.sum()).isEqualTo(Long.MAX_VALUE);
        weighted.merge(sketch);
        assertThat(weighted.sum()).isEqualTo(Long.MAX_VALUE);
        assertThat(weighted.n()).isEqualTo(5);
        assertThat(SketchEncoding.decode(SketchEncoding.encode(weighted)).sum()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void valuesBeyondTheLimitAreCountedAndKnownByTheGreatest() {
        QuantileSketch sketch = new QuantileSketch();
        sketch.add(LogBuckets.MAX_VALUE * 10);
        sketch.add(Long.MAX_VALUE);
        sketch.add(5);
        assertThat(sketch.n()).isEqualTo(3);
        assertThat(sketch.max()).isEqualTo(Long.MAX_VALUE);
        assertThat(sketch.upperBoundOfRank(3)).isEqualTo((double) Long.MAX_VALUE);
        assertThat(sketch.upperBoundOfRank(2)).isEqualTo((double) Long.MAX_VALUE);
        assertThat(sketch.lowerBoundOfRank(2)).isLessThanOrEqualTo(LogBuckets.MAX_VALUE);
    }

    @Test
    void refusesWhatItCannotHold() {
        QuantileSketch sketch = new QuantileSketch();
        assertThatThrownBy(() -> sketch.add(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("value: must be at least 0, found -1");
        assertThatThrownBy(() -> sketch.add(-7, 2)).hasMessage("value: must be at least 0, found -7");
        assertThatThrownBy(() -> sketch.add(1, 0)).hasMessage("times: must be at least 1, found 0");
        assertThatThrownBy(() -> sketch.merge(sketch)).hasMessage("other: must be another sketch, found the same");
        assertThat(sketch.n()).isZero();
        assertThat(sketch.sum()).isZero();
    }

    @Test
    void anEmptySketchHasNoValues() {
        QuantileSketch sketch = new QuantileSketch();
        List.<Runnable>of(
                        sketch::min, sketch::max, sketch::mean, () -> sketch.quantile(0.5), () -> sketch.quantiles(0.5))
                .forEach(read -> assertThatThrownBy(read::run)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("an empty sketch has no values"));
        assertThatThrownBy(() -> sketch.bucketOfRank(1)).hasMessage("rank: must be from 1 to 0, found 1");
        assertThat(sketch.countAbove(0)).isZero();
    }

    @Test
    void refusesQuantilesAndRanksThatDoNotExist() {
        QuantileSketch sketch = sketchOf(new long[] {0, 3, 4});
        for (double q : new double[] {-0.1, 1.1, Double.NaN}) {
            assertThatThrownBy(() -> sketch.quantile(q)).hasMessage("q: must be from 0 to 1, found " + q);
        }
        assertThatThrownBy(() -> sketch.quantiles(0.9, 0.5)).hasMessage("q: must rise from 0 to 1, found [0.9, 0.5]");
        for (long rank : new long[] {0, 4, -1}) {
            String message = "rank: must be from 1 to 3, found " + rank;
            assertThatThrownBy(() -> sketch.atRank(rank)).hasMessage(message);
            assertThatThrownBy(() -> sketch.lowerBoundOfRank(rank)).hasMessage(message);
            assertThatThrownBy(() -> sketch.upperBoundOfRank(rank)).hasMessage(message);
        }
        assertThat(sketch.bucketOfRank(1)).isEqualTo(-1);
        assertThat(sketch.atRank(1)).isZero();
        assertThat(sketch.atRank(3)).isCloseTo(4, within(4 * ERROR));
    }

    private static QuantileSketch sketchOf(long[] values) {
        QuantileSketch sketch = new QuantileSketch();
        Arrays.stream(values).forEach(sketch::add);
        return sketch;
    }

    private static QuantileSketch fold(QuantileSketch[] sketches) {
        QuantileSketch all = new QuantileSketch();
        Arrays.stream(sketches).forEach(all::merge);
        return all;
    }

    private static QuantileSketch pairwise(QuantileSketch[] sketches, int from, int to) {
        QuantileSketch all = new QuantileSketch();
        if (to - from == 1) {
            all.merge(sketches[from]);
            return all;
        }
        int middle = (from + to) / 2;
        all.merge(pairwise(sketches, middle, to));
        all.merge(pairwise(sketches, from, middle));
        return all;
    }
}
