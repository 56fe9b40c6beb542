package io.inferwatch.influx;

/**
 * What a field of a window's point says of its metric. The field's name is the metric's, this suffix and, where
 * {@link #hasUnit()}, the metric's base unit.
 */
public enum Statistic {
    /** Number of values. Integer. */
    N("n", false),
    /** Least value. */
    MIN("min", true),
    /** Mean of all values. */
    MEAN("mean", true),
    /** Median. */
    P50("p50", true),
    /** 90 % of the values are at most this. */
    P90("p90", true),
    /** 95 % of the values are at most this. */
    P95("p95", true),
    /** 99 % of the values are at most this, as an order statistic: without limits beside it, it is not an estimate. */
    P99("p99", true),
    /** Lower 95 % confidence limit of P99; there where P99 is estimable, from 368 values on. */
    P99_LOW("p99_low", true),
    /** Upper 95 % confidence limit of P99; there where P99 is estimable, from 368 values on. */
    P99_HIGH("p99_high", true),
    /** 99.9 % of the values are at most this; from 3,700 values on. */
    P999("p999", true),
    /** Greatest value. */
    MAX("max", true),
    /** Latest reading of a state. */
    LAST("last", true),
    /** Mean of a state over the time for which its readings held. */
    TIME_MEAN("time_mean", true),
    /** Mean over the window of what the subjects of a series have together: its total while all of them are seen. */
    TOGETHER("together", true),
    /** An engine's histogram: half of its observations are above this bound. */
    P50_ABOVE("p50_above", true),
    /** An engine's histogram: half of its observations are at most this bound; absent where that is the open bucket. */
    P50_AT_MOST("p50_at_most", true),
    /** An engine's histogram: its P99 lies above this bound. */
    P99_ABOVE("p99_above", true),
    /** An engine's histogram: its P99 is at most this bound; absent where that is the open bucket. */
    P99_AT_MOST("p99_at_most", true),
    /** A sum divided by the window's seconds. */
    PER_SECOND("per_second", false),
    /** A sum of times. */
    TOTAL("total", true),
    /** The sketch of all values, base64; see io.inferwatch.analytics.quantile. */
    SKETCH("sketch", false);

    private final String suffix;
    private final boolean unit;

    Statistic(String suffix, boolean unit) {
        this.suffix = suffix;
        this.unit = unit;
    }

    /** As it stands in the field's name. */
    public String suffix() {
        return suffix;
    }

    /** Whether the value has the metric's unit. */
    public boolean hasUnit() {
        return unit;
    }
}
