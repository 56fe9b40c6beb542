package io.inferwatch.analytics.panel;

import java.util.Collection;
import java.util.List;

/** Arithmetic of rows' regressors. */
final class Rows {
    private static final double ROUNDING = 1e-12;

    private Rows() {}

    /** Regressors of every row. */
    static int size(List<List<Row>> clusters) {
        List<Integer> sizes = clusters.stream()
                .flatMap(Collection::stream)
                .map(row -> row.regressors().length)
                .distinct()
                .toList();
        if (sizes.size() > 1) {
            throw new IllegalArgumentException("regressors: must be as many in every row, found " + sizes);
        }
        return sizes.isEmpty() ? 0 : sizes.get(0);
    }

    /** The weighted mean of the regressors; weights add up to one. */
    static double[] mean(List<Row> rows, double[] weights, int size) {
        double[] mean = new double[size];
        for (int row = 0; row < weights.length; row++) {
            double[] regressors = rows.get(row).regressors();
            for (int i = 0; i < size; i++) {
                mean[i] += weights[row] * regressors[i];
            }
        }
        return mean;
    }

    /** What a row's regressors differ by from a mean; rounding of what does not vary is no difference. */
    static double[] deviation(Row row, double[] mean) {
        double[] deviation = new double[mean.length];
        for (int i = 0; i < mean.length; i++) {
            double difference = row.regressors()[i] - mean[i];
            deviation[i] = Math.abs(difference) > ROUNDING * Math.abs(mean[i]) ? difference : 0;
        }
        return deviation;
    }

    static double product(double[] one, double[] two) {
        double sum = 0;
        for (int i = 0; i < one.length; i++) {
            sum += one[i] * two[i];
        }
        return sum;
    }
}
