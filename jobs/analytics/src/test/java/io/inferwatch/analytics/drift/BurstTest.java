package io.inferwatch.analytics.drift;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.apache.commons.statistics.distribution.PoissonDistribution;
import org.junit.jupiter.api.Test;

class BurstTest {
    @Test
    void steadyTrafficIsOneRegimeSeed8() {
        PoissonDistribution poisson = PoissonDistribution.of(50);
        SplittableRandom random = new SplittableRandom(8);
        for (int round = 0; round < 200; round++) {
            long[] counts = random.doubles(90)
                    .mapToLong(poisson::inverseCumulativeProbability)
                    .toArray();
            assertThat(Burst.lastStart(counts)).isZero();
        }
    }

    /** Counts of 90 and 110 in turn: mean 100, variance 20 * 100 / 19 = 105.3 (k - 1 = 19), six deviations are 61.6. */
    @Test
    void twoPanesBeyondSixDeviationsBeginARegime() {
        assertThat(Burst.lastStart(after(162, 162))).isEqualTo(20);
        assertThat(Burst.lastStart(after(161, 162))).isZero();
        assertThat(Burst.lastStart(after(162, 161))).isZero();
        assertThat(Burst.lastStart(after(38, 38))).isEqualTo(20);
        assertThat(Burst.lastStart(after(39, 38))).isZero();
        // Opposite ways are noise, not a regime.
        assertThat(Burst.lastStart(after(300, 0))).isZero();
        // One pane is not enough, nor is the latest alone.
        assertThat(Burst.lastStart(after(300, 100, 100))).isZero();
        assertThat(Burst.lastStart(after(300))).isZero();
    }

    @Test
    void theLatestRegimeCounts() {
        long[] counts = new long[40];
        Arrays.fill(counts, 0, 10, 100);
        Arrays.fill(counts, 10, 25, 1_000);
        Arrays.fill(counts, 25, 40, 100);
        assertThat(Burst.lastStart(counts)).isEqualTo(25);
        assertThat(Burst.lastStart(Arrays.copyOf(counts, 25))).isEqualTo(10);
    }

    @Test
    void fewPanesAndSilenceSayNothing() {
        assertThat(Burst.lastStart(new long[0])).isZero();
        assertThat(Burst.lastStart(new long[] {1, 1, 1, 1, 900, 900})).isZero();
        assertThat(Burst.lastStart(new long[20])).isZero();
        // After silence six requests a pane are the usual beginning, seven are a burst.
        long[] begun = new long[12];
        begun[10] = 6;
        begun[11] = 6;
        assertThat(Burst.lastStart(begun)).isZero();
        begun[10] = 7;
        begun[11] = 7;
        assertThat(Burst.lastStart(begun)).isEqualTo(10);
    }

    private static long[] after(long... last) {
        long[] counts = new long[20 + last.length];
        for (int i = 0; i < 20; i++) {
            counts[i] = i % 2 == 0 ? 90 : 110;
        }
        System.arraycopy(last, 0, counts, 20, last.length);
        return counts;
    }
}
