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
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * Where devices sit and where their processes run, as their latest minute in a period tells it.
 *
 * @param devices those whose processes are far first, then by node, device and instance
 */
record PlacementReport(Instant from, Instant to, List<Device> devices) {
    private static final List<String> TAGS = List.of("node", "gpu", "mig");
    private static final List<String> FIELDS = List.of(
            Field.PLACED,
            Field.DEVICE_INDEX,
            Field.NUMA_NODE,
            Field.RECOMMENDED_CPUS,
            Field.ACTUAL_CPUS,
            Field.PROCESS,
            Field.COMMAND,
            Field.START,
            Field.MISPLACED);

    PlacementReport {
        devices = List.copyOf(devices);
    }

    /**
     * A GPU or MIG instance; what nobody told is empty.
     *
     * @param placed near, far or unknown
     * @param isConfirmed whether far has lasted
     * @param command that brings the far process near
     * @param start what to start it with, so that its memory is near too
     */
    record Device(
            String node,
            String gpu,
            String mig,
            OptionalLong index,
            OptionalLong numaNode,
            Optional<String> recommendedCpus,
            Optional<String> actualCpus,
            Optional<String> process,
            String placed,
            boolean isConfirmed,
            Optional<String> command,
            Optional<String> start,
            Instant at) {
        private static Device of(InfluxSeries series, InfluxRow row) {
            return new Device(
                    series.tags().getOrDefault("node", ""),
                    series.tags().getOrDefault("gpu", ""),
                    series.tags().getOrDefault("mig", ""),
                    row.integer(Field.DEVICE_INDEX),
                    row.integer(Field.NUMA_NODE),
                    row.text(Field.RECOMMENDED_CPUS),
                    row.text(Field.ACTUAL_CPUS),
                    row.text(Field.PROCESS),
                    row.text(Field.PLACED).orElse("unknown"),
                    row.integer(Field.MISPLACED).orElse(0) == 1,
                    row.text(Field.COMMAND),
                    row.text(Field.START),
                    TimeText.ofMicros(row.timeMicros()));
        }

        boolean isFar() {
            return placed.equals("far");
        }
    }

    /** Whether some process is far from its device. */
    boolean hasFar() {
        return devices.stream().anyMatch(Device::isFar);
    }

    /** Reads the latest point of each device that lies in the period. */
    static PlacementReport read(Instant from, Instant to, InfluxReader reader) {
        List<Device> devices = new ArrayList<>();
        for (InfluxSeries series : reader.query(RetentionPolicy.R1M, query(from, to))) {
            series.rows().forEach(row -> devices.add(Device.of(series, row)));
        }
        devices.sort(Comparator.comparing((Device device) -> !device.isFar())
                .thenComparing(Device::node)
                .thenComparing(device -> device.index().orElse(Long.MAX_VALUE))
                .thenComparing(Device::gpu)
                .thenComparing(Device::mig));
        return new PlacementReport(from, to, devices);
    }

    private static String query(Instant from, Instant to) {
        return "SELECT " + FIELDS.stream().map(InfluxQl::identifier).collect(Collectors.joining(", ")) + " FROM "
                + InfluxQl.identifier(Measurement.PLACEMENT.measurementName())
                + " WHERE time > " + InfluxQl.instant(TimeText.micros(from))
                + " AND time <= " + InfluxQl.instant(TimeText.micros(to))
                + TAGS.stream()
                        .map(InfluxQl::identifier)
                        .collect(Collectors.joining(", ", " GROUP BY ", " ORDER BY time DESC LIMIT 1"));
    }
}
