package io.inferwatch.dashboards;

import static io.inferwatch.dashboards.Column.Aggregate.LAST;
import static io.inferwatch.dashboards.Column.Aggregate.MAX;
import static io.inferwatch.dashboards.Column.Aggregate.SUM;

import io.inferwatch.dashboards.Dashboard.Row;
import io.inferwatch.dashboards.Panel.Kind;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.InfluxQl;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.RetentionPolicy;
import java.util.List;

/** What is not as it was wont to be, and what that has in common. */
final class AnomalyDashboard {
    static final String UID = "inferwatch-anomalies";
    private static final String NO_FINDINGS =
            "Nothing was told in this time range, as alert or in shadow. Detectors learn for two days first, stragglers for an hour.";
    private static final String LEARNING =
            "Nothing is expected yet: a series is learned for two days before it is judged.";
    private static final String NO_PEERS =
            "No stragglers judged yet: that takes an hour of minutes with five replicas of a version at least.";
    private static final List<String> STATISTIC = List.of(Field.METRIC, Field.STATISTIC);

    private final Source findings = of(Measurement.ANOMALY_FINDING);
    private final Source series = of(Measurement.ANOMALY);
    private final Source chosen = series.chosenBy("replica");

    private AnomalyDashboard() {}

    static Dashboard of() {
        AnomalyDashboard made = new AnomalyDashboard();
        return new Dashboard(
                UID,
                "Anomalies",
                "What is not as it was wont to be at this hour, among all series that are watched, and what those have in common.",
                "now-6h",
                List.of(new Variable("replica", "Replica", Measurement.ANOMALY.measurementName())),
                List.of(made.found(), made.expected(), made.peers()));
    }

    private Row found() {
        return Row.of(
                "Findings",
                Panel.of(
                                Kind.TABLE,
                                "Open",
                                "What anomalous series have in common now. \"Alert\" is 1 where a statistic that is told is promoted; otherwise it is in shadow.",
                                "Nothing is open, or nothing is judged yet: the table below tells which.",
                                new Query.LastStates(
                                        findings,
                                        List.of(
                                                Column.of(LAST, Field.STATE, "State"),
                                                Column.of(LAST, Field.PROMOTED, "Alert"),
                                                Column.of(LAST, Field.ANOMALOUS, "Anomalous"),
                                                Column.of(LAST, Field.SERIES, "of"),
                                                Column.of(LAST, Field.SUMMARY, "Summary")),
                                        List.of(Field.FINDING),
                                        InfluxQl.identifier("State") + " = " + InfluxQl.string("OPEN")))
                        .sized(24, 5),
                Panel.of(
                                Kind.TABLE,
                                "Last changes",
                                "The newest hundred beginnings and ends, newest first. EXPIRED: nothing was heard of it. MERGED: part of a wider one.",
                                NO_FINDINGS,
                                new Query.Newest(
                                        findings,
                                        List.of(
                                                Column.plain(Field.STATE, "State"),
                                                Column.plain(Field.FINDING, "Finding"),
                                                Column.plain(Field.SUMMARY, "Summary"),
                                                Column.plain(Field.EVIDENCE, "Evidence")),
                                        100))
                        .sized(24, 7),
                Panel.of(
                                Kind.BARS,
                                "Minutes that were told",
                                "By statistic, over all series: what promotion would have called somebody for. A statistic that is told often and helps nobody stays in shadow.",
                                NO_FINDINGS,
                                new Query.OverRange(series, List.of(Column.of(SUM, Field.TOLD, "Told")), STATISTIC))
                        .sized(24, 6));
    }

    private Row expected() {
        return Row.of(
                "Series against what is expected of them",
                Panel.of(
                                Kind.TIME_SERIES,
                                "TTFT P50 and what is expected",
                                "The median of each minute and the range that it hardly ever leaves at this hour of the week. Of several replicas the greatest: choose one.",
                                LEARNING,
                                new Query.OverTime(chosen.with(Field.METRIC, "ttft"), expectation(), List.of()))
                        .in(Unit.SECONDS),
                Panel.of(
                                Kind.TIME_SERIES,
                                "KV cache use and what is expected",
                                "The mean use of each minute and the range that it hardly ever leaves at this hour of the week. Of several replicas the greatest: choose one.",
                                LEARNING,
                                new Query.OverTime(chosen.with(Field.METRIC, "kv_use"), expectation(), List.of()))
                        .in(Unit.SHARE),
                Panel.of(
                                Kind.TIME_SERIES,
                                "How strange series are",
                                "The greatest score of each replica and statistic, from 0 to 1; 0.22 is at a channel's limit.",
                                LEARNING,
                                new Query.OverTime(
                                        chosen,
                                        List.of(Column.of(MAX, Field.SCORE, "Score")),
                                        List.of("replica", Field.METRIC)))
                        .sized(24, 8));
    }

    private static List<Column> expectation() {
        return List.of(
                Column.of(MAX, Field.EXPECTED_LOW, "expected from")
                        .toned(Tone.CALM)
                        .as(Column.Role.BAND_LOW),
                Column.of(MAX, Field.EXPECTED_HIGH, "expected to")
                        .toned(Tone.CALM)
                        .as(Column.Role.BAND_HIGH),
                Column.of(MAX, Field.OBSERVED, "observed").toned(Tone.TAIL));
    }

    private Row peers() {
        return Row.of(
                "Stragglers",
                Panel.of(
                                Kind.TIME_SERIES,
                                "How far replicas are out of place among their peers",
                                "In limits: above 1 a replica is worse than the others, than its usual place among them, and by ten percent. Three such minutes make a straggler.",
                                NO_PEERS,
                                new Query.OverTime(
                                        of(Measurement.STRAGGLER).chosenBy("replica"),
                                        List.of(Column.of(MAX, Field.SCORE, "Score")),
                                        List.of("replica", Field.METRIC)))
                        .sized(24, 8));
    }

    private static Source of(Measurement measurement) {
        return Source.ofWindows(RetentionPolicy.R1M, measurement.measurementName());
    }
}
