package io.inferwatch.probes.identity;

import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;

/** Headers that could not be used, as a metric by field; every field is there from the start, at 0. */
public final class IdentityMetrics {
    private IdentityMetrics() {}

    /** Shows the counts on every page of the registry. */
    public static void register(MalformedHeaders malformed, PrometheusRegistry registry) {
        Collector collector = () -> {
            CounterSnapshot.Builder counter = CounterSnapshot.builder()
                    .name("inferwatch_probe_headers_malformed")
                    .help("Headers whose value could not be used, by what it was to say.");
            malformed
                    .counts()
                    .forEach((field, count) -> counter.dataPoint(CounterDataPointSnapshot.builder()
                            .labels(Labels.of("field", field.key()))
                            .value((double) count)
                            .build()));
            return counter.build();
        };
        registry.register(collector);
    }
}
