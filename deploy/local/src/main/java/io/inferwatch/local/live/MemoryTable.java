package io.inferwatch.local.live;

import io.inferwatch.influx.Field;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.InfluxRow;
import io.inferwatch.influx.InfluxSeries;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.RetentionPolicy;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** What memory showed in the minutes after a moment, and which alerts were opened, as InfluxDB has them. */
final class MemoryTable {
    private static final String HEADER = "%-10s %-26s %16s %16s";

    private final LiveFault fault;
    private final List<Row> rows;
    private final Set<String> alerts;

    /**
     * A minute of a replica or a GPU.
     *
     * @param share of the KV cache in use, or of free memory that the largest request cannot use
     * @param strikes requests preempted, or allocations retried or failed
     */
    private record Row(Instant end, String subject, double share, long strikes) {}

    private MemoryTable(LiveFault fault, List<Row> rows, Set<String> alerts) {
        this.fault = fault;
        this.rows = rows;
        this.alerts = alerts;
    }

    /** What lies after {@code from}. */
    static MemoryTable read(InfluxReader reader, LiveFault fault, Instant from) {
        boolean isKv = fault == LiveFault.KV_PRESSURE;
        String fields = isKv
                ? Field.USE + " AS share, " + Field.PREEMPTIONS + " AS strikes"
                : Field.UNUSABLE_SHARE + " AS share, " + Field.ALLOCATION_RETRIES + " AS strikes";
        Measurement measurement = isKv ? Measurement.KV_CACHE : Measurement.FRAGMENTATION;
        String subject = isKv ? "replica" : "gpu";
        String since = " WHERE time > " + ChronoUnit.MICROS.between(Instant.EPOCH, from) + "u";
        List<Row> rows = new ArrayList<>();
        for (InfluxSeries series : reader.query(
                RetentionPolicy.R1M,
                "SELECT " + fields + " FROM \"" + measurement.measurementName() + "\"" + since + " GROUP BY \""
                        + subject + "\"")) {
            for (InfluxRow row : series.rows()) {
                rows.add(new Row(
                        Instant.EPOCH.plus(row.timeMicros(), ChronoUnit.MICROS),
                        series.tags().getOrDefault(subject, ""),
                        row.real("share").orElse(0),
                        row.integer("strikes").orElse(0)));
            }
        }
        rows.sort(Comparator.comparing(Row::end).thenComparing(Row::subject));
        Set<String> alerts = new TreeSet<>();
        for (InfluxSeries series : reader.query(
                RetentionPolicy.R1H,
                "SELECT " + Field.STATE + " FROM \"" + Measurement.ALERT.measurementName() + "\"" + since
                        + " GROUP BY \"" + Field.FINGERPRINT + "\"")) {
            alerts.add(series.tags().getOrDefault(Field.FINGERPRINT, ""));
        }
        return new MemoryTable(fault, rows, alerts);
    }

    /** The fingerprints of all alerts. */
    Set<String> alerts() {
        return alerts;
    }

    /** Who was struck: whose requests were preempted, or whose allocations were retried or failed. */
    Set<String> struck() {
        Set<String> subjects = new TreeSet<>();
        rows.stream().filter(row -> row.strikes > 0).forEach(row -> subjects.add(row.subject));
        return subjects;
    }

    /** A header and a line for each minute and subject. */
    List<String> lines() {
        boolean isKv = fault == LiveFault.KV_PRESSURE;
        List<String> lines = new ArrayList<>();
        lines.add(HEADER.formatted(
                "minute",
                isKv ? "replica" : "gpu",
                isKv ? "KV cache in use" : "free, unusable",
                isKv ? "preempted" : "retries"));
        for (Row row : rows) {
            lines.add(HEADER.formatted(
                    DateTimeFormatter.ofPattern("HH:mm").format(row.end.atOffset(ZoneOffset.UTC)),
                    row.subject,
                    String.format(Locale.ROOT, "%.1f %%", 100 * row.share),
                    row.strikes));
        }
        return lines;
    }
}
