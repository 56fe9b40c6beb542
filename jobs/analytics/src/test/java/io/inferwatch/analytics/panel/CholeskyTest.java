package io.inferwatch.analytics.panel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class CholeskyTest {
    /** A matrix times (1, -2, 3), by hand. */
    @Test
    void solves() {
        double[][] matrix = {{4, 2, 1}, {2, 5, 3}, {1, 3, 6}};
        double[] x = Cholesky.of(matrix).orElseThrow().solve(new double[] {3, 1, 13});
        assertThat(x).containsExactly(new double[] {1, -2, 3}, within(1e-12));
    }

    @Test
    void scaleDoesNotMatter() {
        double[][] matrix = {{4e12, 2, 1e6}, {2, 5e-12, 3e-6}, {1e6, 3e-6, 6}};
        double[] x = Cholesky.of(matrix).orElseThrow().solve(new double[] {3e6, 1e-6, 13});
        assertThat(x).containsExactly(new double[] {1e-6, -2e6, 3}, within(1e-6));
    }

    @Test
    void combinationsAndNegativesAreRefused() {
        assertThat(Cholesky.of(new double[][] {{1, 2}, {2, 4}})).isEmpty();
        assertThat(Cholesky.of(new double[][] {{0}})).isEmpty();
        assertThat(Cholesky.of(new double[][] {{1, 3}, {3, 1}})).isEmpty();
        assertThat(Cholesky.of(new double[][] {{Double.NaN}})).isEmpty();
    }
}
