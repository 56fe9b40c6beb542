package io.inferwatch.jobs.store;

import io.inferwatch.analytics.quantile.QuantileInterval;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.PointBuilder;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.influx.Statistic;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.MetricGauge;
import io.inferwatch.schemas.MetricHistogram;
import io.inferwatch.schemas.MetricSketch;
import io.inferwatch.schemas.MetricSum;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.Ratio;
import io.inferwatch.schemas.catalogue.View;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One wide point for each window of a series: measurement by the kind of event (request, engine, gpu, kernel, operator), tags view and the view's dimensions, the window's end as
 * time, a field for each statistic of each metric that the view keeps. Sums are there even when they are 0; a metric without a value,
 * a ratio of nothing and a limit that so few values do not allow are left out, never 0. As a window only grows, each revision writes
 * at least the fields of the one before.
 *
 * <p>Points of windows below a minute are for watching: thousands of them become due at once, and what InfluxDB does for each field is the greatest part of the way to the
 * reader (CONTRIBUTING.md has the figures). They have sums that are not 0 (as rates where they have one), ratios, the greatest and last reading of gauges, and of the metrics whose sketches the catalogue stores n, P50, P99 and its limits.
 *
 * <p>Windows of an hour go to {@code r1h}, of a minute to {@code r1m} with the sketches that the catalogue names, shorter ones to
 * {@code r10s} where the view asks for it. Synthetic traffic goes to {@code runs} in every length, with the tag {@code window},
 * because a second's window and a minute's may end at the same time. Pure; not thread safe.
 */
public final class WindowPoints {
    /** From so many values on P99.9 is told: below it is only another name for one of the greatest values. */
    static final long MIN_N_OF_P999 = 3_700;

    private static final double CONFIDENCE = 0.95;
    private static final long MINUTE_MICROS = Duration.ofMinutes(1).toSeconds() * 1_000_000;
    private static final long HOUR_MICROS = Duration.ofHours(1).toSeconds() * 1_000_000;

    private final MetricCatalogue catalogue;
    private final Map<String, View> views = new HashMap<>();
    private final Map<String, Metric> metrics = new HashMap<>();
    private final Map<Metric.Origin, List<Metric>> sumsByOrigin;
    private long unknownMetrics;

    /**
     * Points after a catalogue.
     *
     * @throws IllegalArgumentException when two fields of its metrics would have the same name, or a dimension that of a tag
     */
    public WindowPoints(MetricCatalogue catalogue) {
        this.catalogue = catalogue;
        catalogue.views().forEach(view -> views.put(view.name(), view));
        catalogue.metrics().forEach(metric -> metrics.put(metric.name(), metric));
        sumsByOrigin = catalogue.metrics().stream()
                .filter(metric -> metric.kind().isSum())
                .collect(Collectors.groupingBy(Metric::of));
        requireDistinctNames(catalogue);
    }

    /**
     * The window's point; empty when windows of that length are not stored for its view.
     *
     * @throws UnstorableException when none can be made of it
     */
    Optional<Point> of(WindowStat window) throws UnstorableException {
        View view = require(views, window.getView());
        long length = window.getWindowMicros();
        requireWindow(length, window.getWindowEndMicros());
        if (length < MINUTE_MICROS && !view.storeShortest()) {
            return Optional.empty();
        }
        PointBuilder point = PointBuilder.of(measurement(view.of()));
        tag(point, view, window);
        point.integer(view.of() == Metric.Origin.REQUESTS ? Field.REQUESTS : Field.SAMPLES, window.getRequests())
                .integer(Field.REVISION, window.getRevision());
        boolean isBrief = length < MINUTE_MICROS && !view.synthetic();
        Map<String, Long> sums = addSums(point, view, window, isBrief);
        addRatios(point, sums);
        addQuantiles(point, view, window, isBrief);
        addGauges(point, view, window, isBrief);
        addHistograms(point, window);
        return Optional.of(new Point(policy(view, length), point, window.getWindowEndMicros()));
    }

    /** How many values of metrics that the catalogue does not have were passed over so far. */
    long unknownMetrics() {
        return unknownMetrics;
    }

    /** Every field that a point of such events' measurement may have, in the catalogue's order. */
    public static List<StoredField> fields(MetricCatalogue catalogue, Metric.Origin of) {
        List<StoredField> fields = new ArrayList<>();
        fields.add(
                of == Metric.Origin.REQUESTS
                        ? new StoredField(Field.REQUESTS, StoredField.Type.INTEGER, "Requests that ended in the window")
                        : new StoredField(
                                Field.SAMPLES, StoredField.Type.INTEGER, "Samples that fell into the window"));
        fields.add(new StoredField(Field.REVISION, StoredField.Type.INTEGER, "How often the window was corrected"));
        for (Metric metric : catalogue.metrics()) {
            if (metric.of().views() != of) {
                continue;
            }
            switch (metric.kind()) {
                case SUM, COUNTER -> {
                    if (isScaled(metric)) {
                        fields.add(field(metric, Statistic.TOTAL, StoredField.Type.REAL));
                    } else if (!metric.name().equals(Field.REQUESTS)) {
                        fields.add(new StoredField(metric.name(), StoredField.Type.INTEGER, metric.help()));
                    }
                    if (metric.rate()) {
                        fields.add(field(metric, Statistic.PER_SECOND, StoredField.Type.REAL));
                    }
                }
                case QUANTILE -> {
                    fields.add(field(metric, Statistic.N, StoredField.Type.INTEGER));
                    for (Statistic statistic : List.of(
                            Statistic.MIN,
                            Statistic.MEAN,
                            Statistic.P50,
                            Statistic.P90,
                            Statistic.P95,
                            Statistic.P99,
                            Statistic.P99_LOW,
                            Statistic.P99_HIGH,
                            Statistic.P999,
                            Statistic.MAX)) {
                        fields.add(field(metric, statistic, StoredField.Type.REAL));
                    }
                    if (catalogue.storesSketchOf(metric)) {
                        fields.add(field(metric, Statistic.SKETCH, StoredField.Type.TEXT));
                    }
                }
                case GAUGE -> {
                    fields.add(field(metric, Statistic.MEAN, StoredField.Type.REAL));
                    fields.add(field(metric, Statistic.MAX, StoredField.Type.REAL));
                    fields.add(field(metric, Statistic.LAST, StoredField.Type.REAL));
                    if (metric.of() != Metric.Origin.HEARTBEATS) {
                        fields.add(field(metric, Statistic.TIME_MEAN, StoredField.Type.REAL));
                        if (metric.unit().isAdditive()) {
                            fields.add(field(metric, Statistic.TOGETHER, StoredField.Type.REAL));
                        }
                    }
                }
                case HISTOGRAM -> {
                    fields.add(field(metric, Statistic.N, StoredField.Type.INTEGER));
                    for (Statistic statistic : List.of(
                            Statistic.MEAN,
                            Statistic.P50_ABOVE,
                            Statistic.P50_AT_MOST,
                            Statistic.P99_ABOVE,
                            Statistic.P99_AT_MOST)) {
                        fields.add(field(metric, statistic, StoredField.Type.REAL));
                    }
                }
            }
        }
        for (Ratio ratio : catalogue.ratios()) {
            if (catalogue.metric(ratio.numerator()).map(Metric::of).equals(Optional.of(of))) {
                fields.add(new StoredField(ratio.name(), StoredField.Type.REAL, ratio.help()));
            }
        }
        return fields;
    }

    /** The name of the field that holds a statistic of a metric. */
    public static String fieldName(Metric metric, Statistic statistic) {
        return statistic.hasUnit() ? metric.field(statistic.suffix()) : metric.unitlessField(statistic.suffix());
    }

    /** The view of that name. */
    static View require(Map<String, View> views, String name) throws UnstorableException {
        View view = views.get(name);
        if (view == null) {
            throw new UnstorableException(
                    UnstorableException.Reason.UNKNOWN_VIEW,
                    "view: must be one of the catalogue's, found '" + name + "'",
                    null);
        }
        return view;
    }

    /** Refuses what is no window. */
    static void requireWindow(long lengthMicros, long endMicros) throws UnstorableException {
        if (lengthMicros <= 0 || endMicros <= 0) {
            throw new UnstorableException(
                    UnstorableException.Reason.MALFORMED_WINDOW,
                    "window: must have a length and an end after 1970, found " + lengthMicros + " us to " + endMicros,
                    null);
        }
    }

    /** Refuses dimensions that are not the view's. */
    static void requireDimensions(View view, List<String> names, List<Dimension> dimensions)
            throws UnstorableException {
        List<String> found = dimensions.stream().map(Dimension::getName).toList();
        if (!found.equals(names)) {
            throw new UnstorableException(
                    UnstorableException.Reason.DIMENSIONS_DIFFER,
                    "dimensions: must be " + names + " as of view " + view.name() + ", found " + found,
                    null);
        }
    }

    /** A window's length as the tag {@code window} has it: 1s, 10s, 1m, 1h. */
    static String label(long windowMicros) {
        if (windowMicros % HOUR_MICROS == 0) {
            return windowMicros / HOUR_MICROS + "h";
        }
        if (windowMicros % MINUTE_MICROS == 0) {
            return windowMicros / MINUTE_MICROS + "m";
        }
        return windowMicros % 1_000_000 == 0 ? windowMicros / 1_000_000 + "s" : windowMicros / 1_000 + "ms";
    }

    private static RetentionPolicy policy(View view, long windowMicros) {
        if (view.synthetic()) {
            return RetentionPolicy.RUNS;
        }
        if (windowMicros >= HOUR_MICROS) {
            return RetentionPolicy.R1H;
        }
        return windowMicros >= MINUTE_MICROS ? RetentionPolicy.R1M : RetentionPolicy.R10S;
    }

    private static void tag(PointBuilder point, View view, WindowStat window) throws UnstorableException {
        List<Dimension> dimensions = window.getDimensions();
        requireDimensions(view, view.dimensionNames(), dimensions);
        point.tag(Field.VIEW, view.name());
        dimensions.forEach(dimension -> point.tag(dimension.getName(), dimension.getValue()));
        if (view.synthetic()) {
            point.tag(Field.WINDOW, label(window.getWindowMicros()));
        }
    }

    private Map<String, Long> addSums(PointBuilder point, View view, WindowStat window, boolean isBrief) {
        Map<String, Long> present = new HashMap<>();
        for (MetricSum sum : window.getSums()) {
            if (known(sum.getMetric(), Metric.Kind.SUM, Metric.Kind.COUNTER) != null) {
                present.put(sum.getMetric(), sum.getValue());
            }
        }
        Map<String, Long> sums = new HashMap<>();
        double seconds = window.getWindowMicros() / 1e6;
        for (Metric metric : sumsByOrigin.getOrDefault(view.of(), List.of())) {
            if (!view.keeps(metric)) {
                continue;
            }
            if (view.of() != Metric.Origin.REQUESTS && !present.containsKey(metric.name())) {
                // A sample need not tell everything: what no sample told is not 0.
                continue;
            }
            long value = present.getOrDefault(metric.name(), 0L);
            sums.put(metric.name(), value);
            if (isBrief && value == 0) {
                continue;
            }
            if (isBrief && metric.rate()) {
                addRate(point, metric, value, seconds);
                continue;
            }
            if (isScaled(metric)) {
                point.real(fieldName(metric, Statistic.TOTAL), inBaseUnit(metric, (double) value));
            } else if (!metric.name().equals(Field.REQUESTS)) {
                point.integer(metric.name(), value);
            }
            if (metric.rate()) {
                addRate(point, metric, value, seconds);
            }
        }
        return sums;
    }

    private static void addRate(PointBuilder point, Metric metric, long value, double seconds) {
        point.real(fieldName(metric, Statistic.PER_SECOND), inBaseUnit(metric, (double) value) / seconds);
    }

    private void addRatios(PointBuilder point, Map<String, Long> sums) {
        for (Ratio ratio : catalogue.ratios()) {
            Long numerator = sums.get(ratio.numerator());
            Long denominator = sums.get(ratio.denominator());
            if (numerator != null && denominator != null && denominator != 0) {
                point.real(ratio.name(), (double) numerator / denominator);
            }
        }
    }

    private void addQuantiles(PointBuilder point, View view, WindowStat window, boolean isBrief)
            throws UnstorableException {
        boolean storesSketches = view.storeSketches() && window.getWindowMicros() == MINUTE_MICROS;
        for (MetricSketch entry : window.getSketches()) {
            Metric metric = known(entry.getMetric(), Metric.Kind.QUANTILE);
            if (metric == null || (isBrief && !isWatched(metric))) {
                continue;
            }
            byte[] bytes = bytes(entry.getSketch());
            QuantileSketch sketch;
            try {
                sketch = SketchEncoding.decode(bytes);
            } catch (IllegalArgumentException e) {
                throw new UnstorableException(
                        UnstorableException.Reason.MALFORMED_SKETCH, metric.name() + ": " + e.getMessage(), e);
            }
            if (sketch.n() == 0) {
                continue;
            }
            if (isBrief) {
                addBriefly(point, metric, sketch);
            } else {
                addDistribution(point, metric, sketch);
            }
            if (storesSketches && catalogue.storesSketchOf(metric)) {
                point.text(
                        fieldName(metric, Statistic.SKETCH), Base64.getEncoder().encodeToString(bytes));
            }
        }
    }

    /** Latencies whose sketches are stored: what somebody watches by ten seconds. */
    private boolean isWatched(Metric metric) {
        return catalogue.storesSketchOf(metric) && metric.unit().base().equals("seconds");
    }

    private static void addBriefly(PointBuilder point, Metric metric, QuantileSketch sketch) {
        double[] quantiles = sketch.quantiles(0.5, 0.99);
        point.integer(fieldName(metric, Statistic.N), sketch.n());
        add(point, metric, Statistic.P50, quantiles[0]);
        add(point, metric, Statistic.P99, quantiles[1]);
        addLimits(point, metric, sketch);
    }

    private static void addLimits(PointBuilder point, Metric metric, QuantileSketch sketch) {
        QuantileInterval.of(sketch, 0.99, CONFIDENCE).ifPresent(limits -> {
            add(point, metric, Statistic.P99_LOW, limits.low());
            add(point, metric, Statistic.P99_HIGH, limits.high());
        });
    }

    private static void addDistribution(PointBuilder point, Metric metric, QuantileSketch sketch) {
        double[] quantiles = sketch.quantiles(0.5, 0.9, 0.95, 0.99, 0.999);
        point.integer(fieldName(metric, Statistic.N), sketch.n());
        add(point, metric, Statistic.MIN, (double) sketch.min());
        add(point, metric, Statistic.MEAN, sketch.mean());
        add(point, metric, Statistic.P50, quantiles[0]);
        add(point, metric, Statistic.P90, quantiles[1]);
        add(point, metric, Statistic.P95, quantiles[2]);
        add(point, metric, Statistic.P99, quantiles[3]);
        addLimits(point, metric, sketch);
        if (sketch.n() >= MIN_N_OF_P999) {
            add(point, metric, Statistic.P999, quantiles[4]);
        }
        add(point, metric, Statistic.MAX, (double) sketch.max());
    }

    private void addGauges(PointBuilder point, View view, WindowStat window, boolean isBrief) {
        for (MetricGauge gauge : window.getGauges()) {
            Metric metric = known(gauge.getMetric(), Metric.Kind.GAUGE);
            if (metric == null) {
                continue;
            }
            if (gauge.getHeldMicros() > 0) {
                add(point, metric, Statistic.TIME_MEAN, gauge.getHeldSum() / gauge.getHeldMicros());
                if (metric.unit().isAdditive() && !isOfOneSubject(view)) {
                    add(point, metric, Statistic.TOGETHER, gauge.getHeldSum() / window.getWindowMicros());
                }
            }
            if (gauge.getN() <= 0) {
                continue;
            }
            if (!isBrief) {
                add(point, metric, Statistic.MEAN, (double) gauge.getSum() / gauge.getN());
            }
            add(point, metric, Statistic.MAX, (double) gauge.getMax());
            if (isOfOneSubject(view)) {
                // Over several subjects the latest reading would be a lottery.
                add(point, metric, Statistic.LAST, (double) gauge.getLast());
            }
        }
    }

    /** Whether a series of the view is one replica, or one GPU or MIG instance. */
    private static boolean isOfOneSubject(View view) {
        List<String> names = view.dimensionNames();
        return switch (view.of()) {
            case REQUESTS, HEARTBEATS -> true; // No other view keeps the gauges of heartbeats.
            case GPU -> names.contains("gpu") && names.contains("mig");
            case ENGINE, KERNELS, OPERATORS -> names.contains("replica");
        };
    }

    /** The bounds between which quantiles lie; where buckets are coarse, these lie far apart, and nothing is interpolated. */
    private void addHistograms(PointBuilder point, WindowStat window) throws UnstorableException {
        for (MetricHistogram histogram : window.getHistograms()) {
            Metric metric = known(histogram.getMetric(), Metric.Kind.HISTOGRAM);
            if (metric == null) {
                continue;
            }
            if (histogram.getCounts().size() != histogram.getBoundsMicros().size() + 1) {
                throw new UnstorableException(
                        UnstorableException.Reason.MALFORMED_WINDOW,
                        metric.name() + ": must have one count more than bounds, found "
                                + histogram.getCounts().size() + " and "
                                + histogram.getBoundsMicros().size(),
                        null);
            }
            long n = histogram.getCounts().stream().mapToLong(Long::longValue).sum();
            if (n == 0) {
                continue;
            }
            point.integer(fieldName(metric, Statistic.N), n);
            if (histogram.getSumMicros() > 0) {
                add(point, metric, Statistic.MEAN, (double) histogram.getSumMicros() / n);
            }
            addBounds(point, metric, histogram, (n + 1) / 2, Statistic.P50_ABOVE, Statistic.P50_AT_MOST);
            addBounds(point, metric, histogram, n - n / 100, Statistic.P99_ABOVE, Statistic.P99_AT_MOST);
        }
    }

    /** The bounds of the bucket that holds the observation of that rank, from 1. */
    private static void addBounds(
            PointBuilder point,
            Metric metric,
            MetricHistogram histogram,
            long rank,
            Statistic above,
            Statistic atMost) {
        List<Long> bounds = histogram.getBoundsMicros();
        long below = 0;
        int bucket = 0;
        while (bucket < bounds.size() && below + histogram.getCounts().get(bucket) < rank) {
            below += histogram.getCounts().get(bucket);
            bucket++;
        }
        add(point, metric, above, bucket == 0 ? 0 : (double) bounds.get(bucket - 1));
        if (bucket < bounds.size()) {
            add(point, metric, atMost, (double) bounds.get(bucket));
        }
    }

    /** The measurement that points of such events have. */
    public static Measurement measurement(Metric.Origin of) {
        return switch (of) {
            case REQUESTS, HEARTBEATS -> Measurement.REQUEST;
            case ENGINE -> Measurement.ENGINE;
            case GPU -> Measurement.GPU;
            case KERNELS -> Measurement.KERNEL;
            case OPERATORS -> Measurement.OPERATOR;
        };
    }

    private static void add(PointBuilder point, Metric metric, Statistic statistic, double storedUnit) {
        point.real(fieldName(metric, statistic), inBaseUnit(metric, storedUnit));
    }

    private @Nullable Metric known(String name, Metric.Kind... kinds) {
        Metric metric = metrics.get(name);
        if (metric == null || !List.of(kinds).contains(metric.kind())) {
            unknownMetrics++;
            return null;
        }
        return metric;
    }

    /** Divided, not multiplied by the scale, so that a whole number of microseconds is the nearest double to its seconds. */
    private static double inBaseUnit(Metric metric, double storedUnit) {
        double scale = metric.unit().scale();
        return scale < 1 ? storedUnit / Math.rint(1 / scale) : storedUnit * scale;
    }

    private static boolean isScaled(Metric metric) {
        return metric.unit().scale() != 1;
    }

    private static StoredField field(Metric metric, Statistic statistic, StoredField.Type type) {
        return new StoredField(fieldName(metric, statistic), type, metric.help());
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    private static void requireDistinctNames(MetricCatalogue catalogue) {
        Set<String> names = new HashSet<>(List.of(Field.VIEW, Field.WINDOW));
        catalogue.dimensions().forEach(dimension -> requireNew(names, "tag", dimension.name()));
        for (Metric.Origin of : Metric.Origin.values()) {
            Set<String> namesOfMeasurement = new HashSet<>(names);
            fields(catalogue, of).forEach(field -> requireNew(namesOfMeasurement, "field", field.name()));
        }
    }

    /** Refuses a catalogue in which a tag or field would have a name that another has. */
    static void requireNew(Set<String> names, String what, String name) {
        if (!names.add(name)) {
            throw new IllegalArgumentException(
                    "metric catalogue: each tag and field must have a name of its own, found the " + what + " '" + name
                            + "' twice");
        }
    }
}
