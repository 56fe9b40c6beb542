package io.inferwatch.analytics.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TruncatedLognormalTest {
    /** The density integrated numerically (two million steps) and its distribution function inverted by halving, in Python. */
    @Test
    void meanAndQuantilesAreThoseOfTheIntegratedDensity() {
        TruncatedLognormal lengths = new TruncatedLognormal(6.8, 0.9, 16, 1_229);
        assertThat(lengths.mean()).isCloseTo(615.0423, within(0.001));
        assertThat(lengths.quantile(0.5)).isEqualTo(587);
        assertThat(lengths.quantile(0.99)).isEqualTo(1_210);
        assertThat(lengths.quantile(0)).isEqualTo(16);
        assertThat(lengths.quantile(1)).isEqualTo(1_229);
    }

    @Test
    void noLimitIsAPeakSeed5() {
        TruncatedLognormal lengths = new TruncatedLognormal(6.8, 0.9, 16, 1_229);
        SplittableRandom random = new SplittableRandom(5);
        int n = 50_000;
        double sum = 0;
        int atLimit = 0;
        for (int i = 0; i < n; i++) {
            int length = lengths.quantile(random.nextDouble());
            assertThat(length).isBetween(16, 1_229);
            sum += length;
            atLimit += length == 1_229 ? 1 : 0;
        }
        assertThat(sum / n).isCloseTo(615.04, within(5.0));
        // Cut instead of drawn anew, 36 % would be the limit.
        assertThat(atLimit).isLessThan(n / 500);
    }

    @Test
    void whatHoldsNothingIsRefused() {
        assertThatThrownBy(() -> new TruncatedLognormal(0, 0.1, 1_000, 2_000))
                .hasMessage("min, max: must hold some of the distribution, found 1000 to 2000");
        assertThatThrownBy(() -> new TruncatedLognormal(1, 0, 1, 2)).hasMessage("sigma: must be above 0, found 0.0");
        assertThatThrownBy(() -> new TruncatedLognormal(1, 1, 5, 5)).hasMessage("max: must be above min = 5, found 5");
    }
}
