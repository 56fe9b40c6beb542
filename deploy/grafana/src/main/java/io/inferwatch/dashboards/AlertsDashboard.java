package io.inferwatch.dashboards;

import static io.inferwatch.dashboards.Column.Aggregate.COUNT;
import static io.inferwatch.dashboards.Column.Aggregate.LAST;

import io.inferwatch.dashboards.Dashboard.Row;
import io.inferwatch.dashboards.Panel.Kind;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.InfluxQl;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.schemas.AlertState;
import java.time.Duration;
import java.util.List;

/** What fires, what fired, and on what evidence. */
final class AlertsDashboard {
    static final String UID = "inferwatch-alerts";
    private static final String NO_ALERTS = "No alert has changed its state in this time range.";
    static final Source ALERTS =
            Source.of(RetentionPolicy.R1H, Measurement.ALERT.measurementName(), Duration.ofSeconds(10));
    private static final Source CAUSES = Source.ofWindows(RetentionPolicy.R1M, Measurement.CAUSE.measurementName());
    private static final String IS_FIRING =
            InfluxQl.identifier("State") + " = " + InfluxQl.string(AlertState.FIRING.name());

    private AlertsDashboard() {}

    static Dashboard of() {
        return new Dashboard(
                UID,
                "Alerts",
                "What fires now and what fired, with the figures behind it and the likely causes.",
                "now-24h",
                List.of(),
                List.of(
                        Row.of(
                                "Now",
                                Panel.of(
                                                Kind.TABLE,
                                                "Firing",
                                                "Alerts whose last state is FIRING. One that began before the time range is not seen: choose a longer one.",
                                                "Nothing fires.",
                                                new Query.LastStates(
                                                        ALERTS,
                                                        List.of(
                                                                Column.of(LAST, Field.STATE, "State"),
                                                                Column.of(LAST, Field.SEVERITY, "Severity"),
                                                                Column.of(LAST, Field.SUMMARY, "Summary"),
                                                                Column.of(LAST, Field.CAUSES, "Likely causes")),
                                                        List.of(Field.ALERT, Field.FINGERPRINT),
                                                        IS_FIRING))
                                        .sized(24, 6)),
                        Row.of(
                                "Causes",
                                Panel.of(
                                                Kind.TABLE,
                                                "Likely causes",
                                                "Of alerts that began to fire, the newest first: what likely made them, how often such a first cause was right, and what shows it. Unknown is what the data do not explain.",
                                                "No alert began to fire after eight quiet minutes in this time range.",
                                                new Query.Newest(
                                                        CAUSES,
                                                        List.of(
                                                                Column.plain(Field.FINGERPRINT, "Alert"),
                                                                Column.plain(Field.RANK, "Rank"),
                                                                Column.plain(Field.CAUSE_NAME, "Cause"),
                                                                Column.plain(Field.CAUSE_SHARE, "Likely")
                                                                        .in(Unit.SHARE),
                                                                Column.plain(Field.CAUSE_EVIDENCE, "Evidence")),
                                                        100))
                                        .sized(24, 8)),
                        Row.of(
                                "Changes",
                                Panel.of(
                                                Kind.TABLE,
                                                "Last changes",
                                                "The newest hundred changes of state, newest first.",
                                                NO_ALERTS,
                                                new Query.Newest(
                                                        ALERTS,
                                                        List.of(
                                                                Column.plain(Field.STATE, "State"),
                                                                Column.plain(Field.ALERT, "Alert"),
                                                                Column.plain(Field.SEVERITY, "Severity"),
                                                                Column.plain(Field.SUMMARY, "Summary"),
                                                                Column.plain(Field.EVIDENCE, "Evidence")),
                                                        100))
                                        .sized(24, 9),
                                Panel.of(
                                                Kind.BARS,
                                                "Firings by alert",
                                                "How often each alert began to fire in the time range: what fires often and helps nobody wants another threshold.",
                                                NO_ALERTS,
                                                new Query.OverRange(
                                                        ALERTS.with(Field.STATE, AlertState.FIRING.name()),
                                                        List.of(Column.of(COUNT, Field.SUMMARY, "Firings")),
                                                        List.of(Field.ALERT)))
                                        .sized(24, 5))));
    }
}
