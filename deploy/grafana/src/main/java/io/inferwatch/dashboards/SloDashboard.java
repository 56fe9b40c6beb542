package io.inferwatch.dashboards;

import static io.inferwatch.dashboards.Column.Aggregate.LAST;
import static io.inferwatch.dashboards.Column.Aggregate.MAX;
import static io.inferwatch.dashboards.Column.Aggregate.MIN;

import io.inferwatch.dashboards.Dashboard.Row;
import io.inferwatch.dashboards.Panel.Kind;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.RetentionPolicy;
import java.util.List;

/** What is promised, and how much of each error budget is left. */
final class SloDashboard {
    static final String UID = "inferwatch-slo";

    private static final String NO_OBJECTIVES =
            "No objective has had a minute of windows: hand one to the jobs with \"inferwatch slo apply\".";
    private static final String NO_END =
            "No budget will be spent within its period if the last hour goes on, or nothing is promised.";
    private static final List<String> OF = List.of(Field.SLO, "model", "version", "tenant");

    private final Source objectives = Source.ofWindows(RetentionPolicy.R1M, Measurement.SLO.measurementName())
            .chosenBy(Field.SLO);

    private SloDashboard() {}

    static Dashboard of() {
        SloDashboard made = new SloDashboard();
        return new Dashboard(
                UID,
                "Objectives",
                "What is promised of each series, how fast its error budget burns, and how much of it is left.",
                "now-24h",
                List.of(new Variable(Field.SLO, "Objective", Measurement.SLO.measurementName())),
                List.of(made.now(), made.overTime()));
    }

    private Row now() {
        return Row.of(
                "Now",
                Panel.of(
                                Kind.TABLE,
                                "Objectives",
                                "The last minute of each. NO_DATA: nothing was observed for five minutes; what fires goes on. Pressure: the burn over both windows of the"
                                        + " condition that is nearest to firing, as a share of its factor.",
                                NO_OBJECTIVES,
                                new Query.OverRange(
                                        objectives,
                                        List.of(
                                                Column.of(LAST, Field.SLO_STATE, "State"),
                                                Column.of(LAST, Field.SLO_ATTAINED, "Good"),
                                                Column.of(LAST, Field.SLO_TARGET, "Target"),
                                                Column.of(LAST, Field.SLO_BUDGET_LEFT, "Budget left"),
                                                Column.of(LAST, Field.SLO_BURN, "Burn")
                                                        .in(Unit.TIMES),
                                                Column.of(LAST, Field.SLO_PRESSURE, "Pressure"),
                                                Column.of(LAST, Field.SLO_FIRING, "Firing")),
                                        OF))
                        .in(Unit.SHARE)
                        .sized(16, 8)
                        .leadingTo(AlertsDashboard.UID),
                Panel.of(
                                Kind.TABLE,
                                "When it is spent",
                                "If the last hour goes on.",
                                NO_END,
                                new Query.OverRange(
                                        objectives, List.of(Column.of(LAST, Field.SLO_EXHAUSTED_IN, "Spent in")), OF))
                        .in(Unit.SECONDS)
                        .sized(8, 8));
    }

    private Row overTime() {
        return Row.of(
                "Over time",
                Panel.of(
                                Kind.TIME_SERIES,
                                "Error budget left",
                                "The share of the period's budget that is left, with the requests so far taken for the whole period. Below nothing more than all is spent.",
                                NO_OBJECTIVES,
                                new Query.OverTime(
                                        objectives, List.of(Column.of(MIN, Field.SLO_BUDGET_LEFT, "Left")), OF))
                        .in(Unit.SHARE)
                        .judgedBy(Thresholds.badBelow(0.0, 0.25))
                        .sized(12, 8),
                Panel.of(
                                Kind.TIME_SERIES,
                                "Burn",
                                "How many times as fast as it may the last hour burns the budget: a page at 14.4 times in an hour or 6 times in six.",
                                NO_OBJECTIVES,
                                new Query.OverTime(objectives, List.of(Column.of(MAX, Field.SLO_BURN, "Burn")), OF))
                        .in(Unit.TIMES)
                        .judgedBy(Thresholds.badAbove(1, 6))
                        .sized(12, 8));
    }
}
