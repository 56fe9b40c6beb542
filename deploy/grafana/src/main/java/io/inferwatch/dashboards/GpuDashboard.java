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

/** Devices and MIG instances: what they do, what holds them back, and their memory. */
final class GpuDashboard {
    static final String UID = "inferwatch-gpu";
    private static final String NO_GPUS =
            "No GPU has been sampled. Start \"inferwatch probe gpu\" beside them, or read a DCGM exporter with \"inferwatch probe engine\".";
    private static final String NOT_TOLD =
            "No device tells this. \"inferwatch probe gpu check\" shows what is there, and what it would need.";
    private static final String NO_ALLOCATOR =
            "No serving process has reported its allocator: POST torch.cuda.memory_stats() to /v1/torch-memory of a probe.";
    private static final List<String> DEVICE = List.of("gpu", "mig");

    private final Stored stored;
    private final Source devices;
    private final Source minutes;

    private GpuDashboard(Stored stored) {
        this.stored = stored;
        this.devices = chosen(stored, RetentionPolicy.R10S);
        this.minutes = chosen(stored, RetentionPolicy.R1M);
    }

    static Dashboard of(Stored stored) {
        GpuDashboard made = new GpuDashboard(stored);
        return new Dashboard(
                UID,
                "GPU",
                "Devices and MIG instances in windows of ten seconds: activity, power, heat, throttling, memory and its fragmentation.",
                "now-30m",
                List.of(stored.variable("gpu-device", "node", "Node"), stored.variable("gpu-device", "gpu", "GPU")),
                List.of(made.activity(), made.limits(), made.memory(), made.devices()));
    }

    private Row activity() {
        return Row.of(
                "Activity",
                overTime(
                                "Busy",
                                "Share of time with a kernel running. It says little of how well: one small kernel keeps a device busy.",
                                NO_GPUS,
                                "gpu_busy")
                        .in(Unit.SHARE)
                        .full()
                        .sized(8, 8),
                overTime(
                                "Tensor cores active",
                                "Share of cycles with tensor cores active: high in prefill, low in decode.",
                                NOT_TOLD,
                                "tensor_active")
                        .in(Unit.SHARE)
                        .full()
                        .sized(8, 8),
                overTime(
                                "Memory bandwidth",
                                "Share of the peak: high in decode. Little of both, under load, is a stall elsewhere.",
                                NOT_TOLD,
                                "memory_bandwidth")
                        .in(Unit.SHARE)
                        .full()
                        .sized(8, 8));
    }

    private Row limits() {
        return Row.of(
                "What holds them back",
                overTime("Power", "Power drawn by the board.", NO_GPUS, "power").in(Unit.WATTS),
                overTime("Temperature", "Of the chip.", NO_GPUS, "temperature").in(Unit.CELSIUS),
                overTime(
                                "Clock",
                                "Clock of the multiprocessors. Devices of one kind under one load should agree.",
                                NO_GPUS,
                                "sm_clock")
                        .in(Unit.HERTZ),
                Panel.of(
                                Kind.TIME_SERIES,
                                "Throttled",
                                "Seconds slowed for power or heat in each minute.",
                                NOT_TOLD,
                                new Query.OverTime(
                                        minutes,
                                        List.of(
                                                Column.of(
                                                        SUM, stored.field("power_throttled", Statistic.TOTAL), "power"),
                                                Column.of(
                                                        SUM,
                                                        stored.field("thermal_throttled", Statistic.TOTAL),
                                                        "heat")),
                                        DEVICE))
                        .in(Unit.SECONDS));
    }

    private Row memory() {
        return Row.of(
                "Memory",
                overTime("Memory used", "Device memory in use.", NO_GPUS, "gpu_memory_used")
                        .in(Unit.BYTES)
                        .sized(8, 8),
                overTime(
                                "Split and unused",
                                "Free parts of blocks that the allocator has split: memory that is reserved and cannot be had in one piece.",
                                NO_ALLOCATOR,
                                "allocator_inactive_split")
                        .in(Unit.BYTES)
                        .sized(8, 8),
                Panel.of(
                                Kind.TIME_SERIES,
                                "Failed allocations",
                                "Allocations that failed, and those that first flushed the allocator's cache, in each minute.",
                                NO_ALLOCATOR,
                                new Query.OverTime(
                                        minutes,
                                        List.of(
                                                Column.of(SUM, stored.field("out_of_memory"), "failed"),
                                                Column.of(SUM, stored.field("allocation_retries"), "tried again")),
                                        DEVICE))
                        .sized(8, 8),
                Panel.of(
                                Kind.TABLE,
                                "Memory by configuration",
                                "Device memory used over all readings of the last minute, by what the engines' configurations are called. How they differ from \"default\" stands among the"
                                        + " comparisons of \"Drift and mix\".",
                                NO_GPUS,
                                new Query.OverRange(
                                        stored.view(RetentionPolicy.R1M, "gpu-configuration"),
                                        List.of(
                                                Column.of(LAST, stored.field("vram", Statistic.P50), "P50"),
                                                Column.of(LAST, stored.field("vram", Statistic.P95), "P95"),
                                                Column.of(LAST, stored.field("vram", Statistic.MAX), "Most")),
                                        List.of("configuration", "model")))
                        .in(Unit.BYTES)
                        .sized(24, 5)
                        .leadingTo(DriftDashboard.UID));
    }

    private Row devices() {
        return Row.of(
                "Devices",
                Panel.of(
                                Kind.HEAT_MAP,
                                "Busy by device",
                                "One line a device. Pale lines under load get too little work; a pale column is a pause of all.",
                                NO_GPUS,
                                new Query.OverTime(
                                        devices,
                                        List.of(Column.of(MEAN, stored.field("gpu_busy", Statistic.TIME_MEAN), "Busy")),
                                        DEVICE))
                        .in(Unit.SHARE)
                        .full()
                        .sized(24, 7),
                Panel.of(
                                Kind.TABLE,
                                "Devices now",
                                "The last minute of each device or MIG instance; errors over the whole time range.",
                                NO_GPUS,
                                new Query.OverRange(
                                        minutes,
                                        List.of(
                                                Column.of(LAST, stored.field("gpu_busy", Statistic.LAST), "Busy")
                                                        .in(Unit.SHARE),
                                                Column.of(
                                                                LAST,
                                                                stored.field("gpu_memory_used", Statistic.LAST),
                                                                "Memory used")
                                                        .in(Unit.BYTES),
                                                Column.of(LAST, stored.field("power", Statistic.LAST), "Power")
                                                        .in(Unit.WATTS),
                                                Column.of(
                                                                LAST,
                                                                stored.field("temperature", Statistic.LAST),
                                                                "Temperature")
                                                        .in(Unit.CELSIUS),
                                                Column.of(LAST, stored.field("sm_clock", Statistic.LAST), "Clock")
                                                        .in(Unit.HERTZ),
                                                Column.of(SUM, stored.field("xid_events"), "Xid"),
                                                Column.of(SUM, stored.field("ecc_uncorrected"), "ECC errors")),
                                        List.of("gpu", "mig", "node")))
                        .sized(24, 8));
    }

    private Panel overTime(String title, String description, String empty, String metric) {
        return Panel.of(
                Kind.TIME_SERIES,
                title,
                description,
                empty,
                new Query.OverTime(
                        devices, List.of(Column.of(MAX, stored.field(metric, Statistic.TIME_MEAN), title)), DEVICE));
    }

    private static Source chosen(Stored stored, RetentionPolicy policy) {
        return stored.view(policy, "gpu-device").chosenBy("node").chosenBy("gpu");
    }
}
