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
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What was not as usual in a period.
 *
 * @param findings that changed in it, in order of their beginnings
 * @param watched by statistic, in their order
 */
record AnomalyReport(Instant from, Instant to, List<Finding> findings, List<Watched> watched) {
    private static final String OPEN = "OPEN";

    AnomalyReport {
        findings = List.copyOf(findings);
        watched = List.copyOf(watched);
    }

    /**
     * Series that were anomalous together.
     *
     * @param name by what they had in common at first
     * @param until empty while it lasts, as far as the period tells
     * @param end how it ended: RESOLVED, EXPIRED, MERGED; OPEN while it lasts
     * @param isAlert whether it was an alert; otherwise it was in shadow
     * @param anomalous series that were anomalous, at the widest
     * @param series that had the same in common
     * @param summary of its beginning where that is in the period
     * @param evidence what was measured
     */
    record Finding(
            String name,
            Instant since,
            Optional<Instant> until,
            String end,
            boolean isAlert,
            OptionalLong anomalous,
            OptionalLong series,
            String summary,
            List<String> evidence) {}

    /**
     * How often a statistic was judged, over all its series.
     *
     * @param statistic as in ttft.p50
     * @param judged minutes that were, once what is usual had been learned
     * @param anomalous minutes that were
     * @param told minutes in which somebody was, or would have been, told
     */
    record Watched(String statistic, long judged, long anomalous, long told) {}

    static AnomalyReport read(Instant from, Instant to, InfluxReader reader) {
        String period = " WHERE time > " + InfluxQl.instant(TimeText.micros(from)) + " AND time <= "
                + InfluxQl.instant(TimeText.micros(to));
        List<Finding> findings = new ArrayList<>();
        for (InfluxSeries series : reader.query(
                RetentionPolicy.R1M,
                select(
                        Measurement.ANOMALY_FINDING,
                        Stream.of(
                                        Field.STATE,
                                        Field.STARTS_AT_MICROS,
                                        Field.PROMOTED,
                                        Field.ANOMALOUS,
                                        Field.SERIES,
                                        Field.SUMMARY,
                                        Field.EVIDENCE)
                                .map(InfluxQl::identifier),
                        period,
                        List.of(Field.FINDING)))) {
            findings.addAll(spans(series.tags().getOrDefault(Field.FINDING, ""), series.rows()));
        }
        findings.sort(Comparator.comparing(Finding::since).thenComparing(Finding::name));
        return new AnomalyReport(from, to, findings, watched(period, reader));
    }

    private static String select(Measurement measurement, Stream<String> columns, String where, List<String> by) {
        return "SELECT " + columns.collect(Collectors.joining(", ")) + " FROM "
                + InfluxQl.identifier(measurement.measurementName()) + where
                + by.stream().map(InfluxQl::identifier).collect(Collectors.joining(", ", " GROUP BY ", ""));
    }

    /** Changes of one name, which may have come again. */
    private static List<Finding> spans(String name, List<InfluxRow> changes) {
        List<Finding> spans = new ArrayList<>();
        for (InfluxRow change : changes) {
            String state = change.text(Field.STATE).orElse(OPEN);
            Instant since =
                    TimeText.ofMicros(change.integer(Field.STARTS_AT_MICROS).orElse(change.timeMicros()));
            Finding last = spans.isEmpty() ? null : spans.get(spans.size() - 1);
            boolean isContinued = last != null && last.since.equals(since);
            Finding now = new Finding(
                    name,
                    since,
                    state.equals(OPEN) ? Optional.empty() : Optional.of(TimeText.ofMicros(change.timeMicros())),
                    state,
                    change.integer(Field.PROMOTED).orElse(0) == 1,
                    change.integer(Field.ANOMALOUS),
                    change.integer(Field.SERIES),
                    change.text(Field.SUMMARY).orElse(""),
                    change.text(Field.EVIDENCE)
                            .map(text -> text.lines().toList())
                            .orElse(List.of()));
            if (last != null && isContinued) {
                spans.remove(spans.size() - 1);
                now = state.equals(OPEN) ? now : ended(last, now);
            }
            spans.add(now);
        }
        return spans;
    }

    /** What it was is told with its beginning. */
    private static Finding ended(Finding last, Finding end) {
        return new Finding(
                last.name,
                last.since,
                end.until,
                end.end,
                end.isAlert,
                last.anomalous,
                last.series,
                last.summary,
                last.evidence);
    }

    private static List<Watched> watched(String period, InfluxReader reader) {
        List<String> by = List.of(Field.METRIC, Field.STATISTIC);
        Map<String, Long> anomalous = new TreeMap<>();
        reader.query(
                        RetentionPolicy.R1M,
                        select(
                                Measurement.ANOMALY,
                                Stream.of("count(" + InfluxQl.identifier(Field.SCORE) + ") AS \"anomalous\""),
                                period + " AND " + InfluxQl.identifier(Field.STATE) + " = "
                                        + InfluxQl.string("ANOMALOUS"),
                                by))
                .forEach(series -> anomalous.put(statistic(series), count(series, "anomalous")));
        List<Watched> watched = new ArrayList<>();
        for (InfluxSeries series : reader.query(
                RetentionPolicy.R1M,
                select(
                        Measurement.ANOMALY,
                        Stream.of(
                                "count(" + InfluxQl.identifier(Field.SCORE) + ") AS \"judged\"",
                                "sum(" + InfluxQl.identifier(Field.TOLD) + ") AS \"told\""),
                        period,
                        by))) {
            watched.add(new Watched(
                    statistic(series),
                    count(series, "judged"),
                    anomalous.getOrDefault(statistic(series), 0L),
                    count(series, "told")));
        }
        watched.sort(Comparator.comparing(Watched::statistic));
        return watched;
    }

    private static String statistic(InfluxSeries series) {
        return series.tags().get(Field.METRIC) + "." + series.tags().get(Field.STATISTIC);
    }

    private static long count(InfluxSeries series, String column) {
        return series.rows().stream()
                .mapToLong(row -> row.integer(column).orElse(0))
                .sum();
    }
}
