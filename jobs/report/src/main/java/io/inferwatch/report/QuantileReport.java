package io.inferwatch.report;

import io.inferwatch.analytics.quantile.QuantileInterval;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An answer to a {@link QuantileRequest}, in the metric's base unit.
 *
 * @param minutesWithData minutes of the period for which any point is stored
 * @param groups one for each combination of the dimensions asked for, the largest n first
 */
record QuantileReport(QuantileRequest request, long minutesWithData, List<Group> groups) {
    static final double CONFIDENCE = 0.95;

    QuantileReport {
        groups = List.copyOf(groups);
    }

    /**
     * The values of one combination.
     *
     * @param values of the dimensions asked for, in their order
     */
    record Group(List<String> values, long n, double min, double mean, double max, List<Quantile> quantiles) {
        Group {
            values = List.copyOf(values);
            quantiles = List.copyOf(quantiles);
        }

        static Group of(QuantileRequest request, List<String> values, QuantileSketch sketch) {
            List<Quantile> quantiles = new ArrayList<>();
            for (double q : request.q()) {
                quantiles.add(new Quantile(
                        q,
                        request.sketches().inBaseUnit(sketch.quantile(q)),
                        QuantileInterval.of(sketch, q, CONFIDENCE)
                                .map(limits -> new Limits(
                                        request.sketches().inBaseUnit(limits.low()),
                                        request.sketches().inBaseUnit(limits.high())))));
            }
            return new Group(
                    values,
                    sketch.n(),
                    request.sketches().inBaseUnit((double) sketch.min()),
                    request.sketches().inBaseUnit(sketch.mean()),
                    request.sketches().inBaseUnit((double) sketch.max()),
                    quantiles);
        }
    }

    /**
     * One quantile.
     *
     * @param value the order statistic, within 0.37 %
     * @param limits its 95 % confidence limits; empty where there are too few values: then it is not estimable
     */
    record Quantile(double q, double value, Optional<Limits> limits) {
        /** As people say it: p50, p99, p99.9. */
        String label() {
            String percent = "%.4f".formatted(q * 100).replaceAll("\\.?0+$", "");
            return "p" + percent;
        }
    }

    /** Confidence limits. */
    record Limits(double low, double high) {}
}
