package io.inferwatch.probes.otlp;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The OTLP probe's counters as metrics; every result is there from the start, at 0. */
final class OtlpMetrics implements MultiCollector {
    private static final String PREFIX = "inferwatch_otlp_";

    private final SpanReceiver spans;
    private final MetricReceiver metricPoints;
    private final OtlpService service;
    private final Tally<Oddity> oddities;
    private final RequestJoin join;
    private final SpanLoss loss;

    OtlpMetrics(
            SpanReceiver spans,
            MetricReceiver metricPoints,
            OtlpService service,
            Tally<Oddity> oddities,
            RequestJoin join,
            SpanLoss loss) {
        this.spans = spans;
        this.metricPoints = metricPoints;
        this.service = service;
        this.oddities = oddities;
        this.join = join;
        this.loss = loss;
    }

    @Override
    public MetricSnapshots collect() {
        List<SpanLoss.Estimate> estimates = loss.estimates();
        GaugeSnapshot.Builder lost = GaugeSnapshot.builder()
                .name(PREFIX + "span_loss_ratio")
                .help("Part of a replica's finished requests without a span, in the last minute judged.");
        CounterSnapshot.Builder flagged = CounterSnapshot.builder()
                .name(PREFIX + "span_loss_minutes_flagged")
                .help("Minutes in which more than " + SpanLoss.LIMIT_PERCENT + " % of a replica's spans were lost.");
        for (SpanLoss.Estimate estimate : estimates) {
            Labels replica = Labels.of("replica", estimate.replica());
            lost.dataPoint(GaugeDataPointSnapshot.builder()
                    .labels(replica)
                    .value(estimate.lostRatio())
                    .build());
            flagged.dataPoint(CounterDataPointSnapshot.builder()
                    .labels(replica)
                    .value((double) estimate.flaggedMinutes())
                    .build());
        }
        return MetricSnapshots.of(
                counter("posts", "Posts, by how they were answered.", "result", service.results()),
                counter("spans", "Spans received, by what became of them.", "fate", spans.fates()),
                counter("metric_points", "Metrics' data points, by what became of them.", "fate", metricPoints.fates()),
                counter("items_not_taken", "Log records refused.", "signal", service.notTaken()),
                counter("oddities", "Spans that were strange in some way, and used.", "kind", oddities.counts()),
                counter("joins", "What became of requests that two sides may have seen.", "fate", join.fates()),
                GaugeSnapshot.builder()
                        .name(PREFIX + "joins_waiting")
                        .help("Requests that wait for their other side.")
                        .dataPoint(GaugeDataPointSnapshot.builder()
                                .value(join.waiting())
                                .build())
                        .build(),
                lost.build(),
                flagged.build());
    }

    private static <E extends Enum<E>> CounterSnapshot counter(
            String name, String help, String label, Map<E, Long> counts) {
        CounterSnapshot.Builder counter =
                CounterSnapshot.builder().name(PREFIX + name).help(help);
        counts.forEach((constant, count) -> counter.dataPoint(CounterDataPointSnapshot.builder()
                .labels(Labels.of(label, constant.name().toLowerCase(Locale.ROOT)))
                .value((double) count)
                .build()));
        return counter.build();
    }
}
