package io.inferwatch.analytics.graphs;

import io.inferwatch.analytics.panel.Contrast;
import io.inferwatch.analytics.shape.Estimate;

/**
 * Whether jitter of the two windows after foretells failures as well as that of the two before. No cause works backwards, while what drives
 * both looks alike from either side, as long as it does not itself come to jitter first and to failures later.
 *
 * @param after ratio of failures, for jitter that is greater by its standard deviation in both windows after
 * @param beforeToAfter how many times that the ratio for both windows before is, in the same model
 * @param result what that means
 */
public record Placebo(Estimate after, Estimate beforeToAfter, Result result) {

    /** What a placebo shows. */
    public enum Result {
        /** Nothing after, and surely more before. */
        PASSED,
        /** Something after: something drives both, or failures drive jitter. */
        FAILED,
        /** Neither is shown. */
        INCONCLUSIVE
    }

    /**
     * Judges what the windows after tell beside those before, as logarithms of ratios.
     *
     * @param difference before less after
     * @param effect whose direction the difference must have
     */
    static Placebo of(Contrast after, Contrast difference, double effect) {
        Estimate log = after.estimate();
        Estimate more = difference.estimate();
        boolean isFailed = log.low() > 0 || log.high() < 0;
        boolean isMore = effect > 0 ? more.low() > 0 : more.high() < 0;
        Result passed = isMore ? Result.PASSED : Result.INCONCLUSIVE;
        return new Placebo(after.ratio(), difference.ratio(), isFailed ? Result.FAILED : passed);
    }
}
