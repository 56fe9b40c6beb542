package io.inferwatch.analytics.panel;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.commons.statistics.distribution.FDistribution;

/** Coefficients, and how they hang on each cluster. See {@link Contrast} for what errors hold against. */
public final class Fit {
    private final double[] coefficients;
    private final List<double[]> influences;
    private final int clusters;

    private Fit(double[] coefficients, List<double[]> influences, int clusters) {
        this.coefficients = coefficients;
        this.influences = influences;
        this.clusters = clusters;
    }

    /** Empty where fewer than two clusters tell anything, or where a coefficient hangs on a single one: it would have no error. */
    static Optional<Fit> of(double[] coefficients, List<Moment> moments) {
        Moment all = Moment.sum(moments, coefficients.length);
        List<double[]> influences = new ArrayList<>();
        int clusters = 0;
        for (Moment moment : moments) {
            Optional<double[]> influence = moment.influence(all);
            if (influence.isEmpty()) {
                return Optional.empty();
            }
            influences.add(influence.get());
            clusters += moment.isTelling() ? 1 : 0;
        }
        return clusters < 2 ? Optional.empty() : Optional.of(new Fit(coefficients, influences, clusters));
    }

    /** Clusters that tell anything of the coefficients. */
    public int clusters() {
        return clusters;
    }

    /** A coefficient, by the position of its regressor. */
    public Contrast coefficient(int index) {
        double[] weights = new double[coefficients.length];
        weights[index] = 1;
        return contrast(weights);
    }

    /** The sum of the first coefficients, each times its weight. */
    public Contrast contrast(double... weights) {
        return new Contrast(
                product(coefficients, weights),
                influences.stream()
                        .mapToDouble(influence -> product(influence, weights))
                        .toArray(),
                clusters);
    }

    /**
     * Chance of the first so many coefficients being together at least so far from zero if the truth were zero: Hotelling's T^2 with as many
     * degrees of freedom as clusters less one [Hotelling 1931].
     */
    public double jointP(int first) {
        if (first < 1 || first > coefficients.length) {
            throw new IllegalArgumentException(
                    "first: must be from 1 to the " + coefficients.length + " coefficients, found " + first);
        }
        double[][] variances = new double[first][first];
        double[] values = new double[first];
        for (int i = 0; i < first; i++) {
            values[i] = coefficients[i];
            for (int j = 0; j < first; j++) {
                for (double[] influence : influences) {
                    variances[i][j] += influence[i] * influence[j] * (clusters - 1) / clusters;
                }
            }
        }
        if (clusters <= first) {
            return 1;
        }
        return Cholesky.of(variances)
                .map(matrix -> product(values, matrix.solve(values)))
                .map(squared -> FDistribution.of(first, clusters - (double) first)
                        .survivalProbability(squared * (clusters - first) / (first * (clusters - 1.0))))
                .orElse(1.0);
    }

    private static double product(double[] one, double[] two) {
        double sum = 0;
        for (int i = 0; i < two.length; i++) {
            sum += one[i] * two[i];
        }
        return sum;
    }
}
