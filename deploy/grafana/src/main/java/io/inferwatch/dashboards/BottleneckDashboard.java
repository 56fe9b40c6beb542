package io.inferwatch.dashboards;

import static io.inferwatch.dashboards.Column.Aggregate.LAST;
import static io.inferwatch.dashboards.Column.Aggregate.MEAN;
import static io.inferwatch.dashboards.Column.Aggregate.SUM;

import io.inferwatch.dashboards.Dashboard.Row;
import io.inferwatch.dashboards.Panel.Kind;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.RetentionPolicy;
import java.util.List;

/** What holds devices back, where their processes run, and what schedulers, graphs and units that share a device cost. */
final class BottleneckDashboard {
    static final String UID = "inferwatch-bottlenecks";
    private static final String NO_DEVICES =
            "No GPU has been sampled. Start \"inferwatch probe gpu\" beside them; bandwidth and tensor activity need GPM, on Hopper and later.";
    private static final String NO_PLACES =
            "No device tells where it sits. \"inferwatch probe gpu\" reads it on the device's own host.";
    private static final String NO_SCHEDULERS =
            "Nothing tells how requests were scheduled: it takes a replica's requests, its engine's places for requests, or its GPUs' utilisation.";
    private static final String NO_GRAPHS =
            "No engine tells its batches or captures. SGLang counts graphs; a serving process reports its steps to /v1/engine-steps of a probe.";
    private static final String NO_STUDY =
            "No study yet: it comes with each full hour, once batches and captures of a model's replicas are known.";
    private static final String NO_UNITS =
            "No unit that shares a device reports its operations: modality_operation_seconds, to /v1/operator-metrics of a probe.";
    private static final String NO_PROFILES = "No kernel profile has been imported: \"inferwatch import kernels\".";
    private static final String RATIO = "";
    private static final String SECONDS = "seconds";
    private static final List<String> DEVICE = List.of("gpu", "mig");
    private static final List<String> REPLICA = List.of("replica", "model", "version");

    private final Source bottlenecks = minutes(Measurement.BOTTLENECK).chosenBy("node");
    private final Source places = minutes(Measurement.PLACEMENT).chosenBy("node");
    private final Source schedulers = minutes(Measurement.SCHEDULER).chosenBy("model");
    private final Source graphs = minutes(Measurement.GRAPH_CAPTURE).chosenBy("model");
    private final Source studies = Source.ofWindows(RetentionPolicy.R1H, Measurement.JITTER_STUDY.measurementName())
            .chosenBy("model");
    private final Source units = minutes(Measurement.CONTENTION);
    private final Source caches = minutes(Measurement.KERNEL_CACHE);
    private final Source timings = minutes(Measurement.KERNEL_TIMING);

    private BottleneckDashboard() {}

    static Dashboard of(Stored stored) {
        BottleneckDashboard made = new BottleneckDashboard();
        return new Dashboard(
                UID,
                "GPU bottlenecks and scheduling",
                "What holds devices back minute by minute, whether processes run near them, how far schedulers are from ideal ones, captures of CUDA graphs, and what sharing a device costs.",
                "now-3h",
                List.of(
                        stored.variable("gpu-device", "node", "Node"),
                        stored.variable("engine-model", "model", "Model")),
                List.of(made.bottlenecks(), made.placement(), made.scheduling(), made.captures(), made.sharing()));
    }

    private Row bottlenecks() {
        return Row.of(
                "What holds devices back",
                overTime(
                        "Waiting for memory",
                        "Share of each minute with memory bandwidth above 85 % and tensor cores below 60 %, read in the same window: decode of small batches. Larger batches, or fewer bytes for weights, help.",
                        Field.BANDWIDTH_BOUND),
                overTime(
                        "Waiting for tensor cores",
                        "Share of each minute with memory bandwidth below 40 % and tensor cores above 80 %: prefill, large batches.",
                        Field.COMPUTE_BOUND),
                overTime(
                        "Underused",
                        "Share of each minute with bandwidth below 40 % and tensor cores below 60 %: the device waits for launches, the host or work.",
                        Field.UNDERUSED),
                Panel.of(
                                Kind.TIME_SERIES,
                                "Saturated links",
                                "Share of each minute in which the busier direction of PCIe or NVLink carried above 85 % of what it can. No line where that is not known.",
                                NO_DEVICES,
                                new Query.OverTime(
                                        bottlenecks,
                                        List.of(
                                                Column.of(MEAN, Field.PCIE_SATURATED, "PCIe"),
                                                Column.of(MEAN, Field.NVLINK_SATURATED, "NVLink")),
                                        DEVICE))
                        .in(Unit.SHARE)
                        .full(),
                Panel.of(
                                Kind.TABLE,
                                "Devices now",
                                "The last minute of each device or MIG instance: what held for most of it, and the shares of all. Unknown is time for which a reading is missing, or the two are not of the same window.",
                                NO_DEVICES,
                                new Query.OverRange(
                                        bottlenecks,
                                        List.of(
                                                Column.of(LAST, Field.LIMIT, "Mostly"),
                                                Column.of(LAST, Field.BANDWIDTH_BOUND, "Memory"),
                                                Column.of(LAST, Field.COMPUTE_BOUND, "Tensor cores"),
                                                Column.of(LAST, Field.UNDERUSED, "Underused"),
                                                Column.of(LAST, Field.BALANCED, "Balanced"),
                                                Column.of(LAST, Field.UNKNOWN, "Unknown"),
                                                Column.of(LAST, Field.BANDWIDTH_AND_LINK, "Memory and a link"),
                                                Column.of(LAST, Field.PCIE, "PCIe"),
                                                Column.of(LAST, Field.NVLINK, "NVLink")),
                                        List.of("gpu", "mig", "node")))
                        .in(Unit.SHARE)
                        .sized(24, 7)
                        .leadingTo(GpuDashboard.UID));
    }

    private Row placement() {
        return Row.of(
                "Placement",
                Panel.of(
                                Kind.TABLE,
                                "Where processes run",
                                "The last minute of each device or MIG instance: its NUMA node, the processors near it, and on which its process may run. Far: on none of these; the command binds it.",
                                NO_PLACES,
                                new Query.OverRange(
                                        places,
                                        List.of(
                                                Column.of(LAST, Field.PLACED, "Verdict"),
                                                Column.of(LAST, Field.NUMA_NODE, "NUMA node"),
                                                Column.of(LAST, Field.RECOMMENDED_CPUS, "Processors near"),
                                                Column.of(LAST, Field.PROCESS, "Process"),
                                                Column.of(LAST, Field.ACTUAL_CPUS, "May run on"),
                                                Column.of(LAST, Field.COMMAND, "Command")),
                                        List.of("node", "gpu", "mig")))
                        .sized(24, 7)
                        .leadingTo(AlertsDashboard.UID));
    }

    private Row scheduling() {
        return Row.of(
                "Schedulers",
                Panel.of(
                                Kind.TIME_SERIES,
                                "Deviation from an ideal scheduler",
                                "From 0 to 1, of latency, utilisation and batches together. Ideal: a token takes the same time always, the GPU is evenly busy, no place of the batch is empty while a request waits.",
                                NO_SCHEDULERS,
                                new Query.OverTime(
                                        schedulers,
                                        List.of(Column.of(MEAN, Field.DEVIATION_INDEX, "Index")),
                                        List.of("replica")))
                        .in(Unit.NONE)
                        .sized(8, 8),
                Panel.of(
                                Kind.TABLE,
                                "Schedulers now",
                                "The last minute of each replica: variation of latency beside that of the answers' lengths, variation of the GPUs' utilisation, filled places of the batch beside those that could have been.",
                                NO_SCHEDULERS,
                                new Query.OverRange(
                                        schedulers,
                                        List.of(
                                                Column.of(LAST, Field.LATENCY_VARIATION, "Latency"),
                                                Column.of(LAST, Field.LENGTH_VARIATION, "Lengths"),
                                                Column.of(LAST, Field.UTILISATION_VARIATION, "Utilisation"),
                                                Column.of(LAST, Field.FILL_RATE, "Filled")
                                                        .in(Unit.SHARE),
                                                Column.of(LAST, Field.IDEAL_FILL_RATE, "Could be")
                                                        .in(Unit.SHARE),
                                                Column.of(LAST, Field.DEVIATION_INDEX, "Index"),
                                                Column.of(LAST, Field.N, "n").in(Unit.COUNT)),
                                        REPLICA))
                        .in(Unit.NONE)
                        .sized(16, 8));
    }

    private Row captures() {
        return Row.of(
                "CUDA graphs",
                Panel.of(
                                Kind.TIME_SERIES,
                                "Failed captures",
                                "Captures that failed in each minute: those before the process had served, and those of shapes that came later.",
                                NO_GRAPHS,
                                new Query.OverTime(
                                        graphs,
                                        List.of(
                                                Column.of(SUM, Field.START_UP_FAILURES, "at start-up"),
                                                Column.of(SUM, Field.LAZY_FAILURES, "later")),
                                        List.of("replica")))
                        .in(Unit.COUNT)
                        .sized(8, 8),
                Panel.of(
                                Kind.TIME_SERIES,
                                "Unrest of batches",
                                "Standard deviation of batch sizes by their mean.",
                                NO_GRAPHS,
                                new Query.OverTime(
                                        graphs,
                                        List.of(Column.of(MEAN, Field.BATCH_VARIATION, "Variation")),
                                        List.of("replica")))
                        .in(Unit.NONE)
                        .sized(8, 8),
                Panel.of(
                                Kind.TIME_SERIES,
                                "Steps without a graph",
                                "Share of steps that fell back to running without one.",
                                NO_GRAPHS,
                                new Query.OverTime(
                                        graphs,
                                        List.of(Column.of(MEAN, Field.FALLBACK_RATIO, "Without")),
                                        List.of("replica")))
                        .in(Unit.SHARE)
                        .full()
                        .sized(8, 8),
                Panel.of(
                                Kind.TABLE,
                                "Do captures fail where batches are restless?",
                                "Over the last day: all that may be said, the ratio of failures with its 95 % limits, and the failures and replicas that it stands on. What was observed is never called a cause.",
                                NO_STUDY,
                                new Query.OverRange(
                                        studies,
                                        List.of(
                                                Column.of(LAST, Field.SENTENCE, "What is shown"),
                                                Column.of(LAST, Field.FAILURE_RATIO, "Ratio"),
                                                Column.of(LAST, Field.low(Field.FAILURE_RATIO, RATIO), "from"),
                                                Column.of(LAST, Field.high(Field.FAILURE_RATIO, RATIO), "to"),
                                                Column.of(
                                                                LAST,
                                                                Field.FAILURE_DIFFERENCE,
                                                                "Dealt out: share less the baseline's")
                                                        .in(Unit.SHARE),
                                                Column.of(LAST, Field.FAILURES, "Failures")
                                                        .in(Unit.COUNT),
                                                Column.of(LAST, Field.REPLICAS, "Replicas")
                                                        .in(Unit.COUNT)),
                                        List.of("model")))
                        .in(Unit.NONE)
                        .sized(24, 5));
    }

    private Row sharing() {
        return Row.of(
                "Shared devices and kernels",
                Panel.of(
                                Kind.TABLE,
                                "What units cost each other",
                                "The last minute of each unit: what an operation loses to the others of its device, against operations of its size that met none, now and under the schedule before.",
                                NO_UNITS,
                                new Query.OverRange(
                                        units,
                                        List.of(
                                                Column.of(LAST, Field.SCHEDULE, "Schedule"),
                                                Column.of(LAST, Field.estimate(Field.LOST, SECONDS), "Lost"),
                                                Column.of(LAST, Field.low(Field.LOST, SECONDS), "from"),
                                                Column.of(LAST, Field.high(Field.LOST, SECONDS), "to"),
                                                Column.of(LAST, Field.SCHEDULE_BEFORE, "Before"),
                                                Column.of(
                                                        LAST, Field.estimate(Field.LOST_BEFORE, SECONDS), "Lost then"),
                                                Column.of(LAST, Field.OVERLAP, "Busy at once")
                                                        .in(Unit.SHARE)),
                                        List.of(Field.DEVICE, Field.MODALITY)))
                        .in(Unit.SECONDS)
                        .sized(24, 6),
                Panel.of(
                                Kind.TABLE,
                                "Caches by precision",
                                "The latest profile of each replica and mix of precisions.",
                                NO_PROFILES,
                                new Query.OverRange(
                                        caches,
                                        List.of(
                                                Column.of(LAST, Field.L2_MISS_RATIO, "Last-level misses"),
                                                Column.of(LAST, Field.L2_BYTES_PER_REQUEST, "Bytes per request")
                                                        .in(Unit.NONE),
                                                Column.of(LAST, Field.L1_HIT_RATIO, "First-level hits"),
                                                Column.of(LAST, Field.INSTRUCTIONS_PER_CYCLE, "Instructions per cycle")
                                                        .in(Unit.NONE)),
                                        List.of("replica", "precision")))
                        .in(Unit.SHARE)
                        .sized(12, 7),
                Panel.of(
                                Kind.TABLE,
                                "Stages by who timed them",
                                "Mean of a call by the server's own CUDA events, PyTorch's profiler and Nsight Compute, and by how much the longest exceeds the shortest.",
                                NO_PROFILES,
                                new Query.OverRange(
                                        timings,
                                        List.of(
                                                Column.of(LAST, Field.estimate("cuda_events", SECONDS), "CUDA events"),
                                                Column.of(LAST, Field.estimate("kineto", SECONDS), "PyTorch"),
                                                Column.of(
                                                        LAST,
                                                        Field.estimate("nsight_compute", SECONDS),
                                                        "Nsight Compute"),
                                                Column.of(LAST, Field.DISAGREEMENT, "Disagreement")
                                                        .in(Unit.SHARE)),
                                        List.of("replica", Field.STAGE)))
                        .in(Unit.SECONDS)
                        .sized(12, 7));
    }

    private Panel overTime(String title, String description, String field) {
        return Panel.of(
                        Kind.TIME_SERIES,
                        title,
                        description,
                        NO_DEVICES,
                        new Query.OverTime(bottlenecks, List.of(Column.of(MEAN, field, title)), DEVICE))
                .in(Unit.SHARE)
                .full();
    }

    private static Source minutes(Measurement measurement) {
        return Source.ofWindows(RetentionPolicy.R1M, measurement.measurementName());
    }
}
