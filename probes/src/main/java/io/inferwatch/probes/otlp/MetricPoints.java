package io.inferwatch.probes.otlp;

import io.inferwatch.probes.engine.PushedMetrics;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The metrics of one replica as the series of a page: differences are added up, and a histogram becomes its cumulative buckets. An exponential histogram is
 * put into buckets that never change, {@value #PER_OCTAVE} for each power of two from 1/1024 s to 1024 s: exact where the sender's are as fine or finer, else
 * a bucket's observations count at its upper bound. Belongs to one thread at a time.
 */
final class MetricPoints {
    private static final int PER_OCTAVE = 8;
    private static final int SCALE = 3;
    private static final int LAST = 10 * PER_OCTAVE;
    private static final int MAX_TOTALS = 20_000;
    private static final long NANOS_PER_MICRO = 1_000;
    private static final long DEFAULT_INTERVAL_MICROS = 60_000_000;
    private static final String GEN_AI = "gen_ai.";

    private final Predicate<String> knows;
    private final Tally<PointFate> fates;
    private final Map<List<Object>, double[]> totals = new HashMap<>();
    private final List<PushedMetrics.Point> points = new ArrayList<>();
    private double startSeconds = Double.NaN;
    private long atNanos;
    private long lastAtMicros;

    /** What a post holds of a replica. */
    record Push(List<PushedMetrics.Point> points, long atMicros, long intervalMicros) {}

    MetricPoints(Predicate<String> knows, Tally<PointFate> fates) {
        this.knows = knows;
        this.fates = fates;
    }

    void begin() {
        points.clear();
        atNanos = 0;
    }

    boolean isEmpty() {
        return points.isEmpty();
    }

    /** Everything since the beginning. A post without cumulative points is taken as of the process that sent the last ones. */
    Push push(long nowMicros) {
        if (!Double.isNaN(startSeconds)) {
            points.add(new PushedMetrics.Point("process_start_time_seconds", Map.of(), startSeconds));
        }
        long atMicros = atNanos == 0 ? nowMicros : atNanos / NANOS_PER_MICRO;
        long intervalMicros =
                lastAtMicros == 0 || atMicros <= lastAtMicros ? DEFAULT_INTERVAL_MICROS : atMicros - lastAtMicros;
        lastAtMicros = atMicros;
        return new Push(List.copyOf(points), atMicros, intervalMicros);
    }

    void add(Metric metric) {
        String name = metric.getName();
        switch (metric.getDataCase()) {
            case GAUGE -> metric.getGauge().getDataPointsList().forEach(point -> number(name, point, false, false));
            case SUM -> {
                boolean isCounter = metric.getSum().getIsMonotonic();
                boolean isDelta = isDelta(metric.getSum().getAggregationTemporality());
                String series = isCounter && !knows.test(name) ? name + "_total" : name;
                metric.getSum().getDataPointsList().forEach(point -> number(series, point, isCounter, isDelta));
            }
            case HISTOGRAM -> {
                boolean isDelta = isDelta(metric.getHistogram().getAggregationTemporality());
                metric.getHistogram().getDataPointsList().forEach(point -> histogram(metric, point, isDelta));
            }
            case EXPONENTIAL_HISTOGRAM -> {
                boolean isDelta = isDelta(metric.getExponentialHistogram().getAggregationTemporality());
                metric.getExponentialHistogram()
                        .getDataPointsList()
                        .forEach(point -> exponential(metric, point, isDelta));
            }
            default -> fates.add(PointFate.UNSUPPORTED, metric.getSummary().getDataPointsCount());
        }
    }

    private void number(String name, NumberDataPoint point, boolean isCounter, boolean isDelta) {
        if (!knows.test(name)) {
            fates.add(PointFate.UNKNOWN);
            return;
        }
        double value = point.getAsDouble();
        if (point.hasAsInt()) {
            value = point.getAsInt();
        } else if (!point.hasAsDouble()) {
            fates.add(PointFate.UNSUPPORTED);
            return;
        }
        Map<String, String> labels = labels(point.getAttributesList());
        double[] values = {value};
        if (isDelta) {
            values = added(List.of(name, labels), values);
        } else if (isCounter) {
            begun(point.getStartTimeUnixNano());
        }
        if (values.length > 0) {
            take(point.getTimeUnixNano());
            points.add(new PushedMetrics.Point(name, labels, values[0]));
        }
    }

    private void histogram(Metric metric, HistogramDataPoint point, boolean isDelta) {
        int bounds = point.getExplicitBoundsCount();
        if (point.getBucketCountsCount() != bounds + 1) {
            fates.add(PointFate.UNSUPPORTED);
            return;
        }
        double[] uppers = new double[bounds];
        double[] counts = new double[bounds + 1];
        for (int i = 0; i <= bounds; i++) {
            counts[i] = point.getBucketCounts(i);
            if (i < bounds) {
                uppers[i] = point.getExplicitBounds(i);
            }
        }
        begun(isDelta ? 0 : point.getStartTimeUnixNano());
        buckets(
                metric,
                labels(point.getAttributesList()),
                uppers,
                counts,
                point.getSum(),
                isDelta,
                point.getTimeUnixNano());
    }

    private void exponential(Metric metric, ExponentialHistogramDataPoint point, boolean isDelta) {
        double[] uppers = new double[2 * LAST + 1];
        for (int i = 0; i < uppers.length; i++) {
            uppers[i] = Math.pow(2, (i - LAST) / (double) PER_OCTAVE) / factor(metric);
        }
        double[] counts = new double[uppers.length + 1];
        counts[0] = point.getZeroCount();
        double shift = Math.log(factor(metric)) / Math.log(2) * PER_OCTAVE;
        for (int i = 0; i < point.getPositive().getBucketCountsCount(); i++) {
            // The upper bound, in eighths of an octave of a second.
            double end = Math.scalb((double) point.getPositive().getOffset() + i + 1, SCALE - point.getScale()) + shift;
            int bucket = (int) Math.max(0, Math.min(counts.length - 1, Math.ceil(end - 1e-9) + LAST));
            counts[bucket] += point.getPositive().getBucketCounts(i);
        }
        begun(isDelta ? 0 : point.getStartTimeUnixNano());
        buckets(
                metric,
                labels(point.getAttributesList()),
                uppers,
                counts,
                point.getSum(),
                isDelta,
                point.getTimeUnixNano());
    }

    private void buckets(
            Metric metric,
            Map<String, String> labels,
            double[] uppers,
            double[] counts,
            double sum,
            boolean isDelta,
            long timeNanos) {
        String name = metric.getName();
        if (!knows.test(name + "_bucket")) {
            fates.add(PointFate.UNKNOWN);
            return;
        }
        double[] values = Arrays.copyOf(counts, counts.length + 1);
        values[counts.length] = sum;
        if (isDelta) {
            values = added(List.of(name, labels, Arrays.hashCode(uppers)), values);
            if (values.length == 0) {
                return;
            }
        }
        take(timeNanos);
        double factor = factor(metric);
        double below = 0;
        for (int i = 0; i < counts.length; i++) {
            below += values[i];
            Map<String, String> bucket = new HashMap<>(labels);
            bucket.put("le", i == uppers.length ? "+Inf" : Double.toString(uppers[i] * factor));
            points.add(new PushedMetrics.Point(name + "_bucket", bucket, below));
        }
        points.add(new PushedMetrics.Point(name + "_sum", labels, values[counts.length] * factor));
    }

    /** The conventions' own metrics are in seconds; a sender may have chosen milliseconds and say so. */
    private static double factor(Metric metric) {
        return metric.getName().startsWith(GEN_AI) && metric.getUnit().equals("ms") ? 1e-3 : 1;
    }

    /** Adds differences up; empty when there is no room for the series. */
    private double[] added(List<Object> series, double[] differences) {
        double[] total = totals.get(series);
        if (total == null) {
            if (totals.size() >= MAX_TOTALS) {
                fates.add(PointFate.TOO_MANY);
                return new double[0];
            }
            total = new double[differences.length];
            totals.put(series, total);
        }
        for (int i = 0; i < total.length; i++) {
            total[i] += differences[i];
        }
        return total.clone();
    }

    private void begun(long startNanos) {
        startSeconds = startNanos > 0 ? startNanos / 1e9 : startSeconds;
    }

    private void take(long timeNanos) {
        fates.add(PointFate.TAKEN);
        atNanos = Math.max(atNanos, timeNanos);
    }

    private static boolean isDelta(AggregationTemporality temporality) {
        return temporality == AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA;
    }

    /** The conventions' name of the model is that of the engines' labels here. */
    private static Map<String, String> labels(List<KeyValue> attributes) {
        Map<String, String> labels = new TreeMap<>();
        for (KeyValue attribute : attributes) {
            AnyValue value = attribute.getValue();
            String text = value.hasStringValue()
                    ? value.getStringValue()
                    : value.hasIntValue() ? Long.toString(value.getIntValue()) : "";
            labels.put(attribute.getKey(), text);
        }
        String model = labels.getOrDefault("gen_ai.response.model", labels.get("gen_ai.request.model"));
        if (model != null) {
            labels.putIfAbsent("model_name", model);
        }
        return labels;
    }
}
