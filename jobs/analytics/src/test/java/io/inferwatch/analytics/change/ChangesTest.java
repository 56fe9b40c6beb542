package io.inferwatch.analytics.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ChangesTest {
    /** Runs of 100 with noise of 1 %, the level moved from some runs on; in turn run and factor. */
    private static double[] runs(int n, int seed, double... moves) {
        SplittableRandom random = new SplittableRandom(seed);
        double[] values = new double[n];
        for (int i = 0; i < n; i++) {
            double level = 100;
            for (int move = 0; move < moves.length; move += 2) {
                level *= i < moves[move] ? 1 : moves[move + 1];
            }
            values[i] = level * (1 + 0.01 * random.nextGaussian());
        }
        return values;
    }

    private static Changes changes(double[] values) {
        return Changes.of(values, ChangeRule.STANDARD);
    }

    @Test
    void aStepIsFoundWhereItIsSeeds1To20() {
        for (int seed = 1; seed <= 20; seed++) {
            List<Change> found = changes(runs(60, seed, 41, 1.06)).confirmed();
            assertThat(found).hasSize(1);
            Change change = found.get(0);
            assertThat(change.at()).isBetween(change.earliest(), change.latest());
            assertThat(41).isBetween(change.earliest(), change.latest());
            assertThat(change.latest() - change.earliest()).isLessThanOrEqualTo(3);
            assertThat(change.step().change()).isCloseTo(0.06, within(0.01));
        }
    }

    @Test
    void eachOfSeveralStepsIsFoundSeed1() {
        assertThat(changes(runs(120, 1, 30, 1.05, 60, 0.92, 100, 1.1)).confirmed())
                .extracting(Change::at)
                .containsExactly(30, 60, 100);
    }

    @Test
    void nothingIsFoundWhereNothingHappensSeeds1To20() {
        for (int seed = 1; seed <= 20; seed++) {
            assertThat(changes(runs(120, seed)).confirmed()).isEmpty();
        }
    }

    @Test
    void aWildRunIsNoChangeSeed3() {
        double[] values = runs(60, 3);
        values[30] *= 39;
        assertThat(changes(values))
                .isEqualTo(new Changes(List.of(), changes(values).suspect()));
        assertThat(changes(values).suspect()).isEmpty();
    }

    @Test
    void whatCreepsIsNoChangeSeed4() {
        double[] values = runs(120, 4);
        for (int i = 0; i < values.length; i++) {
            values[i] *= 1 + 0.002 * i;
        }
        assertThat(changes(values).confirmed()).isEmpty();
        // The peer, which asks for no more than a difference, cuts the slope to pieces.
        assertThat(EnergyDivisive.of(values, ChangeRule.Energy.PUBLISHED).length)
                .isGreaterThan(3);
    }

    /** Three, four and five runs are a suspicion, six a change. */
    @Test
    void aFewRunsAreASuspicionSeed5() {
        for (int after = 1; after <= 8; after++) {
            Changes found = changes(runs(54 + after, 5, 54, 1.1));
            assertThat(found.suspect().map(Change::at).orElse(-1))
                    .as("after %d", after)
                    .isEqualTo(after >= 3 && after < 6 ? 54 : -1);
            assertThat(found.confirmed())
                    .as("after %d", after)
                    .extracting(Change::at)
                    .isEqualTo(after < 6 ? List.of() : List.of(54));
        }
    }

    @Test
    void aSmallStepIsOnlyFoundWhereItIsAskedForSeed6() {
        double[] values = runs(120, 6, 60, 1.02);
        assertThat(changes(values).confirmed()).isEmpty();
        assertThat(Changes.of(values, ChangeRule.STANDARD.withMinChange(0)).confirmed())
                .singleElement()
                .satisfies(change -> assertThat(60).isBetween(change.earliest(), change.latest()));
    }

    @Test
    void seriesThatSayNothingHaveNoChanges() {
        assertThat(changes(new double[0])).isEqualTo(new Changes(List.of(), java.util.Optional.empty()));
        assertThat(changes(new double[] {1}).confirmed()).isEmpty();
        double[] constant = new double[50];
        Arrays.fill(constant, 7);
        assertThat(changes(constant).confirmed()).isEmpty();
        assertThat(changes(new double[50]).confirmed()).isEmpty();
        assertThatThrownBy(() -> changes(new double[] {1, Double.NaN})).hasMessage("values: must be finite, found NaN");
    }

    @Test
    void aCleanStepIsFoundToTheRun() {
        double[] values = new double[40];
        Arrays.fill(values, 0, 25, 100);
        Arrays.fill(values, 25, 40, 110);
        assertThat(changes(values).confirmed()).singleElement().satisfies(change -> {
            assertThat(change.at()).isEqualTo(25);
            assertThat(change.earliest()).isEqualTo(25);
            assertThat(change.latest()).isEqualTo(25);
        });
    }

    @Test
    void divisionsByEnergyMayBeTheCandidatesSeed7() {
        double[] values = runs(80, 7, 50, 1.08);
        assertThat(Changes.of(values, ChangeRule.STANDARD.withCandidates(ChangeRule.Energy.PUBLISHED))
                        .confirmed())
                .extracting(Change::at)
                .containsExactly(50);
    }
}
