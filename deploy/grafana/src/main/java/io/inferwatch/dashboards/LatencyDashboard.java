package io.inferwatch.dashboards;

import static io.inferwatch.dashboards.Column.Aggregate.LAST;
import static io.inferwatch.dashboards.Column.Aggregate.MAX;
import static io.inferwatch.dashboards.Column.Aggregate.SUM;

import io.inferwatch.dashboards.Dashboard.Row;
import io.inferwatch.dashboards.Panel.Kind;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.influx.Statistic;
import java.util.List;

/** Every latency with its confidence, and who has it. */
final class LatencyDashboard {
    static final String UID = "inferwatch-latency";
    private static final String NO_MINUTES =
            "No full minute of such requests in this time range. A minute shows up a few seconds after its end.";
    private static final String NO_TOKENS =
            "No windows with times of tokens. They need streamed answers whose tokens were told; replays of logs often lack them.";
    private static final String NO_HOURS =
            "No full hour in this time range. An hour shows up a few seconds after its end.";

    private final Stored stored;
    private final Source fleet;

    private LatencyDashboard(Stored stored) {
        this.stored = stored;
        this.fleet = stored.view(RetentionPolicy.R1M, "fleet");
    }

    static Dashboard of(Stored stored) {
        LatencyDashboard made = new LatencyDashboard(stored);
        return new Dashboard(
                UID,
                "Latency",
                "Quantiles of TTFT, TPOT, ITL and E2E from the requests themselves, in windows of a minute, with 95 % confidence; by model, version, replica, node and tenant.",
                "now-1h",
                List.of(
                        stored.variable("model-version", "model", "Model"),
                        stored.variable("model-version", "version", "Version"),
                        stored.variable("replica-version", "replica", "Replica"),
                        stored.variable("node", "node", "Node"),
                        stored.variable("tenant-model", "tenant", "Tenant")),
                List.of(made.fleet(), made.stages(), made.byWhom(), made.limits(), made.months()));
    }

    private Row fleet() {
        return Row.of(
                "The fleet",
                quantiles("ttft", "Time to first token", "Every request that got a token.", NO_MINUTES)
                        .judgedBy(Columns.limit(Objectives.TTFT_P99_SECONDS)),
                quantiles(
                                "tpot",
                                "Time per output token",
                                "Of complete requests: the time after the first token, by token.",
                                NO_TOKENS)
                        .judgedBy(Columns.limit(Objectives.TPOT_P99_SECONDS)),
                quantiles(
                        "itl",
                        "Inter-token latency",
                        "Gaps between tokens, pooled over requests; only where the tokens of each chunk are known.",
                        NO_TOKENS),
                quantiles("e2e", "End-to-end latency", "Complete requests, from arrival to last token.", NO_MINUTES));
    }

    private Row stages() {
        String empty = "No stages yet. Engines tell them by OpenTelemetry spans: see the otlp probe.";
        return Row.of(
                "Stages",
                quantiles("queue", "Queue", "Waiting in the engine before prefill.", empty)
                        .sized(8, 7),
                quantiles("prefill", "Prefill", "From the first step to the first token.", empty)
                        .sized(8, 7),
                quantiles("decode", "Decode", "From the first token to the last.", empty)
                        .sized(8, 7));
    }

    private Row byWhom() {
        return Row.of(
                "By whom",
                tail(
                        "ttft",
                        "TTFT P99 by model and version",
                        stored.view(RetentionPolicy.R1M, "model-version")
                                .chosenBy("model")
                                .chosenBy("version"),
                        "model",
                        "version"),
                tail(
                        "ttft",
                        "TTFT P99 by replica",
                        stored.view(RetentionPolicy.R1M, "replica-version").chosenBy("replica"),
                        "replica"),
                tail(
                        "ttft",
                        "TTFT P99 by node",
                        stored.view(RetentionPolicy.R1M, "node").chosenBy("node"),
                        "node"),
                tail(
                        "ttft",
                        "TTFT P99 by tenant",
                        stored.view(RetentionPolicy.R1M, "tenant-model")
                                .chosenBy("tenant")
                                .chosenBy("model"),
                        "tenant"),
                tail(
                        "e2e",
                        "E2E P99 by model and version",
                        stored.view(RetentionPolicy.R1M, "model-version")
                                .chosenBy("model")
                                .chosenBy("version"),
                        "model",
                        "version"),
                tail(
                        "tpot",
                        "TPOT P99 by model and version",
                        stored.view(RetentionPolicy.R1M, "model-version")
                                .chosenBy("model")
                                .chosenBy("version"),
                        "model",
                        "version"));
    }

    private Row limits() {
        return Row.of(
                "With confidence",
                Panel.of(
                                Kind.TABLE,
                                "P99 and its limits",
                                "By model and version, each value of the last minute that had it: P99 and its 95 % confidence limits, which need 368 requests a minute.",
                                NO_MINUTES,
                                new Query.OverRange(
                                        stored.view(RetentionPolicy.R1M, "model-version")
                                                .chosenBy("model")
                                                .chosenBy("version"),
                                        List.of(
                                                Column.of(SUM, stored.field("requests"), "Requests")
                                                        .in(Unit.COUNT),
                                                Column.of(LAST, stored.field("ttft", Statistic.P50), "TTFT P50"),
                                                Column.of(LAST, stored.field("ttft", Statistic.P99), "TTFT P99"),
                                                Column.of(LAST, stored.field("ttft", Statistic.P99_LOW), "P99 from"),
                                                Column.of(LAST, stored.field("ttft", Statistic.P99_HIGH), "P99 to"),
                                                Column.of(LAST, stored.field("tpot", Statistic.P99), "TPOT P99"),
                                                Column.of(LAST, stored.field("e2e", Statistic.P99), "E2E P99")),
                                        List.of("model", "version")))
                        .in(Unit.SECONDS)
                        .sized(24, 6));
    }

    private Row months() {
        Source hours = stored.view(RetentionPolicy.R1H, "fleet");
        return Row.of(
                "Hours, kept for two years",
                Panel.of(
                                Kind.TIME_SERIES,
                                "TTFT by the hour",
                                "Median and P99 of whole hours with the 95 % confidence interval of P99: choose a range of days or months.",
                                NO_HOURS,
                                new Query.OverTime(hours, Columns.medianAndTail(stored, "ttft"), List.of()))
                        .in(Unit.SECONDS),
                Panel.of(
                                Kind.TIME_SERIES,
                                "E2E by the hour",
                                "Median and P99 of whole hours with the 95 % confidence interval of P99: choose a range of days or months.",
                                NO_HOURS,
                                new Query.OverTime(hours, Columns.medianAndTail(stored, "e2e"), List.of()))
                        .in(Unit.SECONDS));
    }

    private Panel quantiles(String metric, String title, String what, String empty) {
        return Panel.of(
                        Kind.TIME_SERIES,
                        title,
                        what
                                + " Median and P99; tinted, the 95 % confidence interval of P99, which needs 368 values a minute.",
                        empty,
                        new Query.OverTime(fleet, Columns.medianAndTail(stored, metric), List.of()))
                .in(Unit.SECONDS);
    }

    private Panel tail(String metric, String title, Source source, String... by) {
        return Panel.of(
                        Kind.TIME_SERIES,
                        title,
                        "The worst minute of each interval. An order statistic of what the minute had: with few requests it is one of the slowest of them.",
                        metric.equals("tpot") ? NO_TOKENS : NO_MINUTES,
                        new Query.OverTime(
                                source,
                                List.of(Column.of(MAX, stored.field(metric, Statistic.P99), "P99")),
                                List.of(by)))
                .in(Unit.SECONDS);
    }
}
