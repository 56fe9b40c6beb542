package io.inferwatch.schemas.catalogue;

import io.inferwatch.schemas.Outcome;
import java.util.Set;

/**
 * One metric of the catalogue.
 *
 * @param name as users write it, e.g. {@code ttft}
 * @param of the kind of event that it is measured on
 * @param kind how values are put together
 * @param value field, difference of two fields, {@code 1} or {@code good}
 * @param outcomes the outcomes that count; all when empty
 * @param unit how events store the value
 * @param better which way is better
 * @param rate whether a sum is also given per second
 * @param help what it is, for people
 */
public record Metric(
        String name,
        Origin of,
        Kind kind,
        String value,
        Set<Outcome> outcomes,
        Unit unit,
        Better better,
        boolean rate,
        String help) {

    /** A metric with an unmodifiable set of outcomes. */
    public Metric {
        outcomes = Set.copyOf(outcomes);
    }

    /** What a metric is measured on. */
    public enum Origin {
        REQUESTS,
        HEARTBEATS
    }

    /** How the values of a window are put together. */
    public enum Kind {
        SUM,
        QUANTILE,
        GAUGE
    }

    /** Which way is better. */
    public enum Better {
        LOWER,
        HIGHER,
        NEITHER
    }

    /** How events store a value, and the base unit of points. */
    public enum Unit {
        MICROSECONDS("seconds", 1e-6),
        NANOSECONDS("seconds", 1e-9),
        TOKENS("tokens", 1),
        REQUESTS("requests", 1);

        private final String base;
        private final double scale;

        Unit(String base, double scale) {
            this.base = base;
            this.scale = scale;
        }

        /** The base unit: seconds, tokens, requests. */
        public String base() {
            return base;
        }

        /** Base units in one stored unit. */
        public double scale() {
            return scale;
        }
    }

    /**
     * The field of a point that holds a statistic of this metric, e.g. {@code ttft_p99_seconds}, {@code prompt_tokens_p99},
     * {@code requests_per_second}. The unit stands last where the metric's name does not say it already.
     */
    public String field(String statistic) {
        return unit.base().equals("seconds") ? name + "_" + statistic + "_seconds" : name + "_" + statistic;
    }

    /** The field of a point that holds a number without a unit, e.g. {@code ttft_n}, {@code ttft_sketch}. */
    public String unitlessField(String statistic) {
        return name + "_" + statistic;
    }
}
