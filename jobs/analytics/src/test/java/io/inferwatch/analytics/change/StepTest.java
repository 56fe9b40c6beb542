package io.inferwatch.analytics.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class StepTest {
    private static final double[] RUNS = {10, 12, 11, 10, 13, 12, 11, 12, 14, 13, 15, 12, 16};

    /** z from SciPy 1.10's mannwhitneyu, asymptotic, without continuity correction; ties of all sizes. */
    @Test
    void ranksAreThoseOfMannAndWhitney() {
        assertThat(RankTest.z(RUNS, 0, 7, 13)).isCloseTo(2.4003967925959167, within(1e-12));
        double[] falling = new double[RUNS.length];
        for (int i = 0; i < falling.length; i++) {
            falling[i] = -RUNS[i];
        }
        assertThat(RankTest.z(falling, 0, 7, 13)).isCloseTo(-2.4003967925959167, within(1e-12));
        assertThat(RankTest.z(new double[] {4, 4, 4, 4, 4}, 0, 2, 5)).isZero();
    }

    /** Ten values before and six after make eight blocks of two; t and p from SciPy 1.10's ttest_ind on the blocks' means. */
    @Test
    void blocksAreTestedByTheirMeans() {
        double[] values = {10, 12, 11, 10, 13, 12, 11, 14, 10, 12, 15, 13, 16, 14, 17, 15};
        BlockTest test = BlockTest.of(values, 0, 10, 16, 8);
        assertThat(test.freedom()).isEqualTo(6);
        assertThat(test.t()).isCloseTo(5.00567859353936, within(1e-12));
        assertThat(test.p()).isCloseTo(0.002438520783714104, within(1e-14));
    }

    /** Three values after 24 are one block beside eight: the prediction interval's t, from NumPy 1.24. */
    @Test
    void aShortLevelIsOneBlockAmongMany() {
        double[] values = {
            10, 12, 11, 10, 13, 12, 11, 14, 10, 12, 11, 12, 13, 11, 12, 10, 11, 13, 10, 12, 12, 11, 10, 13, 15, 13, 16
        };
        BlockTest test = BlockTest.of(values, 0, 24, 27, 8);
        assertThat(test.freedom()).isEqualTo(7);
        assertThat(test.t()).isCloseTo(9.674326467129003, within(1e-12));
    }

    /** Squares left by the line and by the step, 8.8242 and 3.2, from NumPy 1.24's polyfit. */
    @Test
    void aStepIsHeldAgainstAStraightLine() {
        double[] values = {1, 2, 1, 2, 1, 5, 4, 5, 6, 5};
        Step step = Step.of(values, values, 0, 5, 10, 8);
        assertThat(step.aheadOfLine()).isCloseTo(2.7575757575757573, within(1e-12));
        assertThat(step.before()).isEqualTo(1);
        assertThat(step.after()).isEqualTo(5);
        assertThat(step.change()).isEqualTo(4);
        // Residuals 0, 1, 0, 1, 0, 0, -1, 0, 1, 0: their median is 0, and so is that of their distances.
        assertThat(step.sigma()).isZero();
        assertThat(step.sigmas()).isInfinite();
        double[] creeping = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
        assertThat(Step.of(creeping, creeping, 0, 5, 10, 8).aheadOfLine()).isCloseTo(0, within(1e-12));
    }

    @Test
    void whereNothingVariesAnyStepIsSure() {
        double[] values = {5, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6};
        Step step = Step.of(values, values, 0, 6, 12, 8);
        assertThat(step.blocks().t()).isInfinite();
        assertThat(step.blocks().p()).isZero();
        assertThat(step.aheadOfLine()).isInfinite();
        assertThat(step.change()).isCloseTo(0.2, within(1e-15));
    }
}
