package io.inferwatch.dashboards;

import static io.inferwatch.dashboards.Column.Aggregate.LAST;
import static io.inferwatch.dashboards.Column.Aggregate.MAX;
import static io.inferwatch.dashboards.Column.Aggregate.MEAN;
import static io.inferwatch.dashboards.Column.Aggregate.SUM;

import io.inferwatch.dashboards.Dashboard.Row;
import io.inferwatch.dashboards.Panel.Kind;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.influx.Statistic;
import java.util.List;

/** Is the fleet well, and if not, where to look. */
final class FleetDashboard {
    static final String UID = "inferwatch-fleet";
    private static final String NO_REQUESTS =
            "No requests in this time range. A window of ten seconds shows up a few seconds after its end.";
    private static final String NO_MINUTES =
            "No full minute in this time range. A minute shows up a few seconds after its end.";

    private final Stored stored;
    private final Source fleet;
    private final Source minutes;

    private FleetDashboard(Stored stored) {
        this.stored = stored;
        this.fleet = stored.view(RetentionPolicy.R10S, "fleet");
        this.minutes = stored.view(RetentionPolicy.R1M, "fleet");
    }

    static Dashboard of(Stored stored) {
        FleetDashboard made = new FleetDashboard(stored);
        return new Dashboard(
                UID,
                "Fleet overview",
                "Latency, traffic and failures of the whole fleet, in windows of ten seconds; who is slow, by replica and by model.",
                "now-30m",
                List.of(),
                List.of(made.now(), made.overTime(), made.where()));
    }

    private Row now() {
        return Row.of(
                "",
                Panel.of(
                                Kind.STAT,
                                "Requests",
                                "Requests that ended, a second, in the last window of ten seconds.",
                                NO_REQUESTS,
                                fleet(MEAN, stored.field("requests", Statistic.PER_SECOND), "Requests"))
                        .in(Unit.REQUESTS_PER_SECOND),
                Panel.of(
                                Kind.STAT,
                                "TTFT P50",
                                "Half of the requests of the last window had their first token by then.",
                                NO_REQUESTS,
                                fleet(MAX, stored.field("ttft", Statistic.P50), "TTFT P50"))
                        .in(Unit.SECONDS),
                Panel.of(
                                Kind.STAT,
                                "TTFT P99",
                                "99 % of the requests of the last window had their first token by then. Red above the objective of 2 s.",
                                NO_REQUESTS,
                                fleet(MAX, stored.field("ttft", Statistic.P99), "TTFT P99"))
                        .in(Unit.SECONDS)
                        .judgedBy(Thresholds.badAbove(Objectives.TTFT_P99_SECONDS * 0.8, Objectives.TTFT_P99_SECONDS)),
                Panel.of(
                                Kind.STAT,
                                "Waiting",
                                "Open requests without a token, greatest of any replica in the last window. It grows before latencies do: what hangs has none yet.",
                                NO_REQUESTS,
                                new Query.OverTime(
                                        stored.view(RetentionPolicy.R10S, "replica-version"),
                                        List.of(Column.of(
                                                MAX, stored.field("awaiting_first_token", Statistic.MAX), "Waiting")),
                                        List.of()))
                        .in(Unit.COUNT),
                Panel.of(
                                Kind.GAUGE,
                                "Failed",
                                "Share of requests that failed in any way, in the last window with requests. Requests that clients gave up do not count.",
                                NO_REQUESTS,
                                fleet(MEAN, stored.field("error_ratio"), "Failed"))
                        .in(Unit.SHARE)
                        .judgedBy(Thresholds.badAbove(Objectives.ERROR_RATIO / 2, Objectives.ERROR_RATIO))
                        .full(),
                Panel.of(
                                Kind.GAUGE,
                                "Good",
                                "Share of requests answered in full and within every limit: those that they came with, else those of the measure job's settings.",
                                NO_REQUESTS,
                                fleet(MEAN, stored.field("good_ratio"), "Good"))
                        .in(Unit.SHARE)
                        .judgedBy(Thresholds.badBelow(Objectives.GOOD_RATIO * 0.96, Objectives.GOOD_RATIO))
                        .full());
    }

    private Row overTime() {
        return Row.of(
                "Over time",
                Panel.of(
                                Kind.TIME_SERIES,
                                "Time to first token",
                                "Median and P99 of all requests that got a token, by the minute. The tinted band is the 95 % confidence interval of P99: below 368 requests a minute"
                                        + " P99 is not estimable and has no band. Dashed: the objective.",
                                NO_MINUTES,
                                new Query.OverTime(minutes, Columns.medianAndTail(stored, "ttft"), List.of()))
                        .in(Unit.SECONDS)
                        .judgedBy(Columns.limit(Objectives.TTFT_P99_SECONDS))
                        .leadingTo(LatencyDashboard.UID),
                Panel.of(
                                Kind.TIME_SERIES,
                                "End-to-end latency",
                                "Median and P99 of complete requests, by the minute, with the 95 % confidence interval of P99. Long answers take long: compare with time per token before blaming a server.",
                                NO_MINUTES,
                                new Query.OverTime(minutes, Columns.medianAndTail(stored, "e2e"), List.of()))
                        .in(Unit.SECONDS)
                        .leadingTo(LatencyDashboard.UID),
                Panel.of(
                                Kind.TIME_SERIES,
                                "Traffic",
                                "Requests that ended, and those of them that were good, a second.",
                                NO_REQUESTS,
                                new Query.OverTime(
                                        fleet,
                                        List.of(
                                                Column.of(MEAN, stored.field("requests", Statistic.PER_SECOND), "Ended")
                                                        .toned(Tone.CALM),
                                                Column.of(MEAN, stored.field("good", Statistic.PER_SECOND), "Good")
                                                        .toned(Tone.GOOD)),
                                        List.of()))
                        .in(Unit.REQUESTS_PER_SECOND)
                        .sized(12, 7),
                Panel.of(
                                Kind.TIME_SERIES,
                                "Tokens",
                                "Prompt tokens computed (prefill), prompt tokens served from the prefix cache, and tokens generated (decode), a second. They count when their request ends.",
                                NO_REQUESTS,
                                new Query.OverTime(
                                        fleet,
                                        List.of(
                                                Column.of(
                                                        MEAN,
                                                        stored.field("prefilled_tokens", Statistic.PER_SECOND),
                                                        "Prefill"),
                                                Column.of(
                                                        MEAN,
                                                        stored.field("cached_tokens", Statistic.PER_SECOND),
                                                        "From cache"),
                                                Column.of(
                                                        MEAN,
                                                        stored.field("generated_tokens", Statistic.PER_SECOND),
                                                        "Decode")),
                                        List.of()))
                        .in(Unit.TOKENS_PER_SECOND)
                        .sized(12, 7));
    }

    private Row where() {
        Source models = stored.view(RetentionPolicy.R1M, "model-version");
        return Row.of(
                "Where",
                Panel.of(
                                Kind.HEAT_MAP,
                                "TTFT P99 by replica",
                                "One line a replica; the stronger the colour, the slower its worst minute. One strong line is a slow node, a strong column is something that all share.",
                                NO_MINUTES,
                                new Query.OverTime(
                                        stored.view(RetentionPolicy.R1M, "replica-version"),
                                        List.of(Column.of(MAX, stored.field("ttft", Statistic.P99), "TTFT P99")),
                                        List.of("replica")))
                        .in(Unit.SECONDS)
                        .leadingTo(LatencyDashboard.UID),
                Panel.of(
                        Kind.BARS,
                        "Requests by model",
                        "Requests that ended in the time range, by model and version.",
                        NO_MINUTES,
                        new Query.OverRange(
                                models,
                                List.of(Column.of(SUM, stored.field("requests"), "Requests")),
                                List.of("model", "version"))),
                Panel.of(
                                Kind.TABLE,
                                "Models",
                                "By model and version: the last minute and the worst one in the time range. Minutes are not averaged: the mean of P99s is no P99;"
                                        + " \"inferwatch report quantiles\" gives that of the whole range, exactly.",
                                NO_MINUTES,
                                new Query.OverRange(
                                        models,
                                        List.of(
                                                Column.of(SUM, stored.field("requests"), "Requests")
                                                        .in(Unit.COUNT),
                                                Column.of(LAST, stored.field("ttft", Statistic.P50), "TTFT P50"),
                                                Column.of(LAST, stored.field("ttft", Statistic.P99), "TTFT P99"),
                                                Column.of(MAX, stored.field("ttft", Statistic.P99), "Worst TTFT P99"),
                                                Column.of(LAST, stored.field("e2e", Statistic.P99), "E2E P99"),
                                                Column.of(SUM, stored.field("failed"), "Failed")
                                                        .in(Unit.COUNT)),
                                        List.of("model", "version")))
                        .in(Unit.SECONDS)
                        .sized(24, 6)
                        .leadingTo(LatencyDashboard.UID));
    }

    private Query fleet(Column.Aggregate aggregate, String field, String label) {
        return new Query.OverTime(fleet, List.of(Column.of(aggregate, field, label)), List.of());
    }
}
