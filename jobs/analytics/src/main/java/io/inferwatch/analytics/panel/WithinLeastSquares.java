package io.inferwatch.analytics.panel;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Least squares with an intercept for each cluster, by deviations from the cluster's means: what lasts as long as a cluster explains nothing.
 */
public final class WithinLeastSquares {
    private WithinLeastSquares() {}

    /** Fits the rows of each cluster; empty where regressors are combinations of each other, and where {@link Fit} has no errors. */
    public static Optional<Fit> fit(List<List<Row>> clusters) {
        int size = Rows.size(clusters);
        Moment start = Moment.sum(moments(clusters, new double[size]), size);
        return Cholesky.of(start.information())
                .map(matrix -> matrix.solve(start.score()))
                .flatMap(coefficients -> Fit.of(coefficients, moments(clusters, coefficients)));
    }

    private static List<Moment> moments(List<List<Row>> clusters, double[] coefficients) {
        List<Moment> moments = new ArrayList<>();
        for (List<Row> rows : clusters) {
            Moment moment = Moment.none(coefficients.length);
            double[] weights = new double[rows.size()];
            Arrays.fill(weights, 1.0 / Math.max(1, rows.size()));
            double[] mean = Rows.mean(rows, weights, coefficients.length);
            double outcome = rows.stream().mapToDouble(Row::outcome).average().orElse(0);
            for (Row row : rows) {
                double[] deviation = Rows.deviation(row, mean);
                moment.add(deviation, row.outcome() - outcome - Rows.product(deviation, coefficients), 1);
            }
            moments.add(moment);
        }
        return moments;
    }
}
