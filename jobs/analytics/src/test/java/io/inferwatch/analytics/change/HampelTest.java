package io.inferwatch.analytics.change;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HampelTest {
    /** Around the wild value the neighbours are 9, 10, 10, 11, 10, 12, 100: median 10, deviations 1, 0, 0, 1, 0, 2, 90, of which the median is 1: the limit is 10 + 3 * 1.4826. */
    @Test
    void aWildValueBecomesTheLimit() {
        assertThat(Hampel.clipped(new double[] {9, 10, 10, 100, 11, 10, 12}, 3, 3)[3])
                .isEqualTo(10 + 3 * 1.4826);
    }

    @Test
    void aLevelStaysAsItIs() {
        double[] step = {10, 11, 12, 10.5, 11.5, 10, 20, 21, 22, 20.5, 21.5, 20};
        assertThat(Hampel.clipped(step, 3, 3)).isEqualTo(step);
    }

    /** Three of seven neighbours are off, four agree to the digit: their deviation is 0. */
    @Test
    void threeRunsAreNoLevelAmongThoseThatAgree() {
        assertThat(Hampel.clipped(new double[] {5, 5, 5, 5, 9, 9, 9, 5, 5, 5, 5}, 3, 3))
                .containsOnly(5);
    }
}
