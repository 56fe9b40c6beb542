package io.inferwatch.report;

import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.View;
import java.time.Instant;
import java.util.List;

/**
 * What is asked: quantiles of one metric over whole minutes, for each combination of some dimensions.
 *
 * @param q the quantiles, each above 0 and below 1, in the order asked
 */
record QuantileRequest(SketchRequest sketches, List<Double> q) {
    QuantileRequest {
        q = List.copyOf(q);
    }

    /**
     * A request that can be met by what is stored after the catalogue.
     *
     * @throws InvalidRequestException with what it cannot meet and the nearest that it can
     */
    static QuantileRequest of(
            MetricCatalogue catalogue, String metricName, List<String> by, List<Double> q, Instant from, Instant to) {
        SketchRequest sketches = SketchRequest.of(catalogue, metricName, by, from, to);
        if (q.isEmpty()) {
            throw new InvalidRequestException("--q: must name at least one quantile, found none");
        }
        for (double one : q) {
            if (!(one > 0 && one < 1)) {
                throw new InvalidRequestException("--q: must be above 0 and below 1, found " + one);
            }
        }
        return new QuantileRequest(sketches, q);
    }

    Metric metric() {
        return sketches.metric();
    }

    View view() {
        return sketches.view();
    }

    List<String> by() {
        return sketches.by();
    }

    Instant from() {
        return sketches.from();
    }

    Instant to() {
        return sketches.to();
    }

    /** Whole minutes asked for. */
    long minutes() {
        return sketches.minutes();
    }
}
