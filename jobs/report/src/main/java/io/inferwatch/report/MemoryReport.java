package io.inferwatch.report;

import io.inferwatch.influx.Field;
import io.inferwatch.influx.InfluxQl;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.InfluxRow;
import io.inferwatch.influx.InfluxSeries;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.RetentionPolicy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What was last told of the memory of each device, and of each replica's KV cache.
 *
 * @param devices by GPU and MIG instance
 * @param replicas by name
 */
record MemoryReport(Instant from, Instant to, List<Subject> devices, List<Subject> replicas) {
    private static final String BYTES = "bytes";
    private static final String ESTIMATED_SECONDS = Field.estimated("seconds");

    /** What a figure may be stored as. */
    private static final List<String> OF_MEMORY = Stream.of(
                    Field.CAPACITY,
                    Field.USED,
                    Field.USED_MAX,
                    Field.WEIGHTS,
                    Field.KV_CACHE_PART,
                    Field.GRAPHS,
                    Field.WORKSPACE,
                    Field.FRAGMENTED,
                    Field.OTHER_PART)
            .flatMap(name -> Stream.of(Field.estimate(name, BYTES), Field.estimate(name, Field.estimated(BYTES))))
            .toList();

    private static final List<String> OF_FRAGMENTATION = List.of(
            Field.CACHE_SHARE,
            Field.SPLIT_SHARE,
            Field.EXTERNAL_SHARE,
            Field.UNUSABLE_SHARE,
            Field.ALLOCATION_RETRIES,
            Field.OUT_OF_MEMORY);

    private static final List<String> OF_KV_CACHE = List.of(
            Field.USE,
            Field.USE_MAX,
            Field.WASTE,
            Field.estimate(Field.WASTE, Field.estimated("")),
            Field.estimate(Field.TAIL_WASTE, Field.estimated("")),
            Field.estimate(Field.LAYER_WASTE, Field.estimated("")),
            Field.STRANDED,
            Field.PREEMPTIONS);

    /** A record with unmodifiable lists. */
    MemoryReport {
        devices = List.copyOf(devices);
        replicas = List.copyOf(replicas);
    }

    /**
     * The latest minute of a device or replica.
     *
     * @param tags what it is
     * @param figures by the names that they are stored under; estimates say so in theirs
     */
    record Subject(Map<String, String> tags, Instant at, Map<String, Double> figures) {
        String tag(String name) {
            return tags.getOrDefault(name, "");
        }

        OptionalDouble figure(String name) {
            Double figure = figures.get(name);
            return figure == null ? OptionalDouble.empty() : OptionalDouble.of(figure);
        }
    }

    /** Whether there is nothing to tell. */
    boolean isEmpty() {
        return devices.isEmpty() && replicas.isEmpty();
    }

    /** What there is of one replica and its devices. */
    MemoryReport of(String replica) {
        return new MemoryReport(from, to, of(replica, devices), of(replica, replicas));
    }

    private static List<Subject> of(String replica, List<Subject> subjects) {
        return subjects.stream()
                .filter(subject -> subject.tag("replica").equals(replica))
                .toList();
    }

    /** Reads the latest points that lie in the period. */
    static MemoryReport read(Instant from, Instant to, InfluxReader reader) {
        Map<String, Subject> devices = latest(
                Measurement.MEMORY, with(OF_MEMORY, "bytes_per_second"), List.of("gpu", "mig"), from, to, reader);
        latest(Measurement.FRAGMENTATION, OF_FRAGMENTATION, List.of("gpu", "mig"), from, to, reader)
                .forEach((key, allocator) -> devices.merge(key, allocator, MemoryReport::merged));
        Map<String, Subject> replicas =
                latest(Measurement.KV_CACHE, with(OF_KV_CACHE, "per_hour"), List.of("replica"), from, to, reader);
        return new MemoryReport(from, to, List.copyOf(devices.values()), List.copyOf(replicas.values()));
    }

    private static Subject merged(Subject device, Subject allocator) {
        Map<String, Double> figures = new LinkedHashMap<>(device.figures);
        figures.putAll(allocator.figures);
        return new Subject(device.tags, device.at, figures);
    }

    private static List<String> with(List<String> fields, String growthUnit) {
        List<String> all = new ArrayList<>(fields);
        String unit = Field.estimated(growthUnit);
        all.addAll(List.of(
                Field.estimate(Field.GROWTH, unit), Field.low(Field.GROWTH, unit), Field.high(Field.GROWTH, unit)));
        all.addAll(List.of(
                Field.estimate(Field.FULL_IN, ESTIMATED_SECONDS),
                Field.low(Field.FULL_IN, ESTIMATED_SECONDS),
                Field.high(Field.FULL_IN, ESTIMATED_SECONDS)));
        return all;
    }

    private static Map<String, Subject> latest(
            Measurement measurement,
            List<String> fields,
            List<String> subject,
            Instant from,
            Instant to,
            InfluxReader reader) {
        Map<String, Subject> latest = new TreeMap<>();
        String query = "SELECT " + fields.stream().map(InfluxQl::identifier).collect(Collectors.joining(", "))
                + " FROM " + InfluxQl.identifier(measurement.measurementName())
                + " WHERE time > " + InfluxQl.instant(TimeText.micros(from))
                + " AND time <= " + InfluxQl.instant(TimeText.micros(to))
                + " GROUP BY * ORDER BY time DESC LIMIT 1";
        for (InfluxSeries series : reader.query(RetentionPolicy.R1M, query)) {
            for (InfluxRow row : series.rows()) {
                Map<String, Double> figures = new LinkedHashMap<>();
                fields.forEach(field -> row.real(field).ifPresent(value -> figures.put(field, value)));
                Subject found = new Subject(series.tags(), TimeText.ofMicros(row.timeMicros()), figures);
                // A device that another replica had before has a series of that time too.
                latest.merge(
                        subject.stream().map(found::tag).collect(Collectors.joining("/")),
                        found,
                        (one, other) -> one.at.isBefore(other.at) ? other : one);
            }
        }
        return latest;
    }
}
