package io.inferwatch.analytics.panel;

import java.util.Optional;

/** A symmetric, positive definite matrix of a few rows, factored, so that it can be divided by. */
final class Cholesky {
    /** What is left of a diagonal element below this part of it is rounding: the row is a combination of those before. */
    private static final double SINGULAR = 1e-10;

    private final double[][] lower;

    private Cholesky(double[][] lower) {
        this.lower = lower;
    }

    /** The factors; empty where the matrix is not positive definite, or so nearly not that dividing by it means nothing. */
    static Optional<Cholesky> of(double[][] matrix) {
        int n = matrix.length;
        double[][] lower = new double[n][n];
        for (int row = 0; row < n; row++) {
            for (int column = 0; column <= row; column++) {
                double rest = matrix[row][column];
                for (int k = 0; k < column; k++) {
                    rest -= lower[row][k] * lower[column][k];
                }
                if (row != column) {
                    lower[row][column] = rest / lower[column][column];
                } else if (rest > SINGULAR * matrix[row][row]) {
                    lower[row][row] = Math.sqrt(rest);
                } else {
                    return Optional.empty();
                }
            }
        }
        return Optional.of(new Cholesky(lower));
    }

    /** The vector that the matrix turns into this one. */
    double[] solve(double[] right) {
        int n = lower.length;
        double[] x = right.clone();
        for (int row = 0; row < n; row++) {
            for (int k = 0; k < row; k++) {
                x[row] -= lower[row][k] * x[k];
            }
            x[row] /= lower[row][row];
        }
        for (int row = n - 1; row >= 0; row--) {
            for (int k = row + 1; k < n; k++) {
                x[row] -= lower[k][row] * x[k];
            }
            x[row] /= lower[row][row];
        }
        return x;
    }
}
