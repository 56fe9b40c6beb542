package io.inferwatch.analytics.quantile;

import java.util.List;
import java.util.OptionalDouble;

/**
 * How much less a value tells than an independent one would. Requests of one engine batch wait for the same things, so the share of slow
 * ones varies more from pane to pane than chance allows; the design effect is that variance over the binomial one [Kish 1965]. Dividing
 * counts by it makes tests for independent values hold.
 */
public final class DesignEffect {
    /** Fewer panes than this say too little about their variance. */
    public static final int MIN_PANES = 12;

    private DesignEffect() {}

    /**
     * Var(share of a pane's values above the bucket) / (q (1 - q) / n), for panes of unequal n as Pearson's statistic over its degrees of
     * freedom: sum of (x_i - n_i q)^2 / (n_i q (1 - q)) over k - 1, the same where all n are equal. About 1 for independent values, with
     * a standard error of sqrt(2 / (k - 1)).
     *
     * @param panes short windows that follow each other; empty ones are left out
     * @param bucket the bucket above which a value is slow, e.g. that of the P99 of all panes
     * @return empty for fewer than {@value #MIN_PANES} panes with values, and where no value or every value is above the bucket
     */
    public static OptionalDouble of(List<QuantileSketch> panes, int bucket) {
        long n = 0;
        long above = 0;
        int filled = 0;
        for (QuantileSketch pane : panes) {
            n += pane.n();
            above += pane.countAbove(bucket);
            filled += pane.n() > 0 ? 1 : 0;
        }
        if (filled < MIN_PANES || above == 0 || above == n) {
            return OptionalDouble.empty();
        }
        double share = (double) above / n;
        double statistic = 0;
        for (QuantileSketch pane : panes) {
            if (pane.n() > 0) {
                double expected = pane.n() * share;
                double excess = pane.countAbove(bucket) - expected;
                statistic += excess * excess / (expected * (1 - share));
            }
        }
        return OptionalDouble.of(statistic / (filled - 1));
    }
}
