package io.inferwatch.analytics.cause;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.cause.StageShares.Bucket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** On injected incidents, which know nothing of the rules. */
class CauseRankingTest {
    private static final List<String> FAULTS =
            CauseRule.STANDARD.stream().map(CauseRule::name).toList();

    /** An incident with what it was, and what was said of it. */
    private record Case(String fault, CauseRanking ranking) {
        boolean isTop(int places) {
            OptionalDouble rank = ranking.rank(fault);
            return rank.isPresent() && rank.getAsDouble() <= places;
        }

        boolean isFirst() {
            return ranking.first().equals(fault);
        }

        double best() {
            return ranking.candidates().isEmpty()
                    ? 0
                    : ranking.candidates().get(0).score();
        }
    }

    private static List<Case> cases(long seed, int each, int unknown) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Case> cases = new ArrayList<>();
        for (int i = 0; i < each; i++) {
            FAULTS.forEach(fault -> cases.add(rank(fault, random)));
        }
        for (int i = 0; i < unknown; i++) {
            cases.add(rank(CauseRanking.UNKNOWN, random));
        }
        return cases;
    }

    private static Case rank(String fault, SplittableRandom random) {
        return new Case(
                fault, CauseRanking.of(InjectedIncident.of(fault, random), CauseRule.STANDARD, Calibration.STANDARD));
    }

    /** 25 of each of eight kinds. */
    @Test
    void theRightCauseIsFirstInSixOfTenAndAmongThreeInSevenOfEightSeed21() {
        List<Case> cases = cases(21, 25, 0);
        double top1 = cases.stream().filter(one -> one.isTop(1)).count() / 200.0;
        double top3 = cases.stream().filter(one -> one.isTop(3)).count() / 200.0;
        assertThat(top1).isGreaterThanOrEqualTo(0.6);
        assertThat(top3).isGreaterThanOrEqualTo(0.85);
    }

    /** What the shipped steps say of other incidents than those that they were fitted to: by the share that they foretell. */
    @Test
    void theCalibrationForetellsHowOftenTheFirstCauseIsRightSeed23() {
        List<Case> cases = cases(23, 100, 100);
        double[] edges = {0, 0.5, 0.8, 0.9, 0.95, 1};
        for (int i = 0; i + 1 < edges.length; i++) {
            double low = edges[i];
            double high = edges[i + 1];
            List<Case> in = cases.stream()
                    .filter(one -> 1 - one.ranking().unknown() >= low
                            && 1 - one.ranking().unknown() < high)
                    .toList();
            double foretold = in.stream()
                    .mapToDouble(one -> 1 - one.ranking().unknown())
                    .average()
                    .orElse(0);
            double right = in.stream().filter(one -> one.isTop(1)).count() / (double) in.size();
            assertThat(right).as("foretold %.2f of %d", foretold, in.size()).isCloseTo(foretold, within(0.12));
        }
    }

    @Test
    void whatNothingShowsIsUnknownFirstAndWhatSomethingShowsIsNotSeed24() {
        List<Case> cases = cases(24, 25, 100);
        assertThat(cases.stream()
                        .filter(one -> one.fault().equals(CauseRanking.UNKNOWN) && one.isFirst())
                        .count())
                .isGreaterThanOrEqualTo(90);
        assertThat(cases.stream()
                        .filter(one -> !one.fault().equals(CauseRanking.UNKNOWN)
                                && one.ranking().first().equals(CauseRanking.UNKNOWN))
                        .count())
                .isLessThanOrEqualTo(10);
    }

    /** The shipped steps are those of a fit, as far as rounding and chance leave it. */
    @Test
    void theShippedStepsAreAFitSeed22() {
        List<Case> cases = cases(22, 100, 100);
        Calibration fit = Calibration.fit(cases.stream().mapToDouble(Case::best).toArray(), hits(cases));
        for (double score : new double[] {0.1, 0.33, 0.39, 0.45, 0.52, 0.6}) {
            assertThat(fit.probability(score))
                    .as("score %.2f", score)
                    .isCloseTo(Calibration.STANDARD.probability(score), within(0.12));
        }
    }

    /** Cache timeouts nearly double before the breach and prefill takes the time; authentication fails four times as often, but after it. */
    @Test
    void whatLeadsAndExplainsTheTimeOutranksWhatMovesFurther() {
        double[] timeouts = steps(30, 100, 195, 36);
        double[] failures = steps(30, 100, 400, 43);
        Map<String, Bucket> before =
                Map.of("all", new Bucket(1_000, Map.of("prefill", 100_000.0, "authentication", 5_000.0)));
        Map<String, Bucket> now =
                Map.of("all", new Bucket(900, Map.of("prefill", 290_000.0, "authentication", 24_000.0)));
        CauseRanking ranking = CauseRanking.of(
                new Incident(
                        StageShares.of(now, before),
                        List.of(
                                Signal.of("cache_timeouts", timeouts, 30, 40, Duration.ofMinutes(1)),
                                Signal.of("authentication_errors", failures, 30, 40, Duration.ofMinutes(1))),
                        List.of(),
                        List.of()),
                CauseRule.STANDARD,
                Calibration.STANDARD);
        assertThat(ranking.first()).isEqualTo("cache-misses");
        assertThat(ranking.candidates().get(0).evidence())
                .extracting(CauseRanking.Evidence::what)
                .containsExactly(
                        "91 % of the rise in latency", "cache_timeouts +48.0 of its usual range, 4 min before");
        assertThat(ranking.rank("authentication").orElseThrow()).isGreaterThan(1);
    }

    private static double[] steps(int quiet, double level, double later, int from) {
        double[] values = new double[50];
        for (int i = 0; i < values.length; i++) {
            values[i] = (i < Math.max(quiet, from) ? level : later) + i % 3 - 1;
        }
        return values;
    }

    @Test
    void withoutAnythingNothingIsSaid() {
        CauseRanking ranking = CauseRanking.of(
                new Incident(StageShares.of(Map.of(), Map.of()), List.of(), List.of(), List.of()),
                CauseRule.STANDARD,
                Calibration.STANDARD);
        assertThat(ranking.candidates()).isEmpty();
        assertThat(ranking.unknown()).isEqualTo(1);
        assertThat(ranking.first()).isEqualTo(CauseRanking.UNKNOWN);
    }

    private static boolean[] hits(List<Case> cases) {
        boolean[] hits = new boolean[cases.size()];
        for (int i = 0; i < hits.length; i++) {
            hits[i] = cases.get(i).isTop(1);
        }
        return hits;
    }
}
