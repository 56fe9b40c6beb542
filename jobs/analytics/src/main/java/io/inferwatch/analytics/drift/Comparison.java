package io.inferwatch.analytics.drift;

/** Two samples compared, whatever was measured in them: quantile, mean, share or rate. */
public sealed interface Comparison {
    /** Values, trials or events of the baseline. */
    long baselineN();

    /** Values, trials or events of the current sample. */
    long currentN();

    /** In what a change is told. */
    enum Scale {
        /** As a ratio less 1: 0.03 is 3 % more. Standard errors are those of its logarithm, ln(1 + change). */
        RELATIVE,
        /** As a difference of shares: 0.01 is one point more. */
        POINTS;

        /** The change in the scale of its standard error. */
        double toScore(double change) {
            return this == RELATIVE ? Math.log1p(change) : change;
        }

        /** The change that is so great in the scale of its standard error. */
        double toChange(double score) {
            return this == RELATIVE ? Math.expm1(score) : score;
        }
    }

    /**
     * A change that could be measured.
     *
     * @param scale what the numbers mean
     * @param change current against baseline
     * @param low lower confidence limit of the change
     * @param high upper confidence limit of the change
     * @param p chance to see such data, or worse, if the change were no more than the threshold
     * @param standardError of the change, in its scale
     * @param baselineN values of the baseline
     * @param currentN values of the current sample
     */
    record Measured(
            Scale scale,
            double change,
            double low,
            double high,
            double p,
            double standardError,
            long baselineN,
            long currentN)
            implements Comparison {

        /** The same with the p-value that holds for the best of several looks at growing data, each of which may take 1/times of the risk. */
        Measured looked(int times) {
            return new Measured(scale, change, low, high, Math.min(1, times * p), standardError, baselineN, currentN);
        }
    }

    /** Too few values on one side, or a baseline of zero, to which nothing is a ratio. */
    record NotEstimable(long baselineN, long currentN) implements Comparison {}
}
