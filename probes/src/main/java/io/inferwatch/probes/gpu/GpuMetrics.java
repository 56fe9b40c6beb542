package io.inferwatch.probes.gpu;

import io.inferwatch.schemas.GpuState;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/** The GPU probe's counters as metrics; every state, field and result is there from the start, at 0. */
final class GpuMetrics implements MultiCollector {
    private static final String PREFIX = "inferwatch_gpu_";

    private final GpuCounters counters;
    private final LongSupplier podFailures;

    GpuMetrics(GpuCounters counters, LongSupplier podFailures) {
        this.counters = counters;
        this.podFailures = podFailures;
    }

    @Override
    public MetricSnapshots collect() {
        GaugeSnapshot.Builder devices =
                GaugeSnapshot.builder().name(PREFIX + "devices").help("Devices that were ever found, by their state.");
        for (GpuState state : List.of(GpuState.OK, GpuState.LOST, GpuState.UNREADABLE)) {
            devices.dataPoint(GaugeDataPointSnapshot.builder()
                    .labels(Labels.of("state", label(state)))
                    .value(counters.devices(state))
                    .build());
        }
        CounterSnapshot.Builder rejected = CounterSnapshot.builder()
                .name(PREFIX + "rejected_values")
                .help("Values that no device can have and that were left out, by what they are of.");
        counters.rejected()
                .forEach((field, count) -> rejected.dataPoint(CounterDataPointSnapshot.builder()
                        .labels(Labels.of("field", field.label()))
                        .value((double) count)
                        .build()));
        CounterSnapshot.Builder canaries =
                CounterSnapshot.builder().name(PREFIX + "canaries").help("Canaries that were due, by their end.");
        counters.canaries()
                .forEach((result, count) -> canaries.dataPoint(CounterDataPointSnapshot.builder()
                        .labels(Labels.of("result", label(result)))
                        .value((double) count)
                        .build()));
        return MetricSnapshots.of(
                devices.build(),
                counter("samples", "Samples of devices and MIG instances.", counters.samples()),
                rejected.build(),
                counter("nvml_openings", "Times that NVML was, or was to be, initialised.", counters.openings()),
                counter("xid_events", "Critical errors that drivers reported.", counters.xids()),
                counter("round_overruns", "Rounds that took longer than the interval.", counters.overruns()),
                canaries.build(),
                counter(
                        "pod_resources_failures",
                        "Times that the kubelet did not say who holds which device.",
                        podFailures.getAsLong()));
    }

    private static String label(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static CounterSnapshot counter(String name, String help, long value) {
        return CounterSnapshot.builder()
                .name(PREFIX + name)
                .help(help)
                .dataPoint(
                        CounterDataPointSnapshot.builder().value((double) value).build())
                .build();
    }
}
