package io.inferwatch.analytics.graphs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.graphs.JitterStudy.Observed;
import io.inferwatch.analytics.graphs.JitterStudy.Randomised;
import io.inferwatch.analytics.shape.Estimate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * How often the study says what, in worlds whose truth is known. What is measured is written to target/jitter-study-rates.txt;
 * {@link JitterStudyRatesLongTest} does the same in more rounds, for the table of the README.
 */
class JitterStudyRatesTest {
    private static final List<String> MEASURED = new ArrayList<>();

    final int rounds = rounds();

    int rounds() {
        return 50;
    }

    @AfterAll
    static void writeWhatWasMeasured() throws IOException {
        Files.write(Path.of("target", "jitter-study-rates.txt"), MEASURED);
    }

    @Test
    void withoutAnEffectFalseAlarmsAreNominalSeed31() {
        Tally tally = tally(World.NONE, 40, 31);
        assertNominal(tally.atLeast(Wording.ASSOCIATION), 0.05);
        assertNominal(tally.forward, 0.05);
        assertNominal(tally.reverse, 0.05);
        assertNominal(tally.placeboFailed, 0.05);
        assertNominal(1 - tally.covered, 0.05);
        assertNominal(1 - tally.stratifiedCovered, 0.05);
    }

    @Test
    void anEffectIsFoundWithItsSizeAndItsWaySeed32() {
        Tally tally = tally(World.CAUSE, 40, 32);
        assertThat(tally.atLeast(Wording.ASSOCIATION)).isGreaterThan(0.95);
        assertThat(tally.atLeast(Wording.TEMPORAL_ORDER_SUPPORTED)).isGreaterThan(0.9 - 3.5 * Math.sqrt(0.09 / rounds));
        assertThat(tally.atLeast(Wording.PLACEBO_PASSED)).isGreaterThan(0.5);
        assertNominal(1 - tally.covered, 0.05);
        assertNominal(tally.reverse, 0.05);
        assertNominal(tally.placeboFailed, 0.05);
        assertThat(tally.mediated).isGreaterThan(0.95);
        assertNominal(1 - tally.directCovered, 0.05);
    }

    @Test
    void aCommonCauseThatIsSeenIsAdjustedForSeed33() {
        Tally tally = tally(World.MEMORY, 40, 33);
        assertNominal(tally.atLeast(Wording.ASSOCIATION), 0.05);
        assertNominal(1 - tally.covered, 0.05);
    }

    @Test
    void aCommonCauseThatIsNotSeenStaysAnAssociationSeed34() {
        Tally tally = tally(World.HIDDEN, 40, 34);
        assertThat(tally.atLeast(Wording.ASSOCIATION)).isGreaterThan(0.95);
        assertThat(tally.atLeast(Wording.PLACEBO_PASSED)).isLessThan(0.05 + 3.5 * Math.sqrt(0.05 / rounds));
    }

    @Test
    void failuresThatMakeJitterStayAnAssociationSeed35() {
        Tally tally = tally(World.FEEDBACK, 40, 35);
        assertThat(tally.reverse).isGreaterThan(0.95);
        assertThat(tally.atLeast(Wording.TEMPORAL_ORDER_SUPPORTED)).isLessThan(0.05);
    }

    /** Plain errors by replica are too small where these are few. */
    @Test
    void fewReplicasKeepTheSizeSeed37() {
        Tally tally = tally(World.NONE, 12, 37);
        assertNominal(tally.atLeast(Wording.ASSOCIATION), 0.05);
        assertNominal(tally.forward, 0.05);
        assertNominal(tally.reverse, 0.05);
    }

    /** Fifteen replicas an arm whose failures differ by nature, by a factor of 1.6; the changed policy halves them, or does nothing. */
    @Test
    void aRandomisedPolicyIsACauseOnlyWhereItIsOneSeed36() {
        double[] none = randomised(1, 36);
        double[] half = randomised(0.5, 36);
        assertNominal(none[0], 0.05);
        assertNominal(1 - none[1], 0.05);
        assertNominal(1 - half[1], 0.05);
        assertThat(half[0]).isGreaterThan(0.5);
    }

    /** The share of rounds that say cause, and of those whose limits hold the truth. */
    private double[] randomised(double factor, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        // A lognormal has the mean exp(mu + sigma^2 / 2).
        double truth = (factor - 1) * Math.exp(-2.5 + 0.125);
        int count = 10 * rounds;
        int causes = 0;
        int covered = 0;
        for (int round = 0; round < count; round++) {
            Randomised study = (Randomised) JitterStudy.randomised(arm(1, random), arm(factor, random));
            causes += study.wording() == Wording.CAUSE ? 1 : 0;
            covered += holds(study.difference(), truth);
        }
        report(
                "randomised, times %.1f: cause %.4f, coverage %.4f",
                factor, (double) causes / count, (double) covered / count);
        return new double[] {(double) causes / count, (double) covered / count};
    }

    private static CaptureArm arm(double factor, SplittableRandom random) {
        List<CaptureCounts> replicas = new ArrayList<>();
        for (int i = 0; i < 15; i++) {
            double share = Math.min(1, factor * Math.exp(-2.5 + 0.5 * World.gaussian(random)));
            int attempts = 100 + random.nextInt(200);
            replicas.add(new CaptureCounts(attempts, World.binomial(attempts, share, random)));
        }
        return new CaptureArm(replicas);
    }

    private Tally tally(World world, int replicas, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Tally tally = new Tally(world, replicas, rounds);
        for (int round = 0; round < rounds; round++) {
            tally.add((Observed) JitterStudy.observed(world.replicas(replicas, 120, random)));
        }
        report("%s", tally);
        return tally;
    }

    /** Three and a half standard errors of a share of so many rounds, and one point that the approximations may take. */
    private void assertNominal(double share, double nominal) {
        assertThat(share).isCloseTo(nominal, within(0.01 + 3.5 * Math.sqrt(nominal * (1 - nominal) / rounds)));
    }

    private static int holds(Estimate estimate, double truth) {
        return estimate.low() <= truth && truth <= estimate.high() ? 1 : 0;
    }

    static void report(String format, Object... values) {
        MEASURED.add(String.format(Locale.ROOT, format, values));
    }

    /** Shares of rounds. */
    private static final class Tally {
        private final World world;
        private final int replicas;
        private final double part;
        private final Map<Wording, Double> wordings = new EnumMap<>(Wording.class);
        private double failures;
        private double ratio;
        private double covered;
        private double stratifiedCovered;
        private double forward;
        private double reverse;
        private double placeboFailed;
        private double placeboPassed;
        private double mediated;
        private double directCovered;

        Tally(World world, int replicas, int rounds) {
            this.world = world;
            this.replicas = replicas;
            part = 1.0 / rounds;
        }

        void add(Observed study) {
            wordings.merge(study.wording(), part, Double::sum);
            failures += part * study.failures();
            ratio += part * Math.log(study.ratio().value());
            covered += part * holds(study.ratio(), world.ratio());
            stratifiedCovered += part * holds(study.stratified().orElseThrow(), 1);
            forward += study.forwardP() < 0.05 ? part : 0;
            reverse += study.reverseP() < 0.05 ? part : 0;
            placeboFailed += study.placebo().result() == Placebo.Result.FAILED ? part : 0;
            placeboPassed += study.placebo().result() == Placebo.Result.PASSED ? part : 0;
            Mediation mediation = study.mediation().orElseThrow();
            mediated += mediation.isShown() ? part : 0;
            directCovered += part * holds(mediation.direct(), 1);
        }

        double atLeast(Wording wording) {
            return wordings.entrySet().stream()
                    .filter(entry -> entry.getKey().compareTo(wording) >= 0)
                    .mapToDouble(Map.Entry::getValue)
                    .sum();
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%s, %d replicas, %.0f failures: ratio %.4f (true %.4f), coverage %.4f, stratified holds 1 %.4f, forward %.4f, reverse %.4f, placebo failed %.4f passed %.4f, mediation %.4f direct holds 1 %.4f; association %.4f, order %.4f, placebo passed %.4f",
                    world,
                    replicas,
                    failures,
                    Math.exp(ratio),
                    world.ratio(),
                    covered,
                    stratifiedCovered,
                    forward,
                    reverse,
                    placeboFailed,
                    placeboPassed,
                    mediated,
                    directCovered,
                    atLeast(Wording.ASSOCIATION),
                    atLeast(Wording.TEMPORAL_ORDER_SUPPORTED),
                    atLeast(Wording.PLACEBO_PASSED));
        }
    }
}
