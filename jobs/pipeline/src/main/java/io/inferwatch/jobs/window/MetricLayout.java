package io.inferwatch.jobs.window;

import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Numbers the metrics of one kind of event by how windows keep them. In encoded contents a metric is named by the hash of its name, so that contents outlive a
 * change of the catalogue.
 */
final class MetricLayout {
    private final List<Metric> sums;
    private final List<Metric> quantiles;
    private final List<Metric> gauges;
    private final List<Metric> histograms;
    private final Map<Integer, Integer> sumById;
    private final Map<Integer, Integer> quantileById;
    private final Map<Integer, Integer> gaugeById;
    private final Map<Integer, Integer> histogramById;

    private MetricLayout(List<Metric> metrics) {
        this.sums = metrics.stream().filter(metric -> metric.kind().isSum()).toList();
        this.quantiles = of(Metric.Kind.QUANTILE, metrics);
        this.gauges = of(Metric.Kind.GAUGE, metrics);
        this.histograms = of(Metric.Kind.HISTOGRAM, metrics);
        this.sumById = byId(sums);
        this.quantileById = byId(quantiles);
        this.gaugeById = byId(gauges);
        this.histogramById = byId(histograms);
    }

    /**
     * The layout of what views of such events keep.
     *
     * @param views a kind of event that views group
     * @throws InvalidSettingsException when two metrics' names have the same hash
     */
    static MetricLayout of(MetricCatalogue catalogue, Metric.Origin views) {
        List<Metric> kept = catalogue.metrics().stream()
                .filter(metric -> metric.of().views() == views)
                .toList();
        List<String> problems = new ArrayList<>();
        Map<Integer, Metric> ids = new HashMap<>();
        for (Metric metric : kept) {
            Metric clash = ids.put(id(metric), metric);
            if (clash != null) {
                problems.add("metrics." + metric.name() + ": must have a name whose hash differs from that of "
                        + clash.name() + ", found the same");
            }
        }
        if (!problems.isEmpty()) {
            throw new InvalidSettingsException("metric catalogue", problems);
        }
        return new MetricLayout(kept);
    }

    private static List<Metric> of(Metric.Kind kind, List<Metric> metrics) {
        return metrics.stream().filter(metric -> metric.kind() == kind).toList();
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

    List<Metric> histograms() {
        return histograms;
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

    /** Number of the histogram with that id; -1 when the catalogue no longer has it. */
    int histogram(int id) {
        return histogramById.getOrDefault(id, -1);
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
