package io.inferwatch.analytics.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;

class OverSaturationTest {
    /** A server that answers 8 of 10 requests a second: after t seconds 2 t wait, and whoever comes then waits 2 t / 8 s. */
    @Test
    void aQueueThatGrowsIsFoundOnceHalfOfTheRequestsWaitTooLong() {
        OverSaturation saturation = new OverSaturation(2.5);
        int reached = firstSecond(saturation, t -> 2L * t, t -> 2.0 * t / 8, 120, 1);
        // TTFT is above 2.5 s from second 10 on, in half of all seconds from 20 on; nothing is said before 30.
        assertThat(reached).isEqualTo(30);
    }

    @Test
    void aSlowerQueueIsFoundWhenHalfOfTheWindowIsSlow() {
        OverSaturation saturation = new OverSaturation(2.5);
        // Above 2.5 s from second 25 on: 24 of 48 seconds.
        int reached = firstSecond(saturation, t -> t, t -> 0.1 * t, 120, 2);
        assertThat(reached).isEqualTo(48);
    }

    /** Ten minutes of a hundred servers whose queues and times only fluctuate, looked at every second. */
    @Test
    void aBusyServerThatKeepsUpIsNotSeeds1To100() {
        int found = 0;
        for (int seed = 1; seed <= 100; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            OverSaturation saturation = new OverSaturation(2.5);
            found += firstSecond(saturation, t -> 50 + random.nextInt(20), t -> 4 + random.nextDouble(), 600, seed) > 0
                    ? 1
                    : 0;
        }
        assertThat(found).isLessThanOrEqualTo(8);
    }

    @Test
    void slowIsNotSaturatedWhileItIsTolerable() {
        OverSaturation saturation = new OverSaturation(60);
        assertThat(firstSecond(saturation, t -> 2L * t, t -> 0.25 * t, 120, 4)).isZero();
    }

    @Test
    void onlyTheLastTwoMinutesCount() {
        OverSaturation saturation = new OverSaturation(2.5);
        assertThat(firstSecond(saturation, t -> 2L * t, t -> 0.25 * t, 120, 5)).isPositive();
        // Empty again, and quick: two minutes later the rise is out of sight.
        for (int t = 0; t < 120; t++) {
            saturation.second(5, 0.2, 0.2, 0.3);
        }
        assertThat(saturation.isReached()).isFalse();
    }

    /** The second after which it shows, from 1; 0 for never. */
    private static int firstSecond(
            OverSaturation saturation, IntToLongFunction inFlight, IntToDoubleFunction ttft, int seconds, long seed) {
        SplittableRandom noise = new SplittableRandom(seed);
        int first = 0;
        for (int t = 1; t <= seconds; t++) {
            double[] values = new double[8];
            for (int i = 0; i < values.length; i++) {
                values[i] = ttft.applyAsDouble(t) * (1 + 0.01 * noise.nextDouble());
            }
            saturation.second(inFlight.applyAsLong(t), values);
            if (first == 0 && saturation.isReached()) {
                first = t;
            }
        }
        return first;
    }
}
