package io.inferwatch.jobs.window;

import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Numbers the catalogue's metrics by kind. In encoded contents a metric is named by the hash of its name, so that contents outlive a
 * change of the catalogue.
 */
final class MetricLayout {
    private final List<Metric> sums;
    private final List<Metric> quantiles;
    private final List<Metric> gauges;
    private final Map<Integer, Integer> sumById;
    private final Map<Integer, Integer> quantileById;
    private final Map<Integer, Integer> gaugeById;

    private MetricLayout(List<Metric> sums, List<Metric> quantiles, List<Metric> gauges) {
        this.sums = sums;
        this.quantiles = quantiles;
        this.gauges = gauges;
        this.sumById = byId(sums);
        this.quantileById = byId(quantiles);
        this.gaugeById = byId(gauges);
    }

    /**
     * The layout of a catalogue.
     *
     * @throws InvalidSettingsException when metrics cannot be kept as the catalogue asks
     */
    static MetricLayout of(MetricCatalogue catalogue) {
        List<Metric> sums = catalogue.metrics(Metric.Origin.REQUESTS, Metric.Kind.SUM);
        List<Metric> quantiles = catalogue.metrics(Metric.Origin.REQUESTS, Metric.Kind.QUANTILE);
        List<Metric> gauges = catalogue.metrics(Metric.Origin.HEARTBEATS, Metric.Kind.GAUGE);
        List<String> problems = new ArrayList<>();
        Map<Integer, Metric> ids = new HashMap<>();
        for (Metric metric : catalogue.metrics()) {
            if (Stream.of(sums, quantiles, gauges).noneMatch(kept -> kept.contains(metric))) {
                problems.add("metrics." + metric.name()
                        + ": must be a sum or quantile of requests or a gauge of heartbeats, found a " + metric.kind()
                        + " of " + metric.of());
            }
            Metric clash = ids.put(id(metric), metric);
            if (clash != null) {
                problems.add("metrics." + metric.name() + ": must have a name whose hash differs from that of "
                        + clash.name() + ", found the same");
            }
        }
        if (!problems.isEmpty()) {
            throw new InvalidSettingsException("metric catalogue", problems);
        }
        return new MetricLayout(sums, quantiles, gauges);
    }

    List<Metric> sums() {
        return sums;
    }

    List<Metric> quantiles() {
        return quantiles;
    }

    List<Metric> gauges() {
        return gauges;
    }

    /** Number of the sum with that id; -1 when the catalogue no longer has it. */
    int sum(int id) {
        return sumById.getOrDefault(id, -1);
    }

    /** Number of the quantile metric with that id; -1 when the catalogue no longer has it. */
    int quantile(int id) {
        return quantileById.getOrDefault(id, -1);
    }

    /** Number of the gauge with that id; -1 when the catalogue no longer has it. */
    int gauge(int id) {
        return gaugeById.getOrDefault(id, -1);
    }

    /** The id of a metric in encoded contents: the hash of its name, which Java fixes for ever. */
    static int id(Metric metric) {
        return metric.name().hashCode();
    }

    private static Map<Integer, Integer> byId(List<Metric> metrics) {
        Map<Integer, Integer> byId = new HashMap<>();
        for (int i = 0; i < metrics.size(); i++) {
            byId.put(id(metrics.get(i)), i);
        }
        return byId;
    }
}
