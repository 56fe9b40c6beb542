package io.inferwatch.analytics.panel;

import java.util.List;
import java.util.Optional;

/**
 * What a cluster adds to the equations that coefficients solve.
 *
 * @param score gradient of its log likelihood, or its regressors times residuals
 * @param information the negative derivative of the score
 */
record Moment(double[] score, double[][] information) {

    static Moment none(int size) {
        return new Moment(new double[size], new double[size][size]);
    }

    static Moment sum(List<Moment> moments, int size) {
        Moment sum = none(size);
        for (Moment moment : moments) {
            for (int i = 0; i < size; i++) {
                sum.score[i] += moment.score[i];
                for (int j = 0; j < size; j++) {
                    sum.information[i][j] += moment.information[i][j];
                }
            }
        }
        return sum;
    }

    /** Adds the products of a deviation from the cluster's mean. */
    void add(double[] deviation, double residual, double weight) {
        for (int i = 0; i < deviation.length; i++) {
            score[i] += deviation[i] * residual;
            for (int j = 0; j < deviation.length; j++) {
                information[i][j] += weight * deviation[i] * deviation[j];
            }
        }
    }

    /** Whether the cluster tells anything of the coefficients. */
    boolean isTelling() {
        for (int i = 0; i < score.length; i++) {
            if (information[i][i] > 0) {
                return true;
            }
        }
        return false;
    }

    /** By how much the coefficients would fall without this cluster: one step of Newton's from where all of them agree. */
    Optional<double[]> influence(Moment all) {
        double[][] rest = new double[score.length][score.length];
        for (int i = 0; i < score.length; i++) {
            for (int j = 0; j < score.length; j++) {
                rest[i][j] = all.information[i][j] - information[i][j];
            }
        }
        return Cholesky.of(rest).map(matrix -> matrix.solve(score));
    }
}
