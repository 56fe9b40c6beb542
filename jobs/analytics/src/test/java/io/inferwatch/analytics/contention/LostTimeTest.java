package io.inferwatch.analytics.contention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.contention.LostTime.Bucket;
import io.inferwatch.analytics.drift.Moments;
import io.inferwatch.analytics.shape.Estimate;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LostTimeTest {
    /** Computed by SciPy 1.17 from the definition. */
    @Test
    void limitsOfTwoBuckets() {
        LostTime lost = LostTime.of(List.of(
                        new Bucket(new Moments(60, 100, 225), new Moments(40, 130, 400)),
                        new Bucket(new Moments(200, 300, 2_500), new Moments(100, 350, 3_600)),
                        new Bucket(new Moments(29, 1, 1), new Moments(500, 9_999, 1))))
                .orElseThrow();
        assertThat(lost.operations()).isEqualTo(400);
        assertThat(lost.uncovered()).isEqualTo(529);
        assertThat(lost.micros()).isCloseTo(15.5, within(1e-12));
        assertThat(lost.errorMicros()).isCloseTo(1.78009831189179, within(1e-9));
        assertThat(lost.freedom()).isCloseTo(184.29321446837244, within(1e-6));
        assertThat(lost.estimate().low()).isCloseTo(11.988008860975315, within(1e-6));
        assertThat(lost.estimate().high()).isCloseTo(19.011991139024687, within(1e-6));
    }

    /**
     * A device that serves text, image and audio one after the other: 40, 60 and 20 us, with noise. When all come at once audio waits for both,
     * 100 us. A scheduler under which 187 of 1,000 rounds meet costs it 18.7 us an operation, one under which 32 do 3.2 us, as published.
     */
    @Test
    void aChangeOfTheSchedulingTakesAudioFromEighteenToThreeMicrosecondsSeed11() {
        Device before = new Device(187, new SplittableRandom(11));
        Device after = new Device(32, new SplittableRandom(12));
        Estimate lostBefore = LostTime.of(List.of(before.audio())).orElseThrow().estimate();
        Estimate lostAfter = LostTime.of(List.of(after.audio())).orElseThrow().estimate();
        assertThat(lostBefore.value()).isCloseTo(18.7, within(0.5));
        assertThat(lostAfter.value()).isCloseTo(3.2, within(0.25));
        assertHolds(lostBefore, before.audioWaitedMicros / 1_000);
        assertHolds(lostAfter, after.audioWaitedMicros / 1_000);
        Estimate change = LostTime.of(List.of(after.audio()))
                .orElseThrow()
                .since(LostTime.of(List.of(before.audio())).orElseThrow());
        assertThat(change.value()).isCloseTo(-15.5, within(0.6));
        assertThat(change.high()).isNegative();
        assertHolds(change, (after.audioWaitedMicros - before.audioWaitedMicros) / 1_000);
        // Text is served first and loses nothing.
        Estimate text = LostTime.of(List.of(before.bucket(0))).orElseThrow().estimate();
        assertThat(text.low()).isNegative();
        assertThat(text.high()).isPositive();
    }

    @Test
    void limitsHoldTheTruthNineteenTimesOfTwentySeed13() {
        int held = 0;
        int rounds = 1_000;
        SplittableRandom random = new SplittableRandom(13);
        for (int round = 0; round < rounds; round++) {
            LostTime before =
                    LostTime.of(List.of(new Device(400, random).audio())).orElseThrow();
            LostTime after =
                    LostTime.of(List.of(new Device(100, random).audio())).orElseThrow();
            Estimate change = after.since(before);
            double truth = 100 * (0.1 - 0.4);
            held += change.low() <= truth && truth <= change.high() ? 1 : 0;
        }
        // Three standard errors of a share of 0.95 of 1,000 are 0.021.
        assertThat(held / (double) rounds).isBetween(0.929, 0.971);
    }

    @Test
    void withoutABaselineNothingIsSaid() {
        Moments few = new Moments(29, 100, 25);
        Moments many = new Moments(500, 120, 25);
        assertThat(LostTime.of(List.of(new Bucket(few, many), new Bucket(many, few))))
                .isEmpty();
        assertThat(LostTime.of(List.of())).isEmpty();
    }

    private static void assertHolds(Estimate estimate, double truth) {
        assertThat(truth).isBetween(estimate.low(), estimate.high());
    }

    /** A thousand rounds in some of which all three units come at once, in the others each by itself. */
    private static final class Device {
        private static final double[] SERVICE = {40, 60, 20};

        private final double[][][] durations = new double[3][2][1_000];
        private final int[][] n = new int[3][2];
        private double audioWaitedMicros;

        Device(int meetings, SplittableRandom random) {
            for (int round = 0; round < 1_000; round++) {
                int shared = round < meetings ? 1 : 0;
                double queue = 0;
                for (int unit = 0; unit < 3; unit++) {
                    double service = SERVICE[unit] * (0.8 + 0.4 * random.nextDouble());
                    double waited = shared * queue;
                    audioWaitedMicros += unit == 2 ? waited : 0;
                    durations[unit][shared][n[unit][shared]++] = waited + service;
                    queue += service;
                }
            }
        }

        Bucket audio() {
            return bucket(2);
        }

        Bucket bucket(int unit) {
            return new Bucket(moments(unit, 0), moments(unit, 1));
        }

        private Moments moments(int unit, int shared) {
            int count = n[unit][shared];
            double mean = 0;
            for (int i = 0; i < count; i++) {
                mean += durations[unit][shared][i] / count;
            }
            double squares = 0;
            for (int i = 0; i < count; i++) {
                squares += Math.pow(durations[unit][shared][i] - mean, 2);
            }
            return new Moments(count, mean, squares / (count - 1));
        }
    }
}
