package io.inferwatch.probes.admin;

import io.inferwatch.probes.publish.DropReason;
import io.inferwatch.probes.publish.EventPublisher;
import io.inferwatch.probes.publish.PublisherCounters;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.Locale;

/**
 * A publisher's counters as metrics. One scrape reads them once, so that on every page published + recovered = acknowledged + dropped + in memory
 * + in the spool. Every reason for a drop is there from the start, at 0.
 */
public final class PublisherMetrics implements MultiCollector {
    private static final String PREFIX = "inferwatch_probe_";

    private final EventPublisher publisher;

    private PublisherMetrics(EventPublisher publisher) {
        this.publisher = publisher;
    }

    /** Shows the publisher's counters on every page of the registry. */
    public static void register(EventPublisher publisher, PrometheusRegistry registry) {
        registry.register(new PublisherMetrics(publisher));
    }

    @Override
    public MetricSnapshots collect() {
        PublisherCounters now = publisher.counters();
        CounterSnapshot.Builder dropped = CounterSnapshot.builder()
                .name(PREFIX + "events_dropped")
                .help("Events lost, by reason; each leaves a gap in its stream.");
        for (DropReason reason : DropReason.values()) {
            dropped.dataPoint(CounterDataPointSnapshot.builder()
                    .labels(Labels.of("reason", reason.name().toLowerCase(Locale.ROOT)))
                    .value((double) now.dropped().getOrDefault(reason, 0L))
                    .build());
        }
        return MetricSnapshots.of(
                counter("events_published", "Events handed over by the probe.", (double) now.published()),
                counter("events_recovered", "Events that an earlier process had left in the spool.", (double)
                        now.recovered()),
                counter("events_acknowledged", "Events that Kafka acknowledged.", (double) now.acknowledged()),
                counter("events_retried", "Times that an event was sent again.", (double) now.retried()),
                counter("events_spooled", "Events written to the spool.", (double) now.spooled()),
                counter("events_drained", "Events acknowledged out of the spool.", (double) now.drained()),
                dropped.build(),
                gauge("events_in_memory", "Events waiting or under way.", (double) now.inMemory()),
                gauge("events_in_spool", "Events in the spool.", (double) now.inSpool()),
                gauge("spool_bytes", "Bytes of the spool on disk.", (double) now.spoolBytes()),
                counter("spool_cuts", "Torn ends of spool files that were cut off.", (double) now.spoolCuts()),
                counter("heartbeats_sent", "Heartbeats acknowledged.", (double) now.heartbeatsSent()),
                counter("heartbeats_skipped", "Heartbeats that could not be sent at once.", (double)
                        now.heartbeatsSkipped()));
    }

    private static CounterSnapshot counter(String name, String help, double value) {
        return CounterSnapshot.builder()
                .name(PREFIX + name)
                .help(help)
                .dataPoint(CounterDataPointSnapshot.builder().value(value).build())
                .build();
    }

    private static GaugeSnapshot gauge(String name, String help, double value) {
        return GaugeSnapshot.builder()
                .name(PREFIX + name)
                .help(help)
                .dataPoint(GaugeDataPointSnapshot.builder().value(value).build())
                .build();
    }
}
