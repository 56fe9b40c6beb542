package io.inferwatch.analytics.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.change.ChangeRule.Levels;
import org.junit.jupiter.api.Test;

class SegmentCostTest {
    /**
     * From SciPy 1.10 by another way: the product of the predictive densities of each value after those before it, Student's t with 2 a degrees of freedom, location m and scale
     * sqrt(b (k + 1) / (a k)), whose parameters are updated value by value.
     */
    @Test
    void isMinusTheLogarithmOfThePredictiveDensities() {
        SegmentCost cost =
                new SegmentCost(new double[] {0.5, -0.25, 1.0, 0.75, -0.5}, new Levels(0.1, 1, 0.01, 0.001, 5));
        assertThat(cost.of(0, 5)).isCloseTo(9.403848945790036, within(1e-12));
        assertThat(cost.of(1, 4)).isCloseTo(6.8507821379764415, within(1e-12));
        assertThat(cost.of(4, 5)).isCloseTo(1.074741036772672, within(1e-12));
    }
}
