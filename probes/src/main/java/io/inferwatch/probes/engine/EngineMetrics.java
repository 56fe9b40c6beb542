package io.inferwatch.probes.engine;

import io.inferwatch.probes.engine.exposition.Rejection;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** The engine probe's own state as metrics; every kind of failure is there from the start, at 0. */
final class EngineMetrics implements MultiCollector {
    private static final String PREFIX = "inferwatch_engine_";
    private static final String TARGET = "target";
    private static final String REASON = "reason";

    private final EngineProbe probe;

    EngineMetrics(EngineProbe probe) {
        this.probe = probe;
    }

    @Override
    public MetricSnapshots collect() {
        List<TargetStatus> all = probe.statuses();
        List<TargetStatus> read =
                all.stream().filter(status -> status.pages() > 0).toList();
        long nowNanos = System.nanoTime();
        CounterSnapshot.Builder failures =
                CounterSnapshot.builder().name(PREFIX + "scrape_failures").help("Scrapes without a page, by reason.");
        CounterSnapshot.Builder rejections =
                CounterSnapshot.builder().name(PREFIX + "rejected_samples").help("Samples not taken, by reason.");
        for (TargetStatus status : all) {
            for (ScrapeFailure failure : ScrapeFailure.values()) {
                add(
                        failures,
                        status.replica(),
                        failure.name(),
                        status.failures().getOrDefault(failure, 0L));
            }
            for (Rejection rejection : Rejection.values()) {
                add(
                        rejections,
                        status.replica(),
                        rejection.name(),
                        status.rejections().getOrDefault(rejection, 0L));
            }
        }
        CounterSnapshot.Builder sources = CounterSnapshot.builder()
                .name(PREFIX + "target_source_failures")
                .help("Looks for targets that failed, by source.");
        probe.sourceFailures()
                .forEach((source, count) -> sources.dataPoint(CounterDataPointSnapshot.builder()
                        .labels(Labels.of("source", source))
                        .value((double) count.get())
                        .build()));
        return MetricSnapshots.of(
                counter(all, "pages", "Pages read.", TargetStatus::pages),
                failures.build(),
                rejections.build(),
                sources.build(),
                counter(all, "back_offs", "Times that the interval was doubled.", TargetStatus::backOffs),
                counter(
                        all,
                        "unexpected_types",
                        "Pages read in spite of their content type.",
                        TargetStatus::unexpectedTypes),
                counter(all, "other_grids", "Histograms left out, whose buckets differ.", TargetStatus::otherGrids),
                gauge(all, "scrape_seconds", "How long the last scrape took.", status -> status.scrapeMicros() / 1e6),
                gauge(all, "interval_seconds", "Time between scrapes.", status -> status.intervalMicros() / 1e6),
                gauge(
                        read,
                        "age_seconds",
                        "Age of the last page.",
                        status -> (nowNanos - status.lastPageNanos()) / 1e9),
                gauge(read, "page_samples", "Samples of the last page.", TargetStatus::samples),
                gauge(read, "unknown_samples", "Of these, whose series nobody knows.", TargetStatus::unknown),
                GaugeSnapshot.builder()
                        .name(PREFIX + "targets")
                        .help("Targets at present.")
                        .dataPoint(GaugeDataPointSnapshot.builder()
                                .value(all.size())
                                .build())
                        .build(),
                CounterSnapshot.builder()
                        .name(PREFIX + "targets_refused")
                        .help("Targets beyond the limit, at each look.")
                        .dataPoint(CounterDataPointSnapshot.builder()
                                .value((double) probe.refusedTargets())
                                .build())
                        .build());
    }

    private static void add(CounterSnapshot.Builder counter, String target, String reason, long count) {
        counter.dataPoint(CounterDataPointSnapshot.builder()
                .labels(Labels.of(TARGET, target, REASON, reason.toLowerCase(Locale.ROOT)))
                .value((double) count)
                .build());
    }

    private static CounterSnapshot counter(
            List<TargetStatus> all, String name, String help, ToDoubleFunction<TargetStatus> value) {
        CounterSnapshot.Builder counter =
                CounterSnapshot.builder().name(PREFIX + name).help(help);
        all.forEach(status -> counter.dataPoint(CounterDataPointSnapshot.builder()
                .labels(Labels.of(TARGET, status.replica()))
                .value(value.applyAsDouble(status))
                .build()));
        return counter.build();
    }

    private static GaugeSnapshot gauge(
            List<TargetStatus> all, String name, String help, ToDoubleFunction<TargetStatus> value) {
        GaugeSnapshot.Builder gauge =
                GaugeSnapshot.builder().name(PREFIX + name).help(help);
        all.forEach(status -> gauge.dataPoint(GaugeDataPointSnapshot.builder()
                .labels(Labels.of(TARGET, status.replica()))
                .value(value.applyAsDouble(status))
                .build()));
        return gauge.build();
    }
}
