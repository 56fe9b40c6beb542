package io.inferwatch.analytics.mix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.Latencies;
import io.inferwatch.analytics.drift.Comparison;
import io.inferwatch.analytics.drift.Comparison.Measured;
import io.inferwatch.analytics.drift.Comparison.NotEstimable;
import io.inferwatch.analytics.drift.DriftRule;
import io.inferwatch.analytics.drift.Finding;
import io.inferwatch.analytics.drift.Verdict;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TrafficMixTest {
    private static final double P99 = 0.99;
    private static final DriftRule RULE = DriftRule.SLOWER.withMinWindows(0);

    /** Prompts of three lengths, each three times slower than the one before. */
    private static final String[] LENGTHS = {"short", "middle", "long"};

    @Test
    void longerPromptsAreMixSeed1() {
        SplittableRandom random = new SplittableRandom(1);
        TrafficMix mix = TrafficMix.of(
                traffic(1, random, 800_000, 150_000, 50_000), traffic(1, random, 600_000, 250_000, 150_000));
        assertThat(verdict(mix.raw(P99, 1, RULE))).isEqualTo(Verdict.DRIFT);
        assertThat(verdict(mix.adjusted(P99, 1, RULE))).isEqualTo(Verdict.NO_DRIFT);
        assertThat(mix.ofQuantile(P99).orElseThrow().mixShare().orElseThrow()).isBetween(0.97, 1.03);
        assertThat(mix.ofMean().orElseThrow().mixShare().orElseThrow()).isBetween(0.97, 1.03);
        assertThat(mix.covered()).isEqualTo(1);
    }

    @Test
    void aSlowerServerIsRateSeed2() {
        SplittableRandom random = new SplittableRandom(2);
        TrafficMix mix =
                TrafficMix.of(traffic(1, random, 80_000, 15_000, 5_000), traffic(1.3, random, 80_000, 15_000, 5_000));
        assertThat(verdict(mix.raw(P99, 1, RULE))).isEqualTo(Verdict.DRIFT);
        assertThat(verdict(mix.adjusted(P99, 1, RULE))).isEqualTo(Verdict.DRIFT);
        assertThat(mix.ofQuantile(P99).orElseThrow().mixShare().orElseThrow()).isBetween(-0.03, 0.03);
        assertThat(mix.ofMean().orElseThrow().mixShare().orElseThrow()).isBetween(-0.03, 0.03);
        assertThat(((Measured) mix.adjusted(P99, 1, RULE)).change()).isCloseTo(0.3, within(0.06));
    }

    @Test
    void shorterPromptsHideASlowerServerSeed3() {
        SplittableRandom random = new SplittableRandom(3);
        TrafficMix mix = TrafficMix.of(
                traffic(1, random, 600_000, 250_000, 150_000), traffic(1.3, random, 870_000, 100_000, 30_000));
        assertThat(verdict(mix.raw(P99, 1, RULE))).isNotEqualTo(Verdict.DRIFT);
        assertThat(verdict(mix.adjusted(P99, 1, RULE))).isEqualTo(Verdict.DRIFT);
        Decomposition parts = mix.ofQuantile(P99).orElseThrow();
        assertThat(parts.rate()).isPositive();
        assertThat(parts.mix()).isNegative();
    }

    /**
     * 100, 200 and a new or vanished 1,000: weights 0.5, 0.4, 0.1 and 0.2, 0.5, 0.3 give means of 230 and 454.
     */
    @Test
    void kitagawasPartsByHand() {
        Map<String, QuantileSketch> before =
                Map.of("a", constant(100, 50), "b", constant(200, 40), "c", constant(1_000, 10));
        Map<String, QuantileSketch> now =
                Map.of("a", constant(120, 20), "b", constant(200, 50), "c", constant(1_100, 30));
        Decomposition parts = TrafficMix.of(before, now).ofMean().orElseThrow();
        // rate: 20 * 0.35 + 0 + 100 * 0.2 = 27; mix: -0.3 * 110 + 0.1 * 200 + 0.2 * 1050 = 197.
        assertThat(parts.total()).isCloseTo(224, within(1e-9));
        assertThat(parts.rate()).isCloseTo(27, within(1e-9));
        assertThat(parts.mix()).isCloseTo(197, within(1e-9));
        assertThat(parts.mixShare().orElseThrow()).isCloseTo(197 / 224.0, within(1e-12));

        // c is new: 0 for its rate, 0.3 * 1100 for its mix; weights before are 50/90 and 40/90.
        Decomposition withNew = TrafficMix.of(Map.of("a", constant(100, 50), "b", constant(200, 40)), now)
                .ofMean()
                .orElseThrow();
        assertThat(withNew.rate()).isCloseTo(20 * (50 / 90.0 + 0.2) / 2, within(1e-9));
        assertThat(withNew.mix())
                .isCloseTo((0.2 - 50 / 90.0) * 110 + (0.5 - 40 / 90.0) * 200 + 0.3 * 1_100, within(1e-9));

        // c has vanished: -0.1 * 1000 for its mix.
        Decomposition without = TrafficMix.of(before, Map.of("a", constant(120, 20), "b", constant(200, 50)))
                .ofMean()
                .orElseThrow();
        assertThat(without.rate()).isCloseTo(20 * (0.5 + 20 / 70.0) / 2, within(1e-9));
        assertThat(without.mix())
                .isCloseTo((20 / 70.0 - 0.5) * 110 + (50 / 70.0 - 0.4) * 200 - 0.1 * 1_000, within(1e-9));
    }

    /** The current values of a bucket weigh w_b / n_c; new buckets nothing: by a sorted array of values and weights. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {4, 5, 6})
    void theAdjustedQuantileIsThatOfSortedWeightedValues(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Map<String, QuantileSketch> before = new HashMap<>();
        Map<String, QuantileSketch> now = new HashMap<>();
        record Weighted(double value, double weight) {}
        java.util.List<Weighted> weighted = new java.util.ArrayList<>();
        java.util.List<Long> baseline = new java.util.ArrayList<>();
        for (int bucket = 0; bucket < 6; bucket++) {
            QuantileSketch was = new QuantileSketch();
            QuantileSketch is = new QuantileSketch();
            int n = random.nextInt(500, 5_000);
            int m = random.nextInt(500, 5_000);
            // Bucket 0 has vanished, bucket 5 is new; the sketches of both are there and empty on the other side.
            for (int i = 0; i < n && bucket < 5; i++) {
                long value = Math.round((1 + bucket) * Latencies.LOGNORMAL.quantile(random.nextDouble()));
                was.add(value);
                if (bucket > 0) {
                    baseline.add(value);
                }
            }
            for (int i = 0; i < m && bucket > 0; i++) {
                long value = Math.round(1.2 * (1 + bucket) * Latencies.LOGNORMAL.quantile(random.nextDouble()));
                is.add(value);
                if (bucket < 5) {
                    weighted.add(new Weighted(value, (double) n / m));
                }
            }
            before.put("bucket " + bucket, was);
            now.put("bucket " + bucket, is);
        }
        weighted.sort(java.util.Comparator.comparingDouble(Weighted::value));
        double wanted = P99 * baseline.size();
        double cumulated = 0;
        double adjusted = 0;
        for (int i = 0; cumulated < wanted; i++) {
            cumulated += weighted.get(i).weight;
            adjusted = weighted.get(i).value;
        }
        double was = baseline.stream().sorted().toList().get((int) Math.ceil(wanted) - 1);
        TrafficMix mix = TrafficMix.of(before, now);
        assertThat(1 + ((Measured) mix.adjusted(P99, 1, RULE)).change())
                .isCloseTo(adjusted / was, within(0.008 * adjusted / was));
        Decomposition parts = mix.ofQuantile(P99).orElseThrow();
        assertThat(parts.rate()).isCloseTo(adjusted - was, within(0.004 * (adjusted + was)));
        assertThat(parts.rate() + parts.mix()).isCloseTo(parts.total(), within(1e-6));
    }

    @Test
    void aBucketOfFewValuesAndMuchWeightLowersWhatCanBeSaid() {
        SplittableRandom random = new SplittableRandom(7);
        TrafficMix even = TrafficMix.of(
                traffic(1, random, 100_000, 100_000, 100_000), traffic(1, random, 100_000, 100_000, 100_000));
        TrafficMix few =
                TrafficMix.of(traffic(1, random, 100_000, 100_000, 100_000), traffic(1, random, 100_000, 100_000, 500));
        TrafficMix hardlyAny =
                TrafficMix.of(traffic(1, random, 100_000, 100_000, 100_000), traffic(1, random, 100_000, 100_000, 20));
        assertThat(((Measured) few.adjusted(P99, 1, RULE)).standardError())
                .isGreaterThan(3 * ((Measured) even.adjusted(P99, 1, RULE)).standardError());
        assertThat(hardlyAny.adjusted(P99, 1, RULE)).isInstanceOf(NotEstimable.class);
    }

    @Test
    void halfOfBothSamplesMustBeInCommonBuckets() {
        Map<String, QuantileSketch> before = Map.of("a", constant(100, 500), "b", constant(200, 500));
        TrafficMix half = TrafficMix.of(before, Map.of("a", constant(100, 1_000)));
        assertThat(half.covered()).isEqualTo(0.5);
        assertThat(half.adjusted(P99, 1, RULE)).isInstanceOf(Measured.class);
        assertThat(half.ofMean()).isPresent();
        TrafficMix less = TrafficMix.of(before, Map.of("a", constant(100, 999), "c", constant(100, 1_001)));
        assertThat(less.covered()).isEqualTo(0.4995);
        assertThat(less.adjusted(P99, 1, RULE)).isEqualTo(new NotEstimable(1_000, 2_000));
        assertThat(less.ofQuantile(P99)).isEqualTo(Optional.empty());
        assertThat(less.ofMean()).isEmpty();
        assertThat(less.raw(P99, 1, RULE)).isInstanceOf(Measured.class);
    }

    @Test
    void withoutAnyValuesNothingIsSaid() {
        TrafficMix none = TrafficMix.of(Map.of(), Map.of("a", new QuantileSketch()));
        assertThat(none.covered()).isZero();
        assertThat(none.raw(P99, 1, RULE)).isEqualTo(new NotEstimable(0, 0));
        assertThat(none.adjusted(P99, 1, RULE)).isEqualTo(new NotEstimable(0, 0));
        assertThat(none.ofQuantile(P99)).isEmpty();
        assertThat(none.ofMean()).isEmpty();
    }

    @Test
    void whatDoesNotChangeHasNoShares() {
        Map<String, QuantileSketch> same = Map.of("a", constant(100, 500));
        assertThat(TrafficMix.of(same, same).ofMean().orElseThrow().mixShare()).isEmpty();
    }

    private static Map<String, QuantileSketch> traffic(double factor, SplittableRandom random, int... counts) {
        Map<String, QuantileSketch> traffic = new HashMap<>();
        for (int i = 0; i < counts.length; i++) {
            QuantileSketch sketch = new QuantileSketch();
            for (int k = 0; k < counts[i]; k++) {
                sketch.add(Math.round(factor * Math.pow(3, i) * 50_000 * Math.exp(0.4 * gaussian(random))));
            }
            traffic.put(LENGTHS[i], sketch);
        }
        return traffic;
    }

    private static double gaussian(SplittableRandom random) {
        return Math.sqrt(-2 * Math.log(1 - random.nextDouble())) * Math.cos(2 * Math.PI * random.nextDouble());
    }

    private static QuantileSketch constant(long value, int times) {
        QuantileSketch sketch = new QuantileSketch();
        sketch.add(value, times);
        return sketch;
    }

    private static Verdict verdict(Comparison comparison) {
        return Finding.of(comparison, null, RULE).verdict();
    }
}
