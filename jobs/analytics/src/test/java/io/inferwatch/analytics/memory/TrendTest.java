package io.inferwatch.analytics.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.shape.Estimate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import org.apache.commons.statistics.distribution.NormalDistribution;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TrendTest {
    private static final NormalDistribution NORMAL = NormalDistribution.of(0, 1);

    private static final List<String> MEASURED = new ArrayList<>();

    @AfterAll
    static void writeWhatWasMeasured() throws IOException {
        Files.write(Path.of("target", "memory-trends.txt"), MEASURED);
    }

    private static long[] everySecond(int n) {
        long[] atMicros = new long[n];
        for (int i = 0; i < n; i++) {
            atMicros[i] = 1_700_000_000_000_000L + 1_000_000L * i;
        }
        return atMicros;
    }

    /** 5 + 2 x and in turn one more and one less, whose residuals have no positive autocorrelation: the textbook's errors, by hand. */
    private static Trend textbook() {
        double[] values = new double[10];
        for (int x = 0; x < 10; x++) {
            values[x] = 5 + 2 * x + (x % 2 == 0 ? 1 : -1);
        }
        return Trend.of(everySecond(10), values).orElseThrow();
    }

    @Test
    void aLineHasTheTextbooksErrors() {
        Trend trend = textbook();
        double slope = 2 - 5 / 82.5;
        double variance = (10 - 25 / 82.5) / 8;
        assertThat(trend.slope()).isCloseTo(slope, within(1e-12));
        assertThat(trend.level()).isCloseTo(14 + 4.5 * slope, within(1e-12));
        assertThat(trend.slopeVariance()).isCloseTo(variance / 82.5, within(1e-12));
        assertThat(trend.levelVariance()).isCloseTo(variance * (0.1 + 4.5 * 4.5 / 82.5), within(1e-12));
        assertThat(trend.errors()).isCloseTo(2.306, within(0.0005));
        assertThat(trend.perSecond().low()).isCloseTo(slope - 2.306 * Math.sqrt(variance / 82.5), within(1e-4));
        assertThat(trend.perSecond().high()).isCloseTo(slope + 2.306 * Math.sqrt(variance / 82.5), within(1e-4));
    }

    /** The times at which a walk in steps of a millisecond first finds the line and its limits at the limit. */
    @ParameterizedTest(name = "limit {0}")
    @CsvSource({"30", "23.5", "24", "40", "22", "21", "10"})
    void aLimitIsReachedWhenTheLineAndItsLimitsReachIt(double limit) {
        Trend trend = textbook();
        Estimate seconds = trend.secondsUntil(limit);
        assertThat(seconds.low()).isCloseTo(walked(trend, limit, 1), within(0.0011));
        assertThat(seconds.value()).isCloseTo(walked(trend, limit, 0), within(0.0011));
        assertThat(seconds.high()).isCloseTo(walked(trend, limit, -1), within(0.0011));
    }

    private static double walked(Trend trend, double limit, int side) {
        for (int i = 0; i < 100_000; i++) {
            double h = i / 1e3;
            double error =
                    Math.sqrt(trend.levelVariance() + 2 * h * trend.covariance() + h * h * trend.slopeVariance());
            if (trend.level() + trend.slope() * h + side * trend.errors() * error >= limit) {
                return h;
            }
        }
        return Double.POSITIVE_INFINITY;
    }

    @Test
    void whatDoesNotRiseNeverGetsThere() {
        double[] falling = new double[20];
        double[] flat = new double[20];
        for (int i = 0; i < 20; i++) {
            double off = i % 2 == 0 ? 1 : -1;
            falling[i] = 100 - 3 * i + off;
            flat[i] = 50 + off * (i % 4 < 2 ? 1 : 2);
        }
        Trend down = Trend.of(everySecond(20), falling).orElseThrow();
        assertThat(down.secondsUntil(1_000))
                .isEqualTo(new Estimate(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY));
        Trend level = Trend.of(everySecond(20), flat).orElseThrow();
        assertThat(level.secondsUntil(54).high()).isInfinite();
        assertThat(level.secondsUntil(54).low()).isCloseTo(walked(level, 54, 1), within(0.0011));
        Trend constant = Trend.of(everySecond(20), new double[20]).orElseThrow();
        assertThat(constant.secondsUntil(1).low()).isInfinite();
        assertThat(constant.secondsUntil(0)).isEqualTo(new Estimate(0, 0, 0));
    }

    /**
     * Readings of a line with noise that hangs together: how often limits hold the true slope, and the true time at which the true line reaches its
     * limit.
     */
    @ParameterizedTest(name = "{0} readings, correlation {1}: at least {2}, seed 1")
    @CsvSource({"20, 0, 0.93", "60, 0, 0.93", "60, 0.5, 0.92", "120, 0.8, 0.9", "600, 0.9, 0.92"})
    void limitsHoldTheTruth(int n, double correlation, double least) {
        SplittableRandom random = new SplittableRandom(1);
        int rounds = 3_000;
        int slopes = 0;
        int times = 0;
        int found = 0;
        for (int round = 0; round < rounds; round++) {
            double slope = 10.0 / n;
            double limit = slope * 2 * n;
            double[] values = new double[n];
            double noise = NORMAL.inverseCumulativeProbability(random.nextDouble());
            for (int i = 0; i < n; i++) {
                values[i] = slope * i + noise;
                noise = correlation * noise
                        + Math.sqrt(1 - correlation * correlation)
                                * NORMAL.inverseCumulativeProbability(random.nextDouble());
            }
            Optional<Trend> trend = Trend.of(everySecond(n), values);
            if (trend.isPresent()) {
                found++;
                Estimate perSecond = trend.get().perSecond();
                slopes += perSecond.low() <= slope && slope <= perSecond.high() ? 1 : 0;
                Estimate seconds = trend.get().secondsUntil(limit);
                double truth = n + 1;
                times += seconds.low() <= truth && truth <= seconds.high() ? 1 : 0;
            }
        }
        MEASURED.add(String.format(
                Locale.ROOT,
                "%d readings, correlation %.1f: slope held %.3f, time held %.3f, told %.3f",
                n,
                correlation,
                (double) slopes / found,
                (double) times / found,
                (double) found / rounds));
        assertThat((double) slopes / found).isGreaterThan(least);
        assertThat((double) times / found).isGreaterThan(least);
        assertThat((double) found / rounds).isGreaterThan(0.95);
    }

    @Test
    void tooFewReadingsShowNoTrend() {
        assertThat(Trend.of(everySecond(9), new double[9])).isEmpty();
        // Each is worth next to nothing beside its neighbour.
        double[] steps = new double[12];
        for (int i = 6; i < 12; i++) {
            steps[i] = Math.pow(i - 5, 3);
        }
        assertThat(Trend.of(everySecond(12), steps)).isEmpty();
    }

    @Test
    void readingsThatCannotBeAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Trend.of(new long[] {1, 1}, new double[] {1, 2}))
                .withMessage("atMicros: must rise, found 1 after 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Trend.of(new long[] {1, 2}, new double[] {1, Double.NaN}))
                .withMessage("values: must be finite, found NaN");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Trend.of(new long[] {1}, new double[] {1, 2}))
                .withMessage("values: must be one for each of 1 times, found 2");
    }
}
