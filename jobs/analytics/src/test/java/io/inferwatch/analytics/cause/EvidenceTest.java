package io.inferwatch.analytics.cause;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.cause.Incident.Event;
import io.inferwatch.analytics.cause.Incident.Scope;
import io.inferwatch.analytics.cause.StageShares.Bucket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class EvidenceTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** Prefill of short prompts rises by 10 ms and of long ones by 50; long prompts are 60 % now and were 20 %. */
    @Test
    void stagesAreComparedWithinBucketsAndTheMixIsItsOwn() {
        Map<String, Bucket> before = Map.of(
                "short", new Bucket(800, Map.of("queue", 5_000.0, "prefill", 50_000.0)),
                "long", new Bucket(200, Map.of("queue", 5_000.0, "prefill", 400_000.0)));
        Map<String, Bucket> now = Map.of(
                "short", new Bucket(400, Map.of("queue", 5_000.0, "prefill", 60_000.0)),
                "long", new Bucket(600, Map.of("queue", 5_000.0, "prefill", 450_000.0)),
                "new", new Bucket(100, Map.of("queue", 9_000.0)));
        StageShares shares = StageShares.of(now, before);
        double rate = 0.4 * 10_000 + 0.6 * 50_000;
        double mix = -0.4 * 55_000 + 0.4 * 405_000;
        assertThat(shares.riseMicros()).isCloseTo(rate + mix, within(1e-6));
        assertThat(shares.byStage().get("prefill")).isCloseTo(rate / (rate + mix), within(1e-12));
        assertThat(shares.byStage().get("queue")).isZero();
        assertThat(shares.mix()).isCloseTo(mix / (rate + mix), within(1e-12));
    }

    /** What fell takes no share from what rose. */
    @Test
    void sharesAreOfWhatRose() {
        StageShares shares = StageShares.of(
                Map.of("all", new Bucket(10, Map.of("queue", 30.0, "decode", 50.0))),
                Map.of("all", new Bucket(10, Map.of("queue", 10.0, "decode", 100.0))));
        assertThat(shares.byStage()).containsEntry("queue", 1.0).containsEntry("decode", 0.0);
        assertThat(shares.riseMicros()).isEqualTo(-30);
        assertThat(shares.mix()).isZero();
    }

    @Test
    void aSignalThatLeadsIsWorthMoreThanOneThatFollows() {
        assertThat(course(0, 36).departed()).isFalse();
        assertThat(course(0, 36).weight()).isZero();
        Signal leading = course(20, 36);
        assertThat(leading.lead()).isEqualTo(Duration.ofMinutes(4));
        Signal together = course(20, 40);
        Signal following = course(20, 43);
        assertThat(following.lead()).isEqualTo(Duration.ofMinutes(-3));
        assertThat(together.weight()).isCloseTo(leading.weight() / 2, within(1e-9));
        assertThat(following.weight()).isCloseTo(leading.weight() / 10, within(1e-9));
        assertThat(course(-20, 36).change()).isNegative();
        assertThat(course(-20, 36).weight()).isCloseTo(leading.weight(), within(0.02));
    }

    /** One window far away is a spike. */
    @Test
    void aSpikeIsNoDeparture() {
        double[] values = values(0, 36);
        values[38] = 200;
        assertThat(Signal.of("x", values, 30, 40, MINUTE).departed()).isFalse();
    }

    /** A reading that never moved has a range of 1 % of itself. */
    @Test
    void aReadingThatWasStillHasARange() {
        double[] values = new double[50];
        Arrays.fill(values, 0, 36, 100);
        Arrays.fill(values, 36, 50, 105);
        assertThat(Signal.of("x", values, 30, 40, MINUTE).change()).isCloseTo(5, within(1e-9));
    }

    @Test
    void eventsFadeAndPlacesCountByWhatTheyHave() {
        assertThat(new Event("release", "v2", Duration.ZERO, false).weight()).isEqualTo(1);
        assertThat(new Event("release", "v2", Duration.ofMinutes(15), false).weight())
                .isCloseTo(Math.exp(-1), within(1e-12));
        assertThat(new Event("release", "v2", Duration.ofMinutes(30), true).weight())
                .isCloseTo(3 * Math.exp(-2), within(1e-12));
        assertThat(new Event("release", "v2", Duration.ofMinutes(-1), true).weight())
                .isZero();
        Scope node = new Scope("node", "n1", 0.7, 0.05);
        assertThat(node.lift()).isCloseTo(14, within(1e-12));
        assertThat(node.weight()).isCloseTo(0.7 * Math.log(14) / Math.log(20), within(1e-12));
        assertThat(new Scope("node", "n1", 0.05, 0.1).weight()).isZero();
        assertThatThrownBy(() -> new Scope("node", "n1", 0.5, 0))
                .hasMessage("badShare, share: must be from 0 to 1 and share above 0, found 0.5, 0.0");
    }

    /** Poisson arrivals have the score 1: 5 + 2 seconds; regular ones 0; few are looked at for ten seconds. */
    @Test
    void theWindowAdaptsToTheBurstSeed5() {
        SplittableRandom random = new SplittableRandom(5);
        long[] poisson = new long[20_000];
        Arrays.setAll(poisson, i -> Math.round(-10_000 * Math.log(1 - random.nextDouble())));
        assertThat(BurstWindow.score(poisson)).isCloseTo(1, within(0.05));
        assertThat(BurstWindow.of(poisson).toMillis()).isBetween(6_900L, 7_100L);
        long[] regular = new long[100];
        Arrays.fill(regular, 10_000);
        assertThat(BurstWindow.of(regular)).isEqualTo(Duration.ofSeconds(5));
        // Nine of ten arrive at once: mean 1, variance 9 of tens.
        long[] bursts = new long[1_000];
        Arrays.setAll(bursts, i -> i % 10 == 0 ? 10_000 : 0);
        assertThat(BurstWindow.of(bursts).toMillis()).isBetween(22_900L, 23_100L);
        assertThat(BurstWindow.of(Arrays.copyOf(bursts, 29))).isEqualTo(Duration.ofSeconds(10));
        Arrays.setAll(bursts, i -> i == 0 ? 10_000_000 : 0);
        assertThat(BurstWindow.of(bursts)).isEqualTo(Duration.ofMinutes(1));
        assertThat(BurstWindow.score()).isZero();
    }

    /** Pooled neighbours: 0 1 | 0 1 1 becomes shares that rise. */
    @Test
    void aCalibrationRises() {
        Calibration fit = Calibration.fit(
                new double[] {0.1, 0.2, 0.3, 0.4, 0.5, 0.5}, new boolean[] {false, true, false, true, true, false});
        assertThat(fit.steps())
                .containsExactly(
                        new Calibration.Step(0.1, 0),
                        new Calibration.Step(0.2, 0.5),
                        new Calibration.Step(0.4, 2 / 3.0));
        assertThat(fit.probability(0.05)).isZero();
        assertThat(fit.probability(0.39)).isEqualTo(0.5);
        assertThat(fit.probability(1)).isEqualTo(2 / 3.0);
        assertThatThrownBy(
                        () -> new Calibration(List.of(new Calibration.Step(0.2, 0.5), new Calibration.Step(0.1, 0.6))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("steps: must rise, found ");
    }

    @Test
    void nonsenseIsRefused() {
        assertThatThrownBy(() -> Signal.of("x", new double[50], 7, 40, MINUTE))
                .hasMessage("before, breach: must be from 8 and from before to 49, found 7, 40");
        assertThatThrownBy(() -> new Bucket(0, Map.of())).hasMessage("n: must be at least 1, found 0");
    }

    private static Signal course(double size, int onset) {
        return Signal.of("x", values(size, onset), 30, 40, MINUTE);
    }

    /** A reading that swings by one about 100, and by so many of its interquartile ranges of two from a window on. */
    private static double[] values(double size, int onset) {
        double[] values = new double[50];
        for (int i = 0; i < values.length; i++) {
            values[i] = 100 + i % 3 - 1 + (i >= onset ? 2 * size : 0);
        }
        return values;
    }
}
