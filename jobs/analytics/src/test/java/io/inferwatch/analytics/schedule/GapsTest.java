package io.inferwatch.analytics.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;

class GapsTest {
    private static final int N = 20_000;
    /** Kolmogorov's 99.9 % point for sqrt(n) D. */
    private static final double KOLMOGOROV = 1.95;

    @Test
    void gammasVariationIsOneByTheRootOfItsShape() {
        Gaps gaps = Gaps.gamma(50, 0.25);
        assertThat(gaps.mean()).isCloseTo(0.02, within(1e-12));
        assertThat(gaps.variation()).isCloseTo(2, within(1e-12));
        assertSampled(gaps, 1);
    }

    /** Mean 2 Gamma(1 + 1 / 2) = sqrt pi for shape 2 and scale 2; variation sqrt(4 / pi - 1). */
    @Test
    void weibullsMomentsAreThoseOfTheTable() {
        Gaps gaps = new Gaps.Weibull(2, 2);
        assertThat(gaps.mean()).isCloseTo(1.772453850905516, within(1e-12));
        assertThat(gaps.variation()).isCloseTo(Math.sqrt(4 / Math.PI - 1), within(1e-12));
        assertSampled(gaps, 2);
    }

    /** Distribution functions written out: 1 - e^(-x / m), and 1 - e^(-(x / s)^k). */
    @Test
    void samplesFollowTheDistributionFunctionSeed3() {
        assertFollows(new Gaps.Exponential(0.1), x -> 1 - Math.exp(-x / 0.1));
        assertFollows(new Gaps.Weibull(0.7, 0.1), x -> 1 - Math.exp(-Math.pow(x / 0.1, 0.7)));
        // Shape 2 is the sum of two exponentials.
        assertFollows(new Gaps.Gamma(2, 0.05), x -> 1 - Math.exp(-x / 0.05) * (1 + x / 0.05));
    }

    @Test
    void theSameSeedGivesTheSameGaps() {
        Gaps gaps = new Gaps.Exponential(1);
        DoubleSupplier first = gaps.sampler(new SplittableRandom(7)::nextLong);
        DoubleSupplier second = gaps.sampler(new SplittableRandom(7)::nextLong);
        for (int i = 0; i < 100; i++) {
            assertThat(first.getAsDouble()).isEqualTo(second.getAsDouble());
        }
    }

    @Test
    void constantGapsAreAlike() {
        Gaps gaps = new Gaps.Constant(0.5);
        assertThat(gaps.variation()).isZero();
        assertThat(gaps.sampler(new SplittableRandom(1)::nextLong).getAsDouble())
                .isEqualTo(0.5);
        assertThat(gaps.cumulative(0.49)).isZero();
        assertThat(gaps.cumulative(0.5)).isEqualTo(1);
    }

    @Test
    void whatIsNoDistributionIsRefused() {
        assertThatThrownBy(() -> new Gaps.Gamma(0, 1)).hasMessage("shape: must be above 0, found 0.0");
        assertThatThrownBy(() -> new Gaps.Exponential(Double.NaN)).hasMessageStartingWith("seconds: must be above 0");
    }

    private static void assertSampled(Gaps gaps, long seed) {
        DoubleSupplier sampler = gaps.sampler(new SplittableRandom(seed)::nextLong);
        double[] sample = new double[N];
        Arrays.setAll(sample, i -> sampler.getAsDouble());
        double mean = Arrays.stream(sample).average().orElseThrow();
        double variance = Arrays.stream(sample)
                .map(value -> (value - mean) * (value - mean))
                .average()
                .orElseThrow();
        assertThat(mean).isCloseTo(gaps.mean(), within(5 * gaps.variation() * gaps.mean() / Math.sqrt(N)));
        assertThat(Math.sqrt(variance) / mean).isCloseTo(gaps.variation(), within(0.1 * gaps.variation()));
    }

    private static void assertFollows(Gaps gaps, DoubleUnaryOperator distribution) {
        DoubleSupplier sampler = gaps.sampler(new SplittableRandom(3)::nextLong);
        double[] sample = new double[N];
        Arrays.setAll(sample, i -> sampler.getAsDouble());
        Arrays.sort(sample);
        double distance = 0;
        for (int i = 0; i < N; i++) {
            double expected = distribution.applyAsDouble(sample[i]);
            distance = Math.max(distance, Math.max(expected - i / (double) N, (i + 1) / (double) N - expected));
        }
        assertThat(Math.sqrt(N) * distance).isLessThan(KOLMOGOROV);
    }
}
