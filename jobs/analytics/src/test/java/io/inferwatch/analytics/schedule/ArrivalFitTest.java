package io.inferwatch.analytics.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Test;

class ArrivalFitTest {
    private static final int N = 20_000;

    @Test
    void gammasParametersAreFoundSeed1() {
        ArrivalFit fit = ArrivalFit.of(sample(new Gaps.Gamma(0.4, 0.25), 1));
        assertThat(fit.best()).isInstanceOfSatisfying(Gaps.Gamma.class, gamma -> {
            // Standard errors of the likeliest: 0.9 % of the shape, 1.4 % of the scale.
            assertThat(gamma.shape()).isCloseTo(0.4, within(0.015));
            assertThat(gamma.scaleSeconds()).isCloseTo(0.25, within(0.015));
        });
        assertThat(fit.dispersion()).isGreaterThan(2);
        assertThat(Math.sqrt(N) * fit.candidates().get(0).distance()).isLessThan(1.95);
        assertThat(Math.sqrt(N) * fit.candidates().get(2).distance()).isGreaterThan(5);
    }

    @Test
    void weibullsParametersAreFoundSeed2() {
        ArrivalFit fit = ArrivalFit.of(sample(new Gaps.Weibull(1.6, 0.05), 2));
        assertThat(fit.best()).isInstanceOfSatisfying(Gaps.Weibull.class, weibull -> {
            assertThat(weibull.shape()).isCloseTo(1.6, within(0.04));
            assertThat(weibull.scaleSeconds()).isCloseTo(0.05, within(0.001));
        });
        assertThat(fit.dispersion()).isLessThan(0.8);
    }

    @Test
    void aPoissonProcessIsCalledOneSeed3() {
        ArrivalFit fit = ArrivalFit.of(sample(new Gaps.Exponential(0.2), 3));
        assertThat(fit.candidates())
                .filteredOn(candidate -> candidate.gaps() instanceof Gaps.Gamma)
                .first()
                .satisfies(candidate ->
                        assertThat(((Gaps.Gamma) candidate.gaps()).shape()).isCloseTo(1, within(0.04)));
        // Counts of 2,000 windows: a standard error of sqrt(2 / 2000).
        assertThat(fit.dispersion()).isCloseTo(1, within(0.15));
        assertThat(fit.best().mean()).isCloseTo(0.2, within(0.006));
    }

    @Test
    void arrivalsOfOneInstantAreCountedApart() {
        double[] gaps = sample(new Gaps.Exponential(1), 4);
        double[] clumped = new double[2 * N];
        for (int i = 0; i < N; i++) {
            clumped[2 * i] = gaps[i];
        }
        ArrivalFit fit = ArrivalFit.of(clumped);
        assertThat(fit.zeros()).isEqualTo(N);
        // Each arrival is two: variance four times, mean twice as great.
        assertThat(fit.dispersion()).isCloseTo(2, within(0.3));
    }

    @Test
    void tooFewGapsAreRefused() {
        assertThatThrownBy(() -> ArrivalFit.of(new double[29]))
                .hasMessage("gaps: must be at least 30 above 0 and not all alike, found 0");
    }

    /** What was drawn between limits gives back what it was drawn from, not what is left of it. */
    @Test
    void aTruncatedLognormalIsFoundAgainSeed5() {
        TruncatedLognormal truth = new TruncatedLognormal(6.8, 0.9, 16, 1_229);
        SplittableRandom random = new SplittableRandom(5);
        int[] lengths = new int[50_000];
        Arrays.setAll(lengths, i -> truth.quantile(random.nextDouble()));
        TruncatedLognormal fitted = TruncatedLognormal.fit(lengths, 16, 1_229);
        assertThat(fitted.mu()).isCloseTo(6.8, within(0.08));
        assertThat(fitted.sigma()).isCloseTo(0.9, within(0.04));
        assertThat(fitted.mean()).isCloseTo(615.04, within(5.0));
        assertThatThrownBy(() -> TruncatedLognormal.fit(new int[] {5, 5, 5}, 1, 10))
                .hasMessage("lengths: must be at least two different ones from 1 to 10, found fewer");
    }

    private static double[] sample(Gaps gaps, long seed) {
        DoubleSupplier sampler = gaps.sampler(new SplittableRandom(seed)::nextLong);
        double[] sample = new double[N];
        Arrays.setAll(sample, i -> sampler.getAsDouble());
        return sample;
    }
}
