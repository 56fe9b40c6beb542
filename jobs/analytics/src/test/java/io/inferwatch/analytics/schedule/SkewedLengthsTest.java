package io.inferwatch.analytics.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class SkewedLengthsTest {
    /** sin 0 = 0, sin 1 = 0.8415, sin 2 = 0.9093, sin 3 = 0.1411, sin 4 = -0.7568, sin 5 = -0.9589, by a table. */
    @Test
    void lengthsFollowTheSine() {
        SkewedLengths lengths = new SkewedLengths(1_000, 0.5);
        long[] expected = {1_000, 1_421, 1_455, 1_071, 622, 521};
        for (int i = 0; i < expected.length; i++) {
            assertThat(lengths.length(i)).isEqualTo(expected[i]);
        }
    }

    @Test
    void meanAndVariationAreThoseOfASine() {
        SkewedLengths lengths = new SkewedLengths(512, 0.8);
        int n = 100_000;
        double sum = 0;
        double squares = 0;
        for (int i = 0; i < n; i++) {
            double length = lengths.length(i);
            sum += length / n;
            squares += length * length / n;
        }
        assertThat(sum).isCloseTo(512, within(0.1));
        assertThat(Math.sqrt(squares - sum * sum) / sum).isCloseTo(lengths.variation(), within(1e-4));
        assertThat(lengths.variation()).isCloseTo(0.5657, within(1e-4));
    }

    @Test
    void noSkewMakesAllAlikeAndLengthsStayAboveZero() {
        assertThat(new SkewedLengths(64, 0).length(7)).isEqualTo(64);
        assertThat(new SkewedLengths(1, 0.99).length(5)).isEqualTo(1);
        assertThatThrownBy(() -> new SkewedLengths(0, 0.5)).hasMessage("base: must be at least 1, found 0");
        assertThatThrownBy(() -> new SkewedLengths(10, 1)).hasMessage("skew: must be from 0 to below 1, found 1.0");
    }
}
