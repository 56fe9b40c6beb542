package io.inferwatch.schemas.catalogue;

import io.inferwatch.schemas.Granularity;
import io.inferwatch.schemas.Outcome;
import java.util.Optional;
import java.util.Set;

/**
 * One metric of the catalogue.
 *
 * @param name as users write it, e.g. {@code ttft}
 * @param of the kind of event that it is measured on
 * @param kind how values are put together
 * @param value field, difference, sum or share of two fields, {@code 1} or {@code good}, of samples a {@link DerivedValue}; of a histogram its signal, of
 *     operators the name that they report
 * @param outcomes the outcomes that count; all when empty
 * @param when the field that an event must have to count, if there is one
 * @param unit how events store the value
 * @param better which way is better
 * @param rate whether a sum is also given per second; a counter always is
 * @param granularity of operators: what one value stands for
 * @param help what it is, for people
 */
public record Metric(
        String name,
        Origin of,
        Kind kind,
        String value,
        Set<Outcome> outcomes,
        Optional<String> when,
        Unit unit,
        Better better,
        boolean rate,
        Optional<Granularity> granularity,
        String help) {

    /** A metric with an unmodifiable set of outcomes. */
    public Metric {
        outcomes = Set.copyOf(outcomes);
    }

    /** What a metric is measured on. */
    public enum Origin {
        REQUESTS,
        HEARTBEATS,
        ENGINE,
        GPU,
        KERNELS,
        OPERATORS;

        /** The events whose views keep such metrics: those of requests keep the gauges of heartbeats. */
        public Origin views() {
            return this == HEARTBEATS ? REQUESTS : this;
        }
    }

    /** How the values of a window are put together. */
    public enum Kind {
        /** Added up. */
        SUM,
        /** A distribution, kept as a mergeable sketch. */
        QUANTILE,
        /** Readings of a state. */
        GAUGE,
        /** A total that only grows; what it grew by in the window is added up. */
        COUNTER,
        /** An engine's own histogram, as coarse as its buckets. */
        HISTOGRAM;

        /** Whether windows hold one number of it that adds up. */
        public boolean isSum() {
            return this == SUM || this == COUNTER;
        }
    }

    /** Which way is better. */
    public enum Better {
        LOWER,
        HIGHER,
        NEITHER
    }

    /** How events store a value, and the base unit of points. */
    public enum Unit {
        MICROSECONDS("seconds", 1e-6, true, false),
        NANOSECONDS("seconds", 1e-9, true, false),
        TOKENS("tokens", 1, false, true),
        REQUESTS("requests", 1, false, true),
        /** Things counted that have no unit: blocks, steps, events. */
        ITEMS("items", 1, false, true),
        BYTES("bytes", 1, true, true),
        BYTES_PER_SECOND("bytes_per_second", 1, true, true),
        MILLIWATTS("watts", 1e-3, true, true),
        MILLIJOULES("joules", 1e-3, true, true),
        MEGAHERTZ("hertz", 1e6, true, false),
        CELSIUS("celsius", 1, true, false),
        /** A ratio, stored in millionths. */
        PPM("ratio", 1e-6, false, false),
        /** A plain number, stored in billionths. */
        BILLIONTHS("number", 1e-9, false, false);

        private final String base;
        private final double scale;
        private final boolean named;
        private final boolean additive;

        Unit(String base, double scale, boolean named, boolean additive) {
            this.base = base;
            this.scale = scale;
            this.named = named;
            this.additive = additive;
        }

        /** The base unit: seconds, tokens, bytes ... */
        public String base() {
            return base;
        }

        /** Whether readings of several subjects add up to something: memory does, a temperature does not. */
        public boolean isAdditive() {
            return additive;
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
        boolean isSaid = !unit.named || name.endsWith(unit.base);
        return name + "_" + statistic + (isSaid ? "" : "_" + unit.base);
    }

    /** The field of a point that holds a number without a unit, e.g. {@code ttft_n}, {@code ttft_sketch}. */
    public String unitlessField(String statistic) {
        return name + "_" + statistic;
    }
}
