package io.inferwatch.dashboards;

import static io.inferwatch.dashboards.Column.Aggregate.LAST;
import static io.inferwatch.dashboards.Column.Aggregate.MAX;
import static io.inferwatch.dashboards.Column.Aggregate.SUM;

import io.inferwatch.dashboards.Dashboard.Row;
import io.inferwatch.dashboards.Panel.Kind;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.RetentionPolicy;
import java.util.List;

/** Where memory is, how much of it is wasted, and when it will be full. */
final class MemoryDashboard {
    static final String UID = "inferwatch-memory";

    private static final String NO_DEVICES =
            "No device has told its memory. Start \"inferwatch probe gpu\" beside them, or read a DCGM exporter with \"inferwatch probe engine\".";
    private static final String NO_ALLOCATOR =
            "No serving process has reported its allocator: POST torch.cuda.memory_stats() to /v1/torch-memory of a probe.";
    private static final String NO_SNAPSHOT =
            "No serving process has reported the free blocks of a snapshot and its largest request with its allocator's statistics.";
    private static final String NO_CACHES =
            "No engine has told of its KV cache. Start \"inferwatch probe engine\" beside them.";
    private static final String NO_TREND =
            "Nothing is known to fill: that takes ten minutes, and growth that is more than chance.";
    private static final String NO_PADDING =
            "No model's present boundaries are configured: paddings, by inferwatch config set. The first advice comes with the next full hour.";
    private static final String ESTIMATED_SHARE = Field.estimated("");
    private static final String ESTIMATED_BYTES = Field.estimated("bytes");
    private static final String ESTIMATED_SECONDS = Field.estimated("seconds");
    private static final List<String> DEVICE = List.of("gpu", "mig");
    private static final List<String> REPLICA = List.of("replica");

    private final Source memory = of(Measurement.MEMORY).chosenBy("gpu");
    private final Source fragmentation = of(Measurement.FRAGMENTATION).chosenBy("gpu");
    private final Source caches = of(Measurement.KV_CACHE).chosenBy("replica");

    private MemoryDashboard() {}

    static Dashboard of(Stored stored) {
        MemoryDashboard made = new MemoryDashboard();
        return new Dashboard(
                UID,
                "Memory",
                "Where the memory of devices and KV caches is, how much of it is wasted, and when it will be full. What is estimated says so.",
                "now-3h",
                List.of(
                        stored.variable("gpu-device", "gpu", "GPU"),
                        stored.variable("engine-replica", "replica", "Replica")),
                List.of(made.risks(), made.devices(), made.allocators(), made.kvCaches(), made.padding()));
    }

    private Row risks() {
        return Row.of(
                "When it will be full", untilFull("Devices", memory, DEVICE), untilFull("KV caches", caches, REPLICA));
    }

    private static Panel untilFull(String title, Source source, List<String> by) {
        return Panel.of(
                        Kind.TABLE,
                        title,
                        "Estimated from the peaks of the last two hours, if it goes on so, with 95 % limits. Without an upper limit growth is not proven.",
                        NO_TREND,
                        new Query.OverRange(
                                source,
                                List.of(
                                        Column.of(LAST, Field.estimate(Field.FULL_IN, ESTIMATED_SECONDS), "Full in"),
                                        Column.of(LAST, Field.low(Field.FULL_IN, ESTIMATED_SECONDS), "from"),
                                        Column.of(LAST, Field.high(Field.FULL_IN, ESTIMATED_SECONDS), "to")),
                                by))
                .in(Unit.SECONDS)
                .sized(12, 5);
    }

    private Row devices() {
        return Row.of(
                "Devices",
                Panel.of(
                                Kind.TIME_SERIES,
                                "Memory used",
                                "By the driver's account, at most in each minute.",
                                NO_DEVICES,
                                new Query.OverTime(
                                        memory,
                                        List.of(Column.of(MAX, Field.estimate(Field.USED_MAX, "bytes"), "Used")),
                                        DEVICE))
                        .in(Unit.BYTES)
                        .sized(12, 8),
                Panel.of(
                                Kind.TABLE,
                                "Where it is",
                                "The last minute of each device. Weights, cache and graphs as the engine tells, fragments as the allocator does; workspace and the rest are estimated.",
                                NO_DEVICES,
                                new Query.OverRange(
                                        memory,
                                        List.of(
                                                Column.of(LAST, Field.estimate(Field.USED, "bytes"), "Used"),
                                                Column.of(LAST, Field.estimate(Field.CAPACITY, "bytes"), "Of"),
                                                Column.of(LAST, Field.estimate(Field.WEIGHTS, "bytes"), "Weights"),
                                                Column.of(
                                                        LAST, Field.estimate(Field.KV_CACHE_PART, "bytes"), "KV cache"),
                                                Column.of(LAST, Field.estimate(Field.GRAPHS, "bytes"), "Graphs"),
                                                Column.of(
                                                        LAST,
                                                        Field.estimate(Field.WORKSPACE, ESTIMATED_BYTES),
                                                        "Workspace"),
                                                Column.of(LAST, Field.estimate(Field.FRAGMENTED, "bytes"), "Fragments"),
                                                Column.of(
                                                        LAST,
                                                        Field.estimate(Field.OTHER_PART, ESTIMATED_BYTES),
                                                        "Other")),
                                        List.of("gpu", "mig", "replica")))
                        .in(Unit.BYTES)
                        .sized(12, 8)
                        .leadingTo(GpuDashboard.UID));
    }

    private Row allocators() {
        return Row.of(
                "Allocators",
                overTime(
                        "Split",
                        "Free parts of split blocks, of what the allocator holds: they cannot go back to the device, and serve no larger request.",
                        NO_ALLOCATOR,
                        fragmentation,
                        Field.SPLIT_SHARE,
                        DEVICE),
                overTime(
                        "Of no use to the largest request",
                        "Of what is free in the allocator. Much of it beside retries is fragmentation that costs.",
                        NO_SNAPSHOT,
                        fragmentation,
                        Field.UNUSABLE_SHARE,
                        DEVICE),
                Panel.of(
                                Kind.TIME_SERIES,
                                "Retries and failures",
                                "Allocations that flushed the cache and tried again, and those that failed, in each minute.",
                                NO_ALLOCATOR,
                                new Query.OverTime(
                                        fragmentation,
                                        List.of(
                                                Column.of(SUM, Field.ALLOCATION_RETRIES, "tried again"),
                                                Column.of(SUM, Field.OUT_OF_MEMORY, "failed")),
                                        DEVICE))
                        .sized(8, 8));
    }

    private Row kvCaches() {
        return Row.of(
                "KV caches",
                overTime(
                        "In use",
                        "On average in each minute. Full for minutes, with requests preempted, is pressure.",
                        NO_CACHES,
                        caches,
                        Field.USE,
                        REPLICA),
                Panel.of(
                                Kind.TIME_SERIES,
                                "Preempted",
                                "Requests whose blocks were taken away, to be computed again, in each minute.",
                                NO_CACHES,
                                new Query.OverTime(
                                        caches, List.of(Column.of(SUM, Field.PREEMPTIONS, "Preempted")), REPLICA))
                        .sized(8, 8),
                Panel.of(
                                Kind.TABLE,
                                "Waste",
                                "The last minute of each replica, of the room of used blocks: by the engine's own counts, or estimated from its open sequences; the part in last blocks; what layers of a hybrid model do not need. Stranded: cached, and held by no request.",
                                NO_CACHES,
                                new Query.OverRange(
                                        caches,
                                        List.of(
                                                Column.of(LAST, Field.USE_MAX, "In use, at most"),
                                                Column.of(LAST, Field.WASTE, "Waste"),
                                                Column.of(
                                                        LAST,
                                                        Field.estimate(Field.WASTE, ESTIMATED_SHARE),
                                                        "Waste, estimated"),
                                                Column.of(
                                                        LAST,
                                                        Field.estimate(Field.TAIL_WASTE, ESTIMATED_SHARE),
                                                        "in last blocks, estimated"),
                                                Column.of(
                                                        LAST,
                                                        Field.estimate(Field.LAYER_WASTE, ESTIMATED_SHARE),
                                                        "in layers, estimated"),
                                                Column.of(LAST, Field.STRANDED, "Stranded")),
                                        REPLICA))
                        .in(Unit.SHARE)
                        .sized(8, 8)
                        .leadingTo(EngineDashboard.UID));
    }

    private Row padding() {
        return Row.of(
                "Padding",
                Panel.of(
                                Kind.TABLE,
                                "Boundaries",
                                "Padding of what is taken with it, of lengths up to P99 over the last days, estimated: with the present boundaries, the best ones, and as many at equal ratios and distances. inferwatch report buckets prints them.",
                                NO_PADDING,
                                new Query.OverRange(
                                        Source.ofWindows(RetentionPolicy.R1H, Measurement.PADDING.measurementName()),
                                        List.of(
                                                share(Field.CURRENT_PADDING, "Present"),
                                                share(Field.OPTIMAL_PADDING, "Best"),
                                                share(Field.GEOMETRIC_PADDING, "Equal ratios"),
                                                share(Field.UNIFORM_PADDING, "Equal distances"),
                                                share(Field.SAVING, "Saved"),
                                                Column.of(LAST, Field.RECOMMENDED, "Change")
                                                        .in(Unit.COUNT)),
                                        List.of("model", "version")))
                        .in(Unit.SHARE)
                        .sized(24, 5));
    }

    private static Column share(String name, String label) {
        return Column.of(LAST, Field.estimate(name, ESTIMATED_SHARE), label);
    }

    private static Panel overTime(
            String title, String description, String empty, Source source, String field, List<String> by) {
        return Panel.of(
                        Kind.TIME_SERIES,
                        title,
                        description,
                        empty,
                        new Query.OverTime(source, List.of(Column.of(MAX, field, title)), by))
                .in(Unit.SHARE)
                .full()
                .sized(8, 8);
    }

    private static Source of(Measurement measurement) {
        return Source.ofWindows(RetentionPolicy.R1M, measurement.measurementName());
    }
}
