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

/** What the engines say of themselves: queue, batch, KV cache, prefix cache, preemptions. */
final class EngineDashboard {
    static final String UID = "inferwatch-engine";
    private static final String NO_ENGINES =
            "No engine has been read. Start \"inferwatch probe engine\" with the engines' addresses.";
    private static final String NOT_TOLD =
            "No engine tells this. Engines differ in what they tell: \"inferwatch probe engine check URL\" shows what is there.";

    private final Stored stored;
    private final Source replicas;
    private final Source minutes;

    private EngineDashboard(Stored stored) {
        this.stored = stored;
        this.replicas = chosen(stored, RetentionPolicy.R10S);
        this.minutes = chosen(stored, RetentionPolicy.R1M);
    }

    static Dashboard of(Stored stored) {
        EngineDashboard made = new EngineDashboard(stored);
        return new Dashboard(
                UID,
                "Engine",
                "What engines tell of themselves, by replica, in windows of ten seconds: queue, batch, KV cache, prefix cache, preemptions, speculation.",
                "now-30m",
                List.of(
                        stored.variable("engine-replica", "model", "Model"),
                        stored.variable("engine-replica", "replica", "Replica")),
                List.of(made.load(), made.cache(), made.steps()));
    }

    private Row load() {
        return Row.of(
                "Load",
                overTime(
                                "Waiting requests",
                                "Requests that wait for their first step, greatest reading of the interval. A queue that grows is the first sign of too little capacity.",
                                NO_ENGINES,
                                MAX,
                                stored.field("waiting_requests", Statistic.MAX))
                        .leadingTo(LatencyDashboard.UID),
                overTime(
                        "Running requests",
                        "Requests in the running batch, greatest reading of the interval.",
                        NO_ENGINES,
                        MAX,
                        stored.field("running_requests", Statistic.MAX)),
                overTime(
                                "Generation",
                                "Tokens that the engine generated, a second, by its own counter.",
                                NOT_TOLD,
                                MEAN,
                                stored.field("engine_generated_tokens", Statistic.PER_SECOND))
                        .in(Unit.TOKENS_PER_SECOND),
                Panel.of(
                        Kind.TIME_SERIES,
                        "Preemptions",
                        "Requests preempted or retracted in each minute because the KV cache was full: their work is done twice.",
                        NOT_TOLD,
                        new Query.OverTime(
                                minutes,
                                List.of(Column.of(SUM, stored.field("preemptions"), "Preemptions")),
                                List.of("replica"))));
    }

    private Row cache() {
        return Row.of(
                "Cache",
                overTime(
                                "KV cache in use",
                                "Mean over the time of each window. Above nine tenths, preemptions are near.",
                                NO_ENGINES,
                                MAX,
                                stored.field("kv_usage", Statistic.TIME_MEAN))
                        .in(Unit.SHARE)
                        .full()
                        .judgedBy(Columns.limit(0.9)),
                overTime(
                                "Prefix-cache hits",
                                "Hits among what was looked up in the prefix cache. Half as many hits are nearly twice as much prefill: TTFT follows.",
                                NOT_TOLD,
                                MEAN,
                                stored.field("prefix_hit_ratio"))
                        .in(Unit.SHARE)
                        .full());
    }

    private Row steps() {
        return Row.of(
                "Steps",
                overTime(
                                "Accepted draft tokens",
                                "Drafted tokens that were accepted, of speculative decoding.",
                                NOT_TOLD,
                                MEAN,
                                stored.field("acceptance_ratio"))
                        .in(Unit.SHARE)
                        .full()
                        .sized(8, 7),
                Panel.of(
                                Kind.TIME_SERIES,
                                "Batch size",
                                "Median of the requests of a step, in windows of a minute, as serving processes report it.",
                                NOT_TOLD,
                                new Query.OverTime(
                                        minutes,
                                        List.of(Column.of(
                                                MAX, stored.field("batch_size", Statistic.P50), "Batch size")),
                                        List.of("replica")))
                        .sized(8, 7),
                overTime(
                                "Time to read the metrics",
                                "How long the engine took to answer the probe: a busy event loop shows here as well.",
                                NO_ENGINES,
                                MAX,
                                stored.field("scrape", Statistic.MAX))
                        .in(Unit.SECONDS)
                        .sized(8, 7),
                Panel.of(
                                Kind.TABLE,
                                "Replicas",
                                "The last minute of each replica; preemptions and failures over the whole time range.",
                                NO_ENGINES,
                                new Query.OverRange(
                                        minutes,
                                        List.of(
                                                Column.of(
                                                        LAST,
                                                        stored.field("running_requests", Statistic.LAST),
                                                        "Running"),
                                                Column.of(
                                                        LAST,
                                                        stored.field("waiting_requests", Statistic.LAST),
                                                        "Waiting"),
                                                Column.of(LAST, stored.field("kv_usage", Statistic.LAST), "KV in use")
                                                        .in(Unit.SHARE),
                                                Column.of(LAST, stored.field("prefix_hit_ratio"), "Prefix hits")
                                                        .in(Unit.SHARE),
                                                Column.of(SUM, stored.field("preemptions"), "Preemptions"),
                                                Column.of(SUM, stored.field("engine_failed"), "Failed")),
                                        List.of("replica", "model", "version")))
                        .sized(24, 8));
    }

    private Panel overTime(String title, String description, String empty, Column.Aggregate aggregate, String field) {
        return Panel.of(
                Kind.TIME_SERIES,
                title,
                description,
                empty,
                new Query.OverTime(replicas, List.of(Column.of(aggregate, field, title)), List.of("replica")));
    }

    private static Source chosen(Stored stored, RetentionPolicy policy) {
        return stored.view(policy, "engine-replica").chosenBy("replica").chosenBy("model");
    }
}
