package io.inferwatch.dashboards;

import static io.inferwatch.dashboards.Column.Aggregate.LAST;
import static io.inferwatch.dashboards.Column.Aggregate.MAX;
import static io.inferwatch.dashboards.Column.Aggregate.MEAN;
import static io.inferwatch.dashboards.Column.Aggregate.SUM;

import io.inferwatch.dashboards.Dashboard.Row;
import io.inferwatch.dashboards.Panel.Kind;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.influx.Statistic;
import java.time.Duration;
import java.util.List;

/** Load runs: what was asked of servers, how they bore it, and the verdicts on each step. */
final class RunsDashboard {
    static final String UID = "inferwatch-runs";

    private static final String NO_RUNS =
            "No load was run in this time. \"inferwatch load --bootstrap-servers\" publishes each of its requests.";
    private static final String NO_STEPS =
            "No load with a limit was run in this time: \"inferwatch load --stages 300:5m,800:5m --p99-limit 200ms --bootstrap-servers\".";
    private static final List<String> RUN = List.of("run");

    private final Stored stored;
    private final Source seconds;
    private final Source minutes;
    private final Source steps = Source.of(
                    RetentionPolicy.RUNS, Measurement.LOAD_STEP.measurementName(), Duration.ofSeconds(1))
            .chosenBy("run");

    private RunsDashboard(Stored stored) {
        this.stored = stored;
        // The tag tells a run's windows of all lengths apart.
        Source runs = stored.view(RetentionPolicy.RUNS, "run").chosenBy("run");
        this.seconds = runs.with(Field.WINDOW, "1s");
        this.minutes = new Source(runs.policy(), runs.measurement(), Duration.ofMinutes(1), runs.conditions())
                .with(Field.WINDOW, "1m");
    }

    static Dashboard of(Stored stored) {
        RunsDashboard made = new RunsDashboard(stored);
        return new Dashboard(
                UID,
                "Load runs",
                "What was asked of servers, how they bore it, and whether each step stayed within its limit. Synthetic requests are here and nowhere else.",
                "now-1h",
                List.of(stored.variable("run", "run", "Run")),
                List.of(made.verdicts(), made.overTime()));
    }

    private Row verdicts() {
        return Row.of(
                "Verdicts",
                Panel.of(
                                Kind.TABLE,
                                "Steps",
                                "Each step's worst sliding minute against its limit, from the schedule: who wanted an answer then has waited since then. Without a P99 too few requests came, or more than one in a hundred failed.",
                                NO_STEPS,
                                new Query.OverRange(
                                        steps,
                                        List.of(
                                                Column.of(LAST, Field.LOAD_VERDICT, "Verdict"),
                                                Column.of(LAST, Field.LOAD_DUE, "Due")
                                                        .in(Unit.REQUESTS_PER_SECOND),
                                                Column.of(LAST, Field.LOAD_P99, "P99"),
                                                Column.of(LAST, Field.LOAD_LIMIT, "Limit"),
                                                Column.of(LAST, Field.LOAD_OVER_LIMIT, "Over it"),
                                                Column.of(LAST, Field.N, "Requests")
                                                        .in(Unit.COUNT),
                                                Column.of(LAST, Field.LOAD_FAILED, "Failed")
                                                        .in(Unit.COUNT)),
                                        List.of("run", Field.LOAD_STEP)))
                        .in(Unit.SECONDS)
                        .sized(16, 8),
                Panel.of(
                                Kind.TABLE,
                                "Runs",
                                "Requests of each run that ended in the time range, and those of them that failed.",
                                NO_RUNS,
                                new Query.OverRange(
                                        seconds,
                                        List.of(
                                                Column.of(SUM, stored.field("requests"), "Requests"),
                                                Column.of(SUM, stored.field("failed"), "Failed")),
                                        RUN))
                        .in(Unit.COUNT)
                        .sized(8, 8));
    }

    private Row overTime() {
        return Row.of(
                "Over time",
                overTime(
                                "Answers",
                                "Requests that ended, a second.",
                                seconds,
                                Column.of(MEAN, stored.field("requests", Statistic.PER_SECOND), "Ended"))
                        .in(Unit.REQUESTS_PER_SECOND),
                overTime(
                                "Failed",
                                "Share of requests that failed in any way.",
                                seconds,
                                Column.of(MAX, stored.field("error_ratio"), "Failed"))
                        .in(Unit.SHARE),
                overTime(
                                "TTFT P99",
                                "From the schedule, by the minute; below 368 requests it only describes the sample.",
                                minutes,
                                Column.of(MAX, stored.field("ttft", Statistic.P99), "P99"))
                        .in(Unit.SECONDS),
                overTime(
                                "E2E P99",
                                "From the schedule, by the minute; below 368 requests it only describes the sample.",
                                minutes,
                                Column.of(MAX, stored.field("e2e", Statistic.P99), "P99"))
                        .in(Unit.SECONDS));
    }

    private static Panel overTime(String title, String description, Source source, Column column) {
        return Panel.of(
                Kind.TIME_SERIES, title, description, NO_RUNS, new Query.OverTime(source, List.of(column), RUN));
    }
}
