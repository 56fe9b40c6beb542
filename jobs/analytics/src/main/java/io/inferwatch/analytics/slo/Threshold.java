package io.inferwatch.analytics.slo;

import io.inferwatch.analytics.quantile.LogBuckets;
import io.inferwatch.analytics.quantile.QuantileSketch;

/**
 * A limit of single values, moved to the nearest edge of the sketch's buckets, at which values can be counted exactly. It moves by 0.37 %
 * and half a unit at most; where buckets are narrower than a unit (up to some 130) not at all.
 *
 * @param isUpper whether values up to it are good; else those from it on
 * @param asked the limit as it was set, in the metric's stored unit
 * @param effective the greatest good value where it is an upper limit, else the least
 */
public record Threshold(boolean isUpper, long asked, long effective) {
    /** Values up to this one are good. */
    public static Threshold atMost(long value) {
        return new Threshold(true, value, edge(value + 1) - 1);
    }

    /** Values from this one on are good. */
    public static Threshold atLeast(long value) {
        return new Threshold(false, value, edge(value));
    }

    /** Checks the numbers. */
    public Threshold {
        if (asked < 0 || asked >= LogBuckets.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "threshold: must be from 0 and below " + LogBuckets.MAX_VALUE + ", found " + asked);
        }
    }

    /** How many values of a distribution are good, exactly. */
    public Tally count(QuantileSketch values) {
        long firstAbove = isUpper ? effective + 1 : effective;
        long above = firstAbove == 0 ? values.n() : values.countAbove(LogBuckets.index(firstAbove) - 1);
        return new Tally(isUpper ? values.n() - above : above, values.n());
    }

    /**
     * How many requests are good: those that were answered and whose value is. All that failed are bad; answered ones without a value (a time per
     * token of a single one) do not count. Where failed ones have values too, bad values are taken for answered ones', as long as there are so many: nothing
     * bad is missed.
     *
     * @param completed requests that were answered
     * @param failed requests that were not, those that their client gave up left out
     */
    public Tally countRequests(QuantileSketch values, long completed, long failed) {
        Tally tally = count(values);
        long judged = Math.min(tally.total(), completed);
        return new Tally(judged - Math.min(judged, tally.bad()), judged + failed);
    }

    /** The least value of a bucket that is nearest to a value. */
    private static long edge(long value) {
        if (value <= 0 || value >= LogBuckets.MAX_VALUE) {
            return value;
        }
        int bucket = LogBuckets.index(value);
        long below = LogBuckets.leastValue(bucket);
        long above = LogBuckets.leastValue(bucket + 1);
        return value - below <= above - value ? below : above;
    }
}
