package io.inferwatch.local.live;

import io.inferwatch.influx.Field;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.InfluxRow;
import io.inferwatch.influx.InfluxSeries;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.RetentionPolicy;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The verdicts on each node's TTFT P99 of the minutes after a moment, as InfluxDB has them. */
final class DriftTable {
    private static final String HEADER = "%-10s %-8s %-14s %-14s %9s %20s %10s   %s";
    private static final String VIEW = "node-prompt";
    private static final String ADJUSTED_VERDICT = Field.adjusted(Field.VERDICT);
    private static final String FIELDS = String.join(
            ", ",
            Field.VERDICT,
            ADJUSTED_VERDICT,
            Field.CHANGE,
            Field.CHANGE_LOW,
            Field.CHANGE_HIGH,
            Field.MIX_SHARE,
            Field.DRIFTING);

    /**
     * A verdict.
     *
     * @param adjusted of like requests; empty where the mix is not known
     */
    private record Row(
            Instant end,
            String node,
            String raw,
            Optional<String> adjusted,
            Optional<Double> change,
            Optional<Double> low,
            Optional<Double> high,
            Optional<Double> mixShare,
            boolean isDrifting) {}

    private final List<Row> rows;
    private final Instant from;

    private DriftTable(List<Row> rows, Instant from) {
        this.rows = rows;
        this.from = from;
    }

    /** The verdicts of windows that end after {@code from} and not after {@code to}. */
    static DriftTable read(InfluxReader reader, Instant from, Instant to) {
        List<Row> rows = new ArrayList<>();
        for (InfluxSeries series : reader.query(
                RetentionPolicy.R1M,
                "SELECT " + FIELDS + " FROM \"" + Measurement.DRIFT.measurementName() + "\" WHERE \"" + Field.VIEW
                        + "\" = '" + VIEW
                        + "' AND \"" + Field.METRIC + "\" = 'ttft' AND time > " + micros(from) + "u AND time <= "
                        + micros(to) + "u GROUP BY \"node\"")) {
            for (InfluxRow row : series.rows()) {
                rows.add(new Row(
                        Instant.EPOCH.plus(row.timeMicros(), ChronoUnit.MICROS),
                        series.tags().getOrDefault("node", ""),
                        row.text(Field.VERDICT).orElse("-"),
                        row.text(ADJUSTED_VERDICT),
                        boxed(row, Field.CHANGE),
                        boxed(row, Field.CHANGE_LOW),
                        boxed(row, Field.CHANGE_HIGH),
                        boxed(row, Field.MIX_SHARE),
                        row.integer(Field.DRIFTING).orElse(0) == 1));
            }
        }
        rows.sort(Comparator.comparing(Row::end).thenComparing(Row::node));
        return new DriftTable(rows, from);
    }

    /** The end of the last window that has a verdict. */
    Optional<Instant> lastEnd() {
        return rows.isEmpty() ? Optional.empty() : Optional.of(rows.get(rows.size() - 1).end);
    }

    /** The nodes whose drift was confirmed. */
    Set<String> drifting() {
        Set<String> nodes = new TreeSet<>();
        rows.stream().filter(Row::isDrifting).forEach(row -> nodes.add(row.node));
        return nodes;
    }

    /** How long after the moment the first drift was confirmed, by the end of its window. */
    Optional<Duration> delay() {
        return rows.stream().filter(Row::isDrifting).findFirst().map(row -> Duration.between(from, row.end));
    }

    /** Whether some verdict on all requests is DRIFT, and most of the change of each such is the traffic's mix. */
    boolean showsMix() {
        List<Row> raw = rows.stream().filter(row -> row.raw.equals("DRIFT")).toList();
        return !raw.isEmpty() && raw.stream().allMatch(row -> row.mixShare.orElse(0.0) > 0.5);
    }

    /** A header and a line for each verdict; the mix's share where there is drift to share. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(HEADER.formatted(
                "minute", "node", "TTFT p99", "of like ones", "change", "95 % limits", "mix", "confirmed"));
        for (Row row : rows) {
            lines.add(HEADER.formatted(
                            DateTimeFormatter.ofPattern("HH:mm").format(row.end.atOffset(ZoneOffset.UTC)),
                            row.node,
                            row.raw,
                            row.adjusted.orElse("-"),
                            percent(row.change),
                            percent(row.low) + " to " + percent(row.high),
                            // The mix's share of a change that may be none says nothing.
                            percent(row.mixShare.filter(share -> row.raw.equals("DRIFT"))),
                            row.isDrifting ? "DRIFT" : "")
                    .stripTrailing());
        }
        return lines;
    }

    private static Optional<Double> boxed(InfluxRow row, String field) {
        return row.real(field).isPresent() ? Optional.of(row.real(field).getAsDouble()) : Optional.empty();
    }

    private static String percent(Optional<Double> share) {
        return share.map(value -> String.format(Locale.ROOT, "%+.0f %%", 100 * value))
                .orElse("-");
    }

    private static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }
}
