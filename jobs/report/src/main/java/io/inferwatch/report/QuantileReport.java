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
                        inBaseUnit(request, sketch.quantile(q)),
                        QuantileInterval.of(sketch, q, CONFIDENCE)
                                .map(limits -> new Limits(
                                        inBaseUnit(request, limits.low()), inBaseUnit(request, limits.high())))));
            }
            return new Group(
                    values,
                    sketch.n(),
                    inBaseUnit(request, (double) sketch.min()),
                    inBaseUnit(request, sketch.mean()),
                    inBaseUnit(request, (double) sketch.max()),
                    quantiles);
        }

        private static double inBaseUnit(QuantileRequest request, double storedUnit) {
            return storedUnit / Math.rint(1 / request.metric().unit().scale());
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
