package io.inferwatch.probes.proxy;

import io.inferwatch.probes.proxy.RequestMeters.Unmeasured;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/** What the proxy did since it started, for its heartbeats and its metrics. Thread safe. */
final class ProxyCounters {
    /** One reading: started = completed + failed + cancelled + open. */
    record Ended(long started, long completed, long failed, long cancelled) {
        long open() {
            return started - completed - failed - cancelled;
        }
    }

    private final LongAdder started = new LongAdder();
    private final LongAdder completed = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder cancelled = new LongAdder();

    private final Counter requests;
    private final Counter unmeasured;
    private final CounterDataPoint passed;
    private final CounterDataPoint lost;
    private final DistributionDataPoint addedSeconds;

    ProxyCounters(PrometheusRegistry registry) {
        requests = Counter.builder()
                .name("inferwatch_proxy_requests")
                .help("Measured requests that ended, by outcome.")
                .labelNames("outcome")
                .register(registry);
        for (Outcome outcome : Outcome.values()) {
            requests.initLabelValues(label(outcome));
        }
        unmeasured = Counter.builder()
                .name("inferwatch_proxy_unmeasured_answers")
                .help("Answers of measured requests whose body could not be read, by reason.")
                .labelNames("reason")
                .register(registry);
        for (Unmeasured reason : Unmeasured.values()) {
            unmeasured.initLabelValues(label(reason));
        }
        passed = Counter.builder()
                .name("inferwatch_proxy_passed_requests")
                .help("Requests of other paths, which pass without being measured.")
                .register(registry);
        lost = Counter.builder()
                .name("inferwatch_proxy_lost_events")
                .help("Requests of which no event could be made.")
                .register(registry);
        addedSeconds = Histogram.builder()
                .name("inferwatch_proxy_added_seconds")
                .help("Time that the proxy itself added to a request and its first token.")
                .classicOnly()
                .classicUpperBounds(0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.1)
                .register(registry);
        GaugeWithCallback.builder()
                .name("inferwatch_proxy_open_requests")
                .help("Measured requests started and not ended.")
                .callback(callback -> callback.call((double) ended().open()))
                .register(registry);
    }

    void started() {
        started.increment();
    }

    /** A request of another path. */
    void passed() {
        passed.inc();
    }

    void unmeasured(Unmeasured reason) {
        unmeasured.labelValues(label(reason)).inc();
    }

    /** A request ended, and no event tells of it. */
    void lost() {
        failed.increment();
        lost.inc();
    }

    void ended(RequestEvent event) {
        switch (event.getOutcome()) {
            case OK, LENGTH -> completed.increment();
            case CLIENT_CANCEL -> cancelled.increment();
            default -> failed.increment();
        }
        requests.labelValues(label(event.getOutcome())).inc();
        Long addedMicros = event.getProxyOverheadMicros();
        if (addedMicros != null) {
            addedSeconds.observe(addedMicros / 1e6);
        }
    }

    /** A reading in which what ended had started. */
    Ended ended() {
        long completedNow = completed.sum();
        long failedNow = failed.sum();
        long cancelledNow = cancelled.sum();
        return new Ended(started.sum(), completedNow, failedNow, cancelledNow);
    }

    private static String label(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
