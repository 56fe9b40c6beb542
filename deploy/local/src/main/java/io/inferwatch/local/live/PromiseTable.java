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

/** The alerts of objectives since a moment, as InfluxDB has them. */
final class PromiseTable {
    private final List<Change> changes;

    private record Change(Instant at, String fingerprint, String state, String severity, String summary) {}

    private PromiseTable(List<Change> changes) {
        this.changes = changes;
    }

    static PromiseTable read(InfluxReader reader, Instant from) {
        List<Change> changes = new ArrayList<>();
        for (InfluxSeries series : reader.query(
                RetentionPolicy.R1H,
                "SELECT " + Field.STATE + ", " + Field.SEVERITY + ", " + Field.SUMMARY + " FROM \""
                        + Measurement.ALERT.measurementName() + "\" WHERE \"" + Field.ALERT
                        + "\" = 'slo-burn' AND time > " + ChronoUnit.MICROS.between(Instant.EPOCH, from)
                        + "u GROUP BY \"" + Field.FINGERPRINT + "\"")) {
            for (InfluxRow row : series.rows()) {
                changes.add(new Change(
                        Instant.EPOCH.plus(row.timeMicros(), ChronoUnit.MICROS),
                        series.tags().getOrDefault(Field.FINGERPRINT, ""),
                        row.text(Field.STATE).orElse(""),
                        row.text(Field.SEVERITY).orElse(""),
                        row.text(Field.SUMMARY).orElse("")));
            }
        }
        changes.sort(Comparator.comparing(Change::at));
        return new PromiseTable(changes);
    }

    /** Whether there was one page, of the replica, that is over, and no other alert. */
    boolean isOnePageThatIsOver(String replica) {
        return changes.size() == 2
                && changes.stream()
                        .allMatch(change ->
                                change.severity.equals("PAGE") && change.fingerprint.contains("/" + replica + "/"))
                && changes.get(0).state.equals("FIRING")
                && changes.get(1).state.equals("RESOLVED");
    }

    /** A line for each change. */
    List<String> lines() {
        return changes.stream()
                .map(change -> "%s  %-8s  %-6s  %s"
                        .formatted(
                                DateTimeFormatter.ofPattern("HH:mm").format(change.at.atOffset(ZoneOffset.UTC)),
                                change.state,
                                change.severity,
                                change.summary))
                .toList();
    }
}
