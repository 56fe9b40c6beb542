package io.inferwatch.local.live;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.InfluxRow;
import io.inferwatch.influx.InfluxSeries;
import io.inferwatch.influx.RetentionPolicy;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Time to first token of each replica before and after a moment, put together from the one-minute windows that InfluxDB holds. */
final class ReplicaTable {
    private static final String HEADER = "%-12s %8s %8s   %10s %10s %8s   %10s %10s %8s";

    private final Map<String, QuantileSketch> before = new TreeMap<>();
    private final Map<String, QuantileSketch> after = new TreeMap<>();

    private ReplicaTable() {}

    /** Windows that began at or after {@code from}, ended at or before {@code to}, and do not hold the moment {@code at}. */
    static ReplicaTable read(InfluxReader reader, Instant from, Instant at, Instant to) {
        ReplicaTable table = new ReplicaTable();
        table.add(reader, from, at, table.before);
        table.add(reader, at, to, table.after);
        return table;
    }

    /** By how much a replica's quantile has grown; not a number as long as a side has none. */
    double growth(String replica, double q) {
        return quantile(after, replica, q) / quantile(before, replica, q);
    }

    /** A header and a line for each replica. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(HEADER.formatted(
                "replica", "n before", "after", "TTFT p50", "after", "ratio", "TTFT p99", "after", "ratio"));
        for (String replica : before.keySet()) {
            lines.add(HEADER.formatted(
                    replica,
                    "%,d".formatted(n(before, replica)),
                    "%,d".formatted(n(after, replica)),
                    seconds(quantile(before, replica, 0.5)),
                    seconds(quantile(after, replica, 0.5)),
                    ratio(growth(replica, 0.5)),
                    seconds(quantile(before, replica, 0.99)),
                    seconds(quantile(after, replica, 0.99)),
                    ratio(growth(replica, 0.99))));
        }
        return lines;
    }

    private void add(InfluxReader reader, Instant from, Instant to, Map<String, QuantileSketch> side) {
        for (InfluxSeries series : reader.query(
                RetentionPolicy.R1M,
                "SELECT ttft_sketch FROM \"request\" WHERE \"view\" = 'replica-version' AND time > " + micros(from)
                        + "u AND time <= " + micros(to) + "u GROUP BY \"replica\"")) {
            QuantileSketch sketch =
                    side.computeIfAbsent(series.tags().getOrDefault("replica", ""), name -> new QuantileSketch());
            for (InfluxRow row : series.rows()) {
                row.text("ttft_sketch")
                        .ifPresent(text -> sketch.merge(
                                SketchEncoding.decode(Base64.getDecoder().decode(text))));
            }
        }
    }

    private static long n(Map<String, QuantileSketch> side, String replica) {
        QuantileSketch sketch = side.get(replica);
        return sketch == null ? 0 : sketch.n();
    }

    private static double quantile(Map<String, QuantileSketch> side, String replica, double q) {
        QuantileSketch sketch = side.get(replica);
        return sketch == null || sketch.n() == 0 ? Double.NaN : sketch.quantile(q) / 1e6;
    }

    private static String seconds(double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.3f s", value);
    }

    private static String ratio(double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.2f", value);
    }

    private static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }
}
