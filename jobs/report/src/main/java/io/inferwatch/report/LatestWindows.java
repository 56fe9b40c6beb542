package io.inferwatch.report;

import io.inferwatch.analytics.quantile.QuantileInterval;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.InfluxQl;
import io.inferwatch.influx.InfluxQueryException;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.InfluxRow;
import io.inferwatch.influx.InfluxSeries;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.influx.Statistic;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.View;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The last window of a minute of each series, as metrics for Prometheus: P50 and P99 with its 95 % confidence limits as gauges, exact within 0.4 %, and the distribution as a gauge histogram
 * (it is that of one window and does not grow). A series whose last window is older than {@link #FRESH} is left out, as Prometheus leaves out what is stale.
 */
final class LatestWindows {
    /** How old a window may be. */
    static final Duration FRESH = Duration.ofMinutes(5);

    private static final double CONFIDENCE = 0.95;
    private static final String PREFIX = "inferwatch_";

    private final MetricCatalogue catalogue;
    private final List<View> views;
    private final InfluxReader reader;

    /**
     * Windows of some views.
     *
     * @throws InvalidRequestException when a view is not one whose sketches are stored
     */
    LatestWindows(MetricCatalogue catalogue, List<String> views, InfluxReader reader) {
        this.catalogue = catalogue;
        this.views = views.stream().map(name -> view(catalogue, name)).toList();
        this.reader = reader;
    }

    /** What is to be told at that time. */
    MetricSnapshots at(Instant now) {
        List<MetricSnapshot> snapshots = new ArrayList<>();
        for (Metric metric : catalogue.metrics()) {
            if (catalogue.storesSketchOf(metric)) {
                Exported exported = new Exported(metric);
                views.forEach(view -> read(view, metric, now).forEach(exported::add));
                snapshots.addAll(exported.snapshots());
            }
        }
        return new MetricSnapshots(snapshots);
    }

    private Map<Labels, QuantileSketch> read(View view, Metric metric, Instant now) {
        String field = InfluxQl.identifier(metric.unitlessField(Statistic.SKETCH.suffix()));
        String by = view.dimensionNames().stream()
                .map(InfluxQl::identifier)
                .collect(Collectors.joining(", ", view.dimensionNames().isEmpty() ? "" : " GROUP BY ", ""));
        String query = "SELECT last(" + field + ") AS sketch FROM "
                + InfluxQl.identifier(Measurement.REQUEST.measurementName()) + " WHERE "
                + InfluxQl.identifier(Field.VIEW) + " = " + InfluxQl.string(view.name()) + " AND time > "
                + InfluxQl.instant(TimeText.micros(now.minus(FRESH))) + by;
        Map<Labels, QuantileSketch> sketches = new TreeMap<>();
        for (InfluxSeries series : reader.query(RetentionPolicy.R1M, query)) {
            for (InfluxRow row : series.rows()) {
                row.text("sketch").ifPresent(text -> sketches.put(labels(view, series), sketch(text)));
            }
        }
        return sketches;
    }

    private static Labels labels(View view, InfluxSeries series) {
        List<String> dimensions = view.dimensionNames();
        List<String> names =
                Stream.concat(Stream.of(Field.VIEW), dimensions.stream()).toList();
        List<String> values = Stream.concat(
                        Stream.of(view.name()),
                        dimensions.stream().map(dimension -> series.tags().getOrDefault(dimension, "")))
                .toList();
        return Labels.of(names, values);
    }

    private static QuantileSketch sketch(String text) {
        try {
            return SketchEncoding.decode(Base64.getDecoder().decode(text));
        } catch (IllegalArgumentException e) {
            throw new InfluxQueryException("sketch: " + e.getMessage());
        }
    }

    private static View view(MetricCatalogue catalogue, String name) {
        List<String> stored = catalogue.views().stream()
                .filter(view -> view.storeSketches() && !view.synthetic())
                .map(View::name)
                .toList();
        if (!stored.contains(name)) {
            throw new InvalidRequestException("--view: must be among " + stored + ", found '" + name + "'");
        }
        return catalogue.view(name).orElseThrow();
    }

    /** What one of our metrics becomes. */
    private static final class Exported {
        private final Metric metric;
        private final double scale;
        private final Map<Statistic, GaugeSnapshot.Builder> gauges = new EnumMap<>(Statistic.class);
        private final HistogramSnapshot.Builder distribution;

        Exported(Metric metric) {
            this.metric = metric;
            this.scale = metric.unit().scale();
            this.distribution = HistogramSnapshot.builder()
                    .gaugeHistogram(true)
                    .name(PREFIX + metric.name() + "_" + metric.unit().base())
                    .help(metric.help() + ", in the last minute");
        }

        void add(Labels labels, QuantileSketch sketch) {
            if (sketch.n() == 0) {
                return;
            }
            add(Statistic.P50, labels, sketch.quantile(0.5));
            add(Statistic.P99, labels, sketch.quantile(0.99));
            QuantileInterval.of(sketch, 0.99, CONFIDENCE).ifPresent(limits -> {
                add(Statistic.P99_LOW, labels, limits.low());
                add(Statistic.P99_HIGH, labels, limits.high());
            });
            distribution.dataPoint(HistogramDataPointSnapshot.builder()
                    .classicHistogramBuckets(PrometheusBuckets.of(sketch, scale))
                    .sum(sketch.sum() * scale)
                    .labels(labels)
                    .build());
        }

        List<MetricSnapshot> snapshots() {
            List<MetricSnapshot> snapshots = new ArrayList<>();
            gauges.values().forEach(gauge -> snapshots.add(gauge.build()));
            if (!gauges.isEmpty()) {
                snapshots.add(distribution.build());
            }
            return snapshots;
        }

        private void add(Statistic statistic, Labels labels, double storedUnit) {
            gauges.computeIfAbsent(statistic, one -> GaugeSnapshot.builder()
                            .name(PREFIX + metric.field(one.suffix()))
                            .help(metric.help() + ", in the last minute"))
                    .dataPoint(GaugeDataPointSnapshot.builder()
                            .value(storedUnit * scale)
                            .labels(labels)
                            .build());
        }
    }
}
