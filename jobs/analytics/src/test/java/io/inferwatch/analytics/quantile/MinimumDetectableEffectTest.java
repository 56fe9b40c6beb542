package io.inferwatch.analytics.quantile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.Latencies;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MinimumDetectableEffectTest {
    /** sqrt(p (1 - p)) / phi(z) of P99: the standard error of its logarithm times sqrt(n) / sigma in a lognormal body. */
    private static final double P99 = 3.733;

    @Test
    void isTwoAndAHalfStandardErrors() {
        assertThat(MinimumDetectableEffect.STANDARD_ERRORS).isCloseTo(2.486, within(0.001));
        // Published: 1,000 requests of sigma 0.5 against a large baseline show 16 %, not 3 %.
        assertThat(MinimumDetectableEffect.relative(0.5 * P99 / Math.sqrt(1_000)))
                .isCloseTo(0.16, within(0.005));
    }

    /** Published: 3 % takes 197,100 sigma^2 values on each side. */
    @ParameterizedTest
    @CsvSource({"0.5, 49275", "1, 197100"})
    void threePercentTakesThePublishedNumberOfValues(double sigma, int published) {
        double error = sigma * P99 / Math.sqrt(published);
        assertThat(MinimumDetectableEffect.relative(Math.sqrt(2) * error)).isCloseTo(0.03, within(0.0001));
        assertThat(MinimumDetectableEffect.valuesNeeded(published, error, 0.03).orElseThrow())
                .isCloseTo((long) published, within(published / 500L));
    }

    @Test
    void aLargeBaselineNeedsFewerValuesAndASmallOneCanNotBeMadeUpFor() {
        double perValue = 0.8 * P99;
        // Against an endless baseline half as many as with two like sides.
        assertThat(MinimumDetectableEffect.valuesNeeded(1e12, perValue / 1e6, 0.03)
                        .orElseThrow())
                .isCloseTo(Math.round(197_100 * 0.64 / 2), within(200L));
        assertThat(MinimumDetectableEffect.valuesNeeded(1_000, perValue / Math.sqrt(1_000), 0.03))
                .isEmpty();
    }

    /** Limits at the edges of buckets, half a bucket (a quarter of 3 %) beyond the order statistics on each side. */
    @Test
    void theErrorIsThatOfTheLimitsWithoutTheirBucket() {
        double reach = 1.959964 * 0.02 + Math.log(1.03) / 8;
        QuantileInterval limits = new QuantileInterval(1_000 * Math.exp(-reach), 1_000 * Math.exp(reach));
        assertThat(MinimumDetectableEffect.standardError(limits, 0.95)).isCloseTo(0.02, within(1e-8));
    }

    @Test
    void noErrorIsBelowThatOfABucket() {
        double least = Math.log(1.03) / 4 / (2 * 1.959964);
        assertThat(MinimumDetectableEffect.standardError(new QuantileInterval(777, 777), 0.95))
                .isCloseTo(least, within(1e-8));
        assertThat(MinimumDetectableEffect.standardError(new QuantileInterval(1_000, 1_010), 0.95))
                .isCloseTo(least, within(1e-8));
    }

    /** Against sigma 3.733 / sqrt(n), the standard error of a lognormal distribution's P99. */
    @Test
    void theErrorOfASketchIsRightOnAverageSeed1() {
        SplittableRandom random = new SplittableRandom(1);
        for (int n : new int[] {20_000, 200_000}) {
            double mean = 0;
            int rounds = 100;
            for (int i = 0; i < rounds; i++) {
                QuantileInterval limits = QuantileInterval.of(
                                Latencies.LOGNORMAL.tailOf(n, random.nextDouble(1, 1.01), random), 0.99, 0.95)
                        .orElseThrow();
                mean += MinimumDetectableEffect.standardError(limits, 0.95) / rounds;
            }
            double expected = 0.8 * P99 / Math.sqrt(n);
            assertThat(mean).as("n %d", n).isCloseTo(expected, within(expected * 0.1));
        }
    }
}
