package io.inferwatch.analytics.panel;

/**
 * One observation of a cluster, e.g. a window of a replica.
 *
 * @param outcome what is explained
 * @param exposure trials that counts are of, at least 0; least squares take every row alike
 * @param regressors what explains it, as many as in every other row
 */
public record Row(double outcome, double exposure, double[] regressors) {
    /** Checks the numbers. */
    public Row {
        if (!Double.isFinite(outcome)) {
            throw new IllegalArgumentException("outcome: must be finite, found " + outcome);
        }
        if (!(exposure >= 0 && exposure < Double.MAX_VALUE)) {
            throw new IllegalArgumentException("exposure: must be at least 0 and finite, found " + exposure);
        }
        for (double regressor : regressors) {
            if (!Double.isFinite(regressor)) {
                throw new IllegalArgumentException("regressors: must be finite, found " + regressor);
            }
        }
    }
}
