package io.inferwatch.analytics.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.analytics.change.ReleaseGate.Verdict;
import io.inferwatch.analytics.drift.DriftRule.Direction;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Gates that are asked every minute, over lognormal latencies with sigma 0.8. Written to target/release-gate-*.txt; {@link ReleaseGateRatesLongTest} does the whole of it, for the README.
 */
class ReleaseGateRatesTest {
    /** Nothing is ever passed, so that every look is a chance to err. */
    private static final GateRule WATCHED = new GateRule(0.99, 0.03, 0.01, 1e-12, 1.5, 24, Direction.UP);

    private static final int TABLE = 1 << 16;

    int rounds() {
        return 30;
    }

    /** Requests a minute and arm of the watch of a day. */
    int requestsAMinute() {
        return 60;
    }

    private final long[] latencies = latencies();

    /** Values at evenly spaced probabilities, to draw from. */
    private static long[] latencies() {
        SplittableRandom random = new SplittableRandom(7);
        long[] table = new long[TABLE];
        for (int i = 0; i < TABLE; i++) {
            table[i] = Math.round(1e6 * Math.exp(0.8 * random.nextGaussian()));
        }
        return table;
    }

    private void add(QuantileSketch sketch, int n, SplittableRandom random, double factor) {
        for (int i = 0; i < n; i++) {
            sketch.add((long) (factor * latencies[random.nextInt(TABLE)]));
        }
    }

    /** The minute in which the gate says so; 0 where it never does. */
    private int minuteOf(Verdict verdict, GateRule rule, int seed, int minutes, int aMinute, double factor) {
        ReleaseGate gate = new ReleaseGate(rule);
        SplittableRandom random = new SplittableRandom(seed);
        QuantileSketch baseline = new QuantileSketch();
        QuantileSketch candidate = new QuantileSketch();
        for (int minute = 1; minute <= minutes; minute++) {
            add(baseline, aMinute, random, 1);
            add(candidate, aMinute, random, factor);
            Verdict now =
                    gate.look(Map.of("", baseline), Map.of("", candidate), 1).verdict();
            if (now != Verdict.INCONCLUSIVE) {
                return now == verdict ? minute : 0;
            }
        }
        return 0;
    }

    @Test
    void versionsThatAreAlikeAreSeldomRegressedInADaySeedsFrom1() throws IOException {
        int regressed = 0;
        for (int seed = 1; seed <= rounds(); seed++) {
            regressed += minuteOf(Verdict.REGRESSED, WATCHED, seed, 1_440, requestsAMinute(), 1) > 0 ? 1 : 0;
        }
        report("alike", "alike, 24 h: %.4f regressed of %d%n", (double) regressed / rounds(), rounds());
        // Two of thirty have a chance of 0.036 at the limit itself.
        assertThat(regressed).isLessThanOrEqualTo(Math.max(1, rounds() / 100));
    }

    @Test
    void tenPercentAreFoundWithinHalfAnHourSeedsFrom1() throws IOException {
        int found = 0;
        int passed = 0;
        long minutes = 0;
        for (int seed = 1; seed <= rounds(); seed++) {
            int minute = minuteOf(Verdict.REGRESSED, GateRule.SLOWER, seed, 30, 2_000, 1.1);
            found += minute > 0 ? 1 : 0;
            minutes += minute;
            passed += minuteOf(Verdict.PASS, GateRule.SLOWER, seed, 30, 2_000, 1.1) > 0 ? 1 : 0;
        }
        report(
                "slower",
                "10 %% slower, 2,000 a minute: %.3f found within 30 min, after %.1f min on average; %.4f passed%n",
                (double) found / rounds(),
                (double) minutes / found,
                (double) passed / rounds());
        assertThat(found).isGreaterThanOrEqualTo((int) (0.9 * rounds()));
        assertThat(passed).isLessThanOrEqualTo(rounds() / 20);
    }

    @Test
    void whatIsJustLetPassIsSeldomPassedSeedsFrom1() throws IOException {
        int passed = 0;
        for (int seed = 1; seed <= rounds(); seed++) {
            passed += minuteOf(Verdict.PASS, GateRule.SLOWER, seed, 120, 2_000, 1.03) > 0 ? 1 : 0;
        }
        report("edge", "3 %% slower, 2 h: %.4f passed of %d%n", (double) passed / rounds(), rounds());
        assertThat(passed).isLessThanOrEqualTo(Math.max(2, rounds() / 20));
    }

    private static void report(String name, String format, Object... arguments) throws IOException {
        Files.writeString(
                Path.of("target/release-gate-" + name + ".txt"), String.format(Locale.ROOT, format, arguments));
    }
}
