package io.inferwatch.analytics.change;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;

/**
 * How often changes are found where there are none, any change counting, and where there is one, in made-up histories of 200 runs whose noise nobody has tuned anything on. Written to
 * target/change-rates.txt; {@link ChangeRatesLongTest} does more of them, for the README.
 */
class ChangeRatesTest {
    private static final int RUNS = 200;
    private static final ChangeRule ANY = ChangeRule.STANDARD.withMinChange(0);
    private final StringBuilder report = new StringBuilder();

    int histories() {
        return 60;
    }

    /** Chance of so few histories may have one change more than the limit allows. */
    double mostFalsePerThousand() {
        return 0.35;
    }

    private double falsePerThousand(String name, ToDoubleFunction<SplittableRandom> shock, double likeness) {
        int found = 0;
        for (int seed = 1; seed <= histories(); seed++) {
            found += Changes.of(noise(seed, shock, likeness), ANY).confirmed().size();
        }
        double rate = 1e3 * found / histories() / RUNS;
        report.append(String.format(
                Locale.ROOT, "%s, neighbours alike by %.1f: %.3f false per 1,000%n", name, likeness, rate));
        return rate;
    }

    private static double[] noise(int seed, ToDoubleFunction<SplittableRandom> shock, double likeness) {
        SplittableRandom random = new SplittableRandom(seed);
        double[] values = new double[RUNS];
        double state = 0;
        for (int i = -50; i < RUNS; i++) {
            state = likeness * state + Math.sqrt(1 - likeness * likeness) * shock.applyAsDouble(random);
            if (i >= 0) {
                values[i] = 100 + state;
            }
        }
        return values;
    }

    @Test
    void noiseOfManyKindsHasFewChangesSeedsFrom1() throws IOException {
        ToDoubleFunction<SplittableRandom> skew = random -> Math.exp(random.nextGaussian());
        ToDoubleFunction<SplittableRandom> heavy = random -> random.nextGaussian() / Math.sqrt(random.nextDouble());
        ToDoubleFunction<SplittableRandom> twoModes =
                random -> (random.nextInt(3) == 0 ? 20 : 0) + random.nextGaussian();
        double most = mostFalsePerThousand();
        assertThat(falsePerThousand("normal", SplittableRandom::nextGaussian, 0))
                .isLessThan(most);
        assertThat(falsePerThousand("normal", SplittableRandom::nextGaussian, 0.3))
                .isLessThan(most);
        assertThat(falsePerThousand("normal", SplittableRandom::nextGaussian, 0.6))
                .isLessThan(4 * most);
        assertThat(falsePerThousand("lognormal", skew, 0)).isLessThan(most);
        assertThat(falsePerThousand("heavy-tailed", heavy, 0)).isLessThan(most);
        assertThat(falsePerThousand("two modes", twoModes, 0)).isLessThan(most);
        Files.writeString(Path.of("target/change-rates.txt"), report);
    }

    /** A step of three standard deviations is mostly found within six runs, one of two within thirty. */
    @Test
    void aStepThatExceedsTheNoiseIsFoundSeedsFrom1() throws IOException {
        assertThat(found(3, 6)).isGreaterThan(0.8);
        assertThat(found(2, 6)).isGreaterThan(0.2);
        assertThat(found(2, 30)).isGreaterThan(0.9);
        Files.writeString(Path.of("target/change-power.txt"), report);
    }

    private double found(double deviations, int after) {
        int found = 0;
        for (int seed = 1; seed <= histories(); seed++) {
            double[] values = noise(seed, SplittableRandom::nextGaussian, 0);
            for (int i = RUNS - after; i < RUNS; i++) {
                values[i] += deviations;
            }
            found += Changes.of(values, ANY).confirmed().stream()
                            .anyMatch(change -> change.earliest() <= RUNS - after && change.latest() >= RUNS - after)
                    ? 1
                    : 0;
        }
        double share = (double) found / histories();
        report.append(String.format(
                Locale.ROOT,
                "%.0f deviations, %d runs after: %.3f found with the run among the suspects%n",
                deviations,
                after,
                share));
        return share;
    }
}
