package io.inferwatch.analytics.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.tenant.NeighbourEffect.Window;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.commons.statistics.distribution.NormalDistribution;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TenantTest {
    private static final NormalDistribution NORMAL = NormalDistribution.of(0, 1);

    /** Windows of a tenant whose P99 wanders by 320 ms where all share, and by 28 ms where each has its own, told from sketches of 2,000 latencies. */
    @ParameterizedTest
    @CsvSource({"320", "28"})
    void jitterOfP99WithAndWithoutIsolationSeed12(double deviationMillis) {
        double[] p99 = wander(60, 1_500_000, deviationMillis * 1_000, new SplittableRandom(12));
        double[] measured = Arrays.stream(p99).map(TenantTest::measured).toArray();
        Jitter jitter = Jitter.of(measured).orElseThrow();
        assertThat(jitter.windows()).isEqualTo(60);
        // Each P99 is within 0.37 %: 5.6 ms of 1.5 s.
        assertThat(jitter.deviation().value() / 1_000).isCloseTo(deviationMillis, within(2.0));
        assertThat(jitter.deviation().low()).isLessThan(deviationMillis * 1_000);
        assertThat(jitter.deviation().high()).isGreaterThan(deviationMillis * 1_000);
    }

    @Test
    void howManyTimesAsRestlessSeed13() {
        Jitter shared =
                Jitter.of(wander(60, 1_500, 320, new SplittableRandom(13))).orElseThrow();
        Jitter isolated =
                Jitter.of(wander(60, 1_500, 28, new SplittableRandom(14))).orElseThrow();
        assertThat(shared.times(isolated)).isCloseTo(320.0 / 28, within(1e-9));
    }

    /** Windows with independent and with correlated neighbours: the limits hold the true deviation as often as they say. */
    @ParameterizedTest
    @CsvSource({"0, 40", "0.5, 120"})
    void limitsHoldTheDeviationSeed15(double correlation, int windows) {
        SplittableRandom random = new SplittableRandom(15);
        int held = 0;
        for (int round = 0; round < 1_000; round++) {
            double[] values = new double[windows];
            double level = gaussian(random);
            for (int i = 0; i < windows; i++) {
                values[i] = 1_000 + 100 * level;
                level = correlation * level + Math.sqrt(1 - correlation * correlation) * gaussian(random);
            }
            Jitter jitter = Jitter.of(values).orElseThrow();
            held += jitter.deviation().low() <= 100 && 100 <= jitter.deviation().high() ? 1 : 0;
        }
        assertThat(held).isBetween(915, 985);
    }

    /** Others' load rises latency by a third from quartile to quartile, or by nothing; own load, replicas and time do more than either. */
    @ParameterizedTest
    @CsvSource({"0.3", "0"})
    void neighboursEffectIsToldFromOwnLoadAndReplicasSeed16(double effect) {
        SplittableRandom random = new SplittableRandom(16);
        int held = 0;
        int disturbed = 0;
        for (int round = 0; round < 200; round++) {
            NeighbourEffect found = NeighbourEffect.of(replicas(effect, random)).orElseThrow();
            double truth = Math.exp(effect * found.others());
            held += found.ratio().low() <= truth && truth <= found.ratio().high() ? 1 : 0;
            disturbed += found.isDisturbed() ? 1 : 0;
            assertThat(found.replicas()).isEqualTo(12);
            assertThat(found.windows()).isEqualTo(12 * 60);
        }
        assertThat(held).isBetween(180, 199);
        if (effect > 0) {
            assertThat(disturbed).isEqualTo(200);
        } else {
            assertThat(disturbed).isLessThan(14);
        }
    }

    @Test
    void whatDoesNotVaryTellsNothing() {
        List<Window> still = List.of(new Window(1, 5, 1), new Window(2, 5, 2), new Window(3, 5, 4));
        assertThat(NeighbourEffect.of(List.of(still, still))).isEmpty();
        assertThat(NeighbourEffect.of(List.of())).isEmpty();
        assertThat(Jitter.of(new double[Jitter.MIN_WINDOWS - 1])).isEmpty();
        assertThat(Jitter.of(new double[20]).orElseThrow().deviation().value()).isZero();
        assertThatThrownBy(() -> new Window(0, 1, 1)).hasMessage("latency: must be above 0 and finite, found 0.0");
        assertThatThrownBy(() -> Jitter.of(1, 2, 3, 4, 5, 6, 7, 8, 9, Double.NaN))
                .hasMessage("quantiles: must be finite, found NaN");
    }

    /** Replicas of different speed, whose minutes resemble each other; latency in milliseconds, loads in multiples of the usual one. */
    private static List<List<Window>> replicas(double effect, SplittableRandom random) {
        List<List<Window>> replicas = new ArrayList<>();
        for (int replica = 0; replica < 12; replica++) {
            double speed = gaussian(random);
            double noise = gaussian(random);
            List<Window> windows = new ArrayList<>();
            for (int minute = 0; minute < 60; minute++) {
                double others = Math.exp(0.5 * gaussian(random));
                double own = Math.exp(0.5 * gaussian(random)) + 0.3 * others;
                noise = 0.6 * noise + 0.8 * gaussian(random);
                windows.add(new Window(Math.exp(5 + speed + effect * others + 0.5 * own + 0.2 * noise), others, own));
            }
            replicas.add(windows);
        }
        return replicas;
    }

    /** Values whose mean and standard deviation are exactly these. */
    private static double[] wander(int n, double mean, double deviation, SplittableRandom random) {
        double[] values = new double[n];
        Arrays.setAll(values, i -> gaussian(random));
        double average = Arrays.stream(values).average().orElseThrow();
        double spread = Math.sqrt(
                Arrays.stream(values).map(value -> Math.pow(value - average, 2)).sum() / (n - 1));
        return Arrays.stream(values)
                .map(value -> mean + deviation * (value - average) / spread)
                .toArray();
    }

    /** The P99 that a sketch of 2,000 latencies tells, of which it is that. */
    private static double measured(double p99) {
        QuantileSketch sketch = new QuantileSketch();
        for (int i = 0; i < 2_000; i++) {
            double z = NORMAL.inverseCumulativeProbability((i + 0.5) / 2_000);
            sketch.add(Math.round(p99 * Math.exp(0.5 * (z - NORMAL.inverseCumulativeProbability(1_979.5 / 2_000)))));
        }
        return sketch.quantile(0.99);
    }

    private static double gaussian(SplittableRandom random) {
        return Math.sqrt(-2 * Math.log(1 - random.nextDouble())) * Math.cos(2 * Math.PI * random.nextDouble());
    }
}
