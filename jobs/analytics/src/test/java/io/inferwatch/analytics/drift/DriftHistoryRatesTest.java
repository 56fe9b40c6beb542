package io.inferwatch.analytics.drift;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.analytics.Latencies;
import io.inferwatch.analytics.drift.DriftHistory.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * How often whole histories are wrong and how soon they are right, by simulation of keys minute by minute. What is measured is written to
 * target/drift-history-rates.txt; {@link DriftHistoryRatesLongTest} does the same for longer, for the tables of the README.
 */
class DriftHistoryRatesTest {
    private static final int[] SIZES = {200, 1_000, 5_000, 20_000};
    private static final double[] TAUS = {0, 0.02, 0.05, 0.10};
    private static final List<String> MEASURED = new ArrayList<>();

    /** Minutes of a key without change; keys of a change. */
    int minutes() {
        return 360;
    }

    int keys() {
        return 5;
    }

    @AfterAll
    static void writeWhatWasMeasured() throws IOException {
        Files.write(Path.of("target", "drift-history-rates.txt"), MEASURED);
    }

    /** The rule's promise is one window of a hundred, whatever the windows hold and however much they differ by nature. */
    @ParameterizedTest(name = "{0}, seed 11")
    @EnumSource(Latencies.class)
    void withoutChangeTheAlarmsKeepWithinAlpha(Latencies kind) {
        for (int n : SIZES) {
            for (double tau : TAUS) {
                Quiet quiet = quiet(kind, n, tau, 0);
                report(
                        "no change, %s, %d a minute, tau %.2f: DRIFT %.4f of minutes, confirmed %d times in %d minutes",
                        kind, n, tau, quiet.alarms(), quiet.confirmed, minutes());
                assertThat(quiet.alarms()).as("%d, tau %s", n, tau).isLessThan(0.01 + noise(0.01));
            }
        }
    }

    /** Nature that lasts some minutes is harder: the rule measures how long it lasts, from few windows. */
    @ParameterizedTest(name = "correlation {0}, at most {1}, seed 11")
    @CsvSource({"0.6, 0.015", "0.9, 0.05"})
    void natureThatLastsMinutesCostsSomeFalseAlarms(double correlation, double most) {
        for (double tau : new double[] {0.05, 0.10}) {
            Quiet quiet = quiet(Latencies.LOGNORMAL, 5_000, tau, correlation);
            report(
                    "no change, 5000 a minute, tau %.2f, correlation %.1f: DRIFT %.4f of minutes, confirmed %d times",
                    tau, correlation, quiet.alarms(), quiet.confirmed);
            // Alarms come in runs here: the noise is that of a third as many minutes.
            assertThat(quiet.alarms()).as("tau %s", tau).isLessThan(most + 2 * noise(most));
        }
    }

    private Quiet quiet(Latencies kind, int n, double tau, double correlation) {
        SimulatedKey key = new SimulatedKey(kind, n, tau, correlation, new SplittableRandom(11));
        int drifts = 0;
        int confirmed = 0;
        boolean before = false;
        for (int minute = 0; minute < minutes(); minute++) {
            drifts += SimulatedKey.isDrift(key.next(1)) ? 1 : 0;
            confirmed += key.isConfirmed() && !before ? 1 : 0;
            before = key.isConfirmed();
        }
        return new Quiet(drifts, confirmed, minutes());
    }

    private record Quiet(int drifts, int confirmed, int minutes) {
        double alarms() {
            return (double) drifts / minutes;
        }
    }

    private double noise(double rate) {
        return 4 * Math.sqrt(rate / minutes());
    }

    /** Ninety minutes as usual, then two hours slower; at least so many of a hundred keys must be found and confirmed. */
    @ParameterizedTest(name = "{0} a minute, tau {1}, times {2}: DRIFT {3}, confirmed {4}, seeds 100 to 100 + keys")
    @CsvSource({
        "200,   0,    1.1, 0,   0",
        "200,   0,    1.2, 50,  5",
        "200,   0,    1.4, 95,  80",
        "200,   0,    3,   100, 100",
        "1000,  0,    1.1, 10,  0",
        "1000,  0,    1.2, 85,  65",
        "1000,  0,    1.4, 100, 100",
        "1000,  0,    3,   100, 100",
        "5000,  0,    1.1, 80,  35",
        "5000,  0,    1.2, 100, 100",
        "20000, 0,    1.1, 100, 100",
        "5000,  0.05, 1.1, 75,  40",
        "5000,  0.05, 1.2, 100, 95",
        "5000,  0.05, 1.4, 100, 100",
        "20000, 0.05, 1.1, 95,  80",
        "20000, 0.05, 1.2, 100, 95",
        "20000, 0.05, 3,   100, 100",
        "20000, 0.10, 1.2, 90,  70",
        "20000, 0.10, 1.4, 100, 95"
    })
    void aSlowerServerIsFoundAndConfirmed(int n, double tau, double factor, int found, int confirmed) {
        List<Integer> drift = new ArrayList<>();
        List<Integer> alert = new ArrayList<>();
        for (int i = 0; i < keys(); i++) {
            SimulatedKey key = learned(n, tau, i);
            int firstDrift = 0;
            int firstAlert = 0;
            for (int minute = 1; minute <= 120; minute++) {
                Step step = key.next(factor);
                firstDrift = firstDrift == 0 && SimulatedKey.isDrift(step) ? minute : firstDrift;
                firstAlert = firstAlert == 0 && key.isConfirmed() ? minute : firstAlert;
            }
            drift.add(firstDrift == 0 ? Integer.MAX_VALUE : firstDrift);
            alert.add(firstAlert == 0 ? Integer.MAX_VALUE : firstAlert);
        }
        report(
                "times %.1f, %d a minute, tau %.2f: DRIFT %.2f after %s minutes, confirmed %.2f after %s (median of %d keys)",
                factor, n, tau, share(drift), median(drift), share(alert), median(alert), keys());
        assertThat(share(drift)).isGreaterThanOrEqualTo(found / 100.0 - powerNoise(found));
        assertThat(share(alert)).isGreaterThanOrEqualTo(confirmed / 100.0 - powerNoise(confirmed));
    }

    private double powerNoise(int percent) {
        return percent == 100 ? 0 : 3 * Math.sqrt(percent * (100 - percent) / 10_000.0 / keys());
    }

    private static double share(List<Integer> minutes) {
        return (double) minutes.stream().filter(m -> m < Integer.MAX_VALUE).count() / minutes.size();
    }

    private static String median(List<Integer> minutes) {
        int[] sorted = minutes.stream().mapToInt(Integer::intValue).sorted().toArray();
        int median = sorted[sorted.length / 2];
        return median == Integer.MAX_VALUE ? "-" : Integer.toString(median);
    }

    /** Twice as slow for an hour becomes the baseline, after which the alarms are as rare as ever; and back again is no drift upwards. */
    @Test
    void afterAnHourTheNewLevelIsQuietSeeds100() {
        int[] alarms = new int[2];
        int after = 0;
        for (int i = 0; i < keys(); i++) {
            SimulatedKey key = learned(5_000, 0.05, i);
            int minute = 1;
            while (!key.next(2).rebased()) {
                minute++;
                assertThat(minute).isLessThan(120);
            }
            // Sooner where a false alarm came just before the change.
            assertThat(minute).isBetween(40, 60);
            for (int quiet = 0; quiet < 240; quiet++, after++) {
                alarms[0] += SimulatedKey.isDrift(key.next(2)) ? 1 : 0;
            }
            for (int back = 0; back < 240; back++) {
                alarms[1] += SimulatedKey.isDrift(key.next(1)) ? 1 : 0;
            }
        }
        report(
                "after an hour at times 2, 5000 a minute, tau 0.05: DRIFT %.4f of minutes, back at times 1 %.4f",
                (double) alarms[0] / after, (double) alarms[1] / after);
        for (int count : alarms) {
            assertThat((double) count / after).isLessThan(0.01 + 4 * Math.sqrt(0.01 / after));
        }
    }

    private static SimulatedKey learned(int n, double tau, int seed) {
        SimulatedKey key = new SimulatedKey(Latencies.LOGNORMAL, n, tau, 0, new SplittableRandom(100 + seed));
        for (int minute = 0; minute < 90; minute++) {
            key.next(1);
        }
        return key;
    }

    private static void report(String format, Object... values) {
        MEASURED.add(String.format(Locale.ROOT, format, values));
    }
}
