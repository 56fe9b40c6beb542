package io.inferwatch.analytics.anomaly;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * A fleet in which nothing goes wrong, minute by minute from its first on: series of days, nights and weekends, with noise of 3 to 20 % that resembles its neighbours by 0 to 0.8, releases that move all of them by up to 8 % once
 * a week, and replicas that autoscaling takes away for some hours of a night and that begin with one slow window. Nobody may be called. Written to target/quiet-fleet.txt; {@link QuietFleetLongTest} does
 * it for thirty days, for the README.
 */
class QuietFleetTest {
    private static final int DAY = SimulatedSeries.DAY;
    private static final int RELEASE_DAYS = 7;

    int days() {
        return 8;
    }

    int series() {
        return 4;
    }

    @Test
    void nobodyIsCalledSeeds1() throws IOException {
        long windows = 0;
        long anomalous = 0;
        long suspect = 0;
        int alarms = 0;
        int alarmed = 0;
        for (int seed = 1; seed <= series(); seed++) {
            AnomalyDetector detector = new AnomalyDetector(AnomalyRule.STANDARD, Scale.LOG, Duration.ofMinutes(1));
            SplittableRandom random = new SplittableRandom(seed);
            double size = 0.03 * Math.pow(20 / 3.0, random.nextDouble());
            double likeness = 0.8 * random.nextDouble();
            boolean isScaled = random.nextInt(3) == 0;
            double noise = 0;
            int before = alarms;
            for (int minute = 0; minute < days() * DAY; minute++) {
                noise = likeness * noise + Math.sqrt(1 - likeness * likeness) * random.nextGaussian();
                int ofDay = minute % DAY;
                if (isScaled && ofDay < 300) {
                    continue;
                }
                double start = isScaled && ofDay == 300 ? 3 : 1;
                double value = SimulatedSeries.usual(minute) * release(minute) * start * Math.exp(size * noise);
                Optional<Judgement> judged = detector.observe(SimulatedSeries.endMicros(minute), value, 1_000);
                windows++;
                anomalous +=
                        judged.filter(one -> one.state() == State.ANOMALOUS).isPresent() ? 1 : 0;
                suspect += judged.filter(one -> one.state() == State.SUSPECT).isPresent() ? 1 : 0;
                alarms += judged.filter(Judgement::alarm).isPresent() ? 1 : 0;
            }
            alarmed += alarms > before ? 1 : 0;
        }
        Files.write(
                Path.of("target", "quiet-fleet.txt"),
                List.of(String.format(
                        Locale.ROOT,
                        "%d series, %d days, %d windows: told %d times of %d series, anomalous %.5f, suspect %.4f of windows",
                        series(),
                        days(),
                        windows,
                        alarms,
                        alarmed,
                        anomalous / (double) windows,
                        suspect / (double) windows)));
        assertThat(alarms).isZero();
        assertThat(anomalous / (double) windows).isLessThan(0.005);
    }

    /** The same for every series. */
    private static double release(int minute) {
        int number = (minute + 3 * DAY + 700) / (RELEASE_DAYS * DAY);
        return number == 0 ? 1 : Math.exp(0.16 * (new SplittableRandom(number).nextDouble() - 0.5));
    }
}
