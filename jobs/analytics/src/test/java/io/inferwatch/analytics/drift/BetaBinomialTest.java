package io.inferwatch.analytics.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.apache.commons.statistics.distribution.HypergeometricDistribution;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BetaBinomialTest {
    /** Summed with forty digits by mpmath (SciPy's betabinom is off by up to 80 % at the smallest). */
    @ParameterizedTest
    @CsvSource({
        "5000, 201, 19800, 60, 0.12219434112643391",
        "5000, 201, 19800, 70, 0.010420342492065198",
        "5000, 201, 19800, 40, 0.9184190182574273",
        "1000, 201, 19800, 25, 7.5499083021762002e-5",
        "100000, 10001, 990000, 1200, 2.4986210437925365e-9",
        "1000000, 10001, 990000, 10500, 0.00022974472244020599",
        "20, 1, 1, 7, 0.6666666666666665",
        "400, 4.5, 395.5, 9, 0.099736653252530661"
    })
    void tailsAreThoseOfFortyDigits(long n, double alpha, double beta, long k, double expected) {
        assertThat(new BetaBinomial(n, alpha, beta).atLeast(k)).isCloseTo(expected, within(expected * 1e-9));
    }

    /**
     * At least e of n current values exceed the baseline's (b+1)-th greatest exactly when at least e of the b + e greatest of all are
     * current, which in all orders of m + n values is hypergeometric.
     */
    @Test
    void exceedancesAreThoseOfAllOrdersOfBothSamples() {
        for (int m : new int[] {1, 5, 40, 400}) {
            for (int n : new int[] {1, 7, 60}) {
                for (int b : new int[] {0, m / 100, m / 10, m - 1}) {
                    BetaBinomial exceedances = new BetaBinomial(n, b + 1, m - b);
                    for (int e = 0; e <= n; e++) {
                        double expected =
                                HypergeometricDistribution.of(m + n, n, b + e).survivalProbability(e - 1);
                        assertThat(exceedances.atLeast(e))
                                .as("%d of %d above, %d of %d", b, m, e, n)
                                .isCloseTo(expected, within(1e-12 + expected * 1e-9));
                    }
                }
            }
        }
    }

    @Test
    void fewestAndMost() {
        BetaBinomial three = new BetaBinomial(3, 1, 1);
        // Uniform over 0 to 3.
        assertThat(three.atLeast(-1)).isEqualTo(1);
        assertThat(three.atLeast(0)).isEqualTo(1);
        assertThat(three.atLeast(1)).isCloseTo(0.75, within(1e-14));
        assertThat(three.atLeast(3)).isCloseTo(0.25, within(1e-14));
        assertThat(three.atLeast(4)).isZero();
        assertThat(new BetaBinomial(0, 1, 5).atLeast(1)).isZero();
    }

    @Test
    void probabilitiesBelowAnyDoubleAreZero() {
        assertThat(new BetaBinomial(1_000_000, 10_001, 990_000).atLeast(900_000))
                .isZero();
        assertThat(new BetaBinomial(1_000_000, 10_001, 990_000).atLeast(5)).isEqualTo(1);
    }
}
