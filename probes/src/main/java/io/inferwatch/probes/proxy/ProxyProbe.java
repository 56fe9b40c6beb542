package io.inferwatch.probes.proxy;

import io.inferwatch.probes.admin.AdminServer;
import io.inferwatch.probes.admin.ListenAddress;
import io.inferwatch.probes.admin.PublisherMetrics;
import io.inferwatch.probes.admin.Readiness;
import io.inferwatch.probes.identity.IdentityMetrics;
import io.inferwatch.probes.identity.IdentityRules;
import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.probes.otlp.OtlpProbe;
import io.inferwatch.probes.otlp.OtlpSettings;
import io.inferwatch.probes.otlp.RequestJoin;
import io.inferwatch.probes.publish.EventPublisher;
import io.inferwatch.probes.reports.ReportSettings;
import io.inferwatch.probes.reports.Reports;
import io.inferwatch.schemas.RequestEvent;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The proxy, its measuring, its heartbeats and its admin port as one. The served traffic depends on none of the others: the publisher drops and counts
 * what it cannot keep. The publisher stays its maker's.
 */
public final class ProxyProbe implements AutoCloseable {
    private static final long LOOK_MILLIS = 20;

    private final RequestMeters meters;
    private final ProxyServer server;
    private final AdminServer admin;
    private final Optional<OtlpProbe> otlp;
    private final Readiness readiness;
    private final CountDownLatch closed = new CountDownLatch(1);

    private ProxyProbe(
            RequestMeters meters,
            ProxyServer server,
            AdminServer admin,
            Optional<OtlpProbe> otlp,
            Readiness readiness) {
        this.meters = meters;
        this.server = server;
        this.admin = admin;
        this.otlp = otlp;
        this.readiness = readiness;
    }

    /**
     * Serves from now on over plain HTTP in front of a plain server, and sends what it measures to the publisher; its admin port is a free one.
     *
     * @param otlp where the server's spans are taken, if anywhere
     */
    public static ProxyProbe start(
            ListenAddress listen,
            URI upstream,
            ReplicaIdentity replica,
            IdentityRules rules,
            EventPublisher publisher,
            Optional<OtlpSettings> otlp) {
        return start(
                ProxySettings.of(listen, upstream),
                replica,
                rules,
                publisher,
                ListenAddress.parse("0"),
                ReportSettings.byDefault(),
                otlp);
    }

    /**
     * Serves from now on, and sends what it measures to the publisher; where spans of the server are taken, joined with them, so that a request is one
     * event.
     */
    static ProxyProbe start(
            ProxySettings settings,
            ReplicaIdentity replica,
            IdentityRules rules,
            EventPublisher publisher,
            ListenAddress adminAddress,
            ReportSettings reports,
            Optional<OtlpSettings> otlpSettings) {
        PrometheusRegistry registry = new PrometheusRegistry();
        PublisherMetrics.register(publisher, registry);
        IdentityMetrics.register(rules.malformed(), registry);
        ProxyCounters counters = new ProxyCounters(registry);
        Readiness readiness = new Readiness();
        AdminServer admin = AdminServer.start(
                adminAddress,
                registry,
                readiness,
                Reports.posts(publisher, Optional.of(replica), reports, registry, InstantSource.system()));
        Optional<OtlpProbe> otlp = Optional.empty();
        RequestMeters meters;
        ProxyServer server;
        try {
            otlp = otlpSettings.map(present -> OtlpProbe.start(present, publisher, registry));
            meters = new RequestMeters(replica, rules, counters, events(publisher, otlp));
            server = ProxyServer.start(settings, meters::begin);
        } catch (RuntimeException e) {
            otlp.ifPresent(OtlpProbe::close);
            admin.close();
            throw e;
        }
        publisher.heartbeats(() -> List.of(meters.state()));
        readiness.ready();
        return new ProxyProbe(meters, server, admin, otlp, readiness);
    }

    /** The port that clients use. */
    public int port() {
        return server.port();
    }

    int adminPort() {
        return admin.port();
    }

    /** What takes the server's spans, where that was asked for. */
    public Optional<OtlpProbe> otlp() {
        return otlp;
    }

    RequestMeters meters() {
        return meters;
    }

    /**
     * Is unready from now on, and waits for the open requests: for the delay it takes new ones, since whoever sends them needs a moment to notice, then none.
     *
     * @return whether every request ended within the timeout
     */
    boolean drain(Duration delay, Duration timeout) throws InterruptedException {
        readiness.unready("draining");
        server.drain();
        if (closed.await(delay.toMillis(), TimeUnit.MILLISECONDS)) {
            return true;
        }
        server.stopListening();
        long endNanos = System.nanoTime() + timeout.toNanos();
        while (server.openRelays() > 0 && System.nanoTime() - endNanos < 0) {
            if (closed.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                return true;
            }
        }
        return server.openRelays() == 0;
    }

    /** Waits until it is closed. */
    void await() throws InterruptedException {
        closed.await();
    }

    /** Breaks off what is open; its events say so. */
    @Override
    public void close() {
        readiness.unready("closed");
        server.close();
        otlp.ifPresent(OtlpProbe::close);
        admin.close();
        closed.countDown();
    }

    /** Where measured requests go; what the publisher drops, it counts. */
    private static Consumer<RequestEvent> events(EventPublisher publisher, Optional<OtlpProbe> otlp) {
        return otlp.<Consumer<RequestEvent>>map(probe -> event -> probe.join().offer(RequestJoin.Side.MEASURED, event))
                .orElse(publisher::publish);
    }
}
