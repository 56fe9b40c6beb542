package io.inferwatch.report;

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
import io.inferwatch.report.QuantileReport.Group;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.View;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The sketches of one-minute windows in InfluxDB. Merging them gives the quantiles of any period of whole minutes and any combination
 * of a view's dimensions as exactly as if all values had been in one window.
 */
final class StoredSketches {
    /** A query spans this much, so that memory does not grow with the period. */
    private static final Duration SLICE = Duration.ofHours(6);

    private final InfluxReader reader;

    StoredSketches(InfluxReader reader) {
        this.reader = reader;
    }

    /** The period for which a view has sketches. */
    private record Extent(Instant from, Instant to) {}

    /** Takes sketches as they are read. */
    interface Taker {
        /**
         * A sketch of one minute; others of the same values and minute may follow, and are to be merged.
         *
         * @param values of the dimensions asked for, in their order
         */
        void take(List<String> values, long minuteEndMicros, QuantileSketch sketch);

        /** Of minutes up to here all is read. */
        default void readUpTo(long endMicros) {}
    }

    /** The quantiles asked for; without groups when nothing is stored for the period. */
    QuantileReport report(QuantileRequest request) {
        Map<List<String>, QuantileSketch> groups = new HashMap<>();
        Set<Long> minutes = new HashSet<>();
        read(request.sketches(), (values, minuteEndMicros, sketch) -> {
            minutes.add(minuteEndMicros);
            groups.computeIfAbsent(values, key -> new QuantileSketch()).merge(sketch);
        });
        return new QuantileReport(
                request,
                minutes.size(),
                groups.entrySet().stream()
                        .map(group -> Group.of(request, group.getKey(), group.getValue()))
                        .sorted(Comparator.comparingLong(Group::n)
                                .reversed()
                                .thenComparing(group -> String.join("/", group.values())))
                        .toList());
    }

    /** Reads what is asked for, six hours at a time. */
    void read(SketchRequest request, Taker taker) {
        for (Instant from = request.from(); from.isBefore(request.to()); from = from.plus(SLICE)) {
            Instant end = from.plus(SLICE).isBefore(request.to()) ? from.plus(SLICE) : request.to();
            for (InfluxSeries series : slice(request, from, end)) {
                List<String> values = request.by().stream()
                        .map(dimension -> series.tags().getOrDefault(dimension, ""))
                        .toList();
                series.rows().forEach(row -> taker.take(values, row.timeMicros(), sketch(row)));
            }
            taker.readUpTo(TimeText.micros(end));
        }
    }

    /** Says that nothing is stored for the period, and for which there is something. */
    String noData(SketchRequest request) {
        return "no data: view " + request.view().name() + " has no sketches of "
                + request.metric().name() + " from " + request.from() + " to " + request.to()
                + extent(request)
                        .map(found -> "; there are some from " + found.from() + " to " + found.to())
                        .orElse(", nor of any other time");
    }

    /** The period for which the request's view has sketches of its metric at all. */
    private Optional<Extent> extent(SketchRequest request) {
        List<Instant> ends = new ArrayList<>();
        for (String order : List.of("ASC", "DESC")) {
            reader.query(policy(request.view()), select(request) + " ORDER BY time " + order + " LIMIT 1").stream()
                    .flatMap(series -> series.rows().stream())
                    .forEach(row -> ends.add(TimeText.ofMicros(row.timeMicros())));
        }
        return ends.size() < 2
                ? Optional.empty()
                : Optional.of(new Extent(ends.get(0).minus(Duration.ofMinutes(1)), ends.get(1)));
    }

    private List<InfluxSeries> slice(SketchRequest request, Instant from, Instant to) {
        // A window's time is its end: those that lie within the slice end after its first instant.
        String period = " AND time > " + InfluxQl.instant(TimeText.micros(from)) + " AND time <= "
                + InfluxQl.instant(TimeText.micros(to));
        List<String> dimensions = request.view().dimensionNames();
        String grouping = dimensions.isEmpty()
                ? ""
                : dimensions.stream().map(InfluxQl::identifier).collect(Collectors.joining(", ", " GROUP BY ", ""));
        return reader.query(policy(request.view()), select(request) + period + grouping);
    }

    private static String select(SketchRequest request) {
        String field = request.metric().unitlessField(Statistic.SKETCH.suffix());
        String window = request.view().synthetic()
                ? " AND " + InfluxQl.identifier(Field.WINDOW) + " = " + InfluxQl.string("1m")
                : "";
        return "SELECT " + InfluxQl.identifier(field) + " AS sketch FROM "
                + InfluxQl.identifier(measurement(request).measurementName()) + " WHERE "
                + InfluxQl.identifier(Field.VIEW) + " = "
                + InfluxQl.string(request.view().name()) + window;
    }

    private static Measurement measurement(SketchRequest request) {
        return request.view().of() == Metric.Origin.ENGINE ? Measurement.ENGINE : Measurement.REQUEST;
    }

    private static RetentionPolicy policy(View view) {
        return view.synthetic() ? RetentionPolicy.RUNS : RetentionPolicy.R1M;
    }

    private static QuantileSketch sketch(InfluxRow row) {
        try {
            return SketchEncoding.decode(
                    Base64.getDecoder().decode(row.text("sketch").orElse("")));
        } catch (IllegalArgumentException e) {
            throw new InfluxQueryException("sketch at " + TimeText.ofMicros(row.timeMicros()) + ": " + e.getMessage());
        }
    }
}
