package io.inferwatch.probes.otlp;

import io.inferwatch.probes.admin.BearerToken;
import io.inferwatch.probes.engine.EngineProbe;
import io.inferwatch.probes.engine.PushedMetrics;
import io.inferwatch.probes.engine.mapping.MappingTable;
import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.probes.publish.EventPublisher;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.opentelemetry.proto.resource.v1.Resource;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The OTLP probe as a whole: takes spans, joins them and publishes their requests. A command of its own, or a part of the proxy's process, which
 * then offers what it measured to {@link #join()}. Closing it publishes what still waits; the publisher stays open.
 */
public final class OtlpProbe implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OtlpProbe.class);
    private static final long EXPIRE_MILLIS = 200;
    private static final long JUDGE_MILLIS = 5_000;

    private final OtlpServer server;
    private final RequestJoin join;
    private final Optional<EngineProbe> engines;
    private final ScheduledExecutorService timer;

    private OtlpProbe(
            OtlpServer server, RequestJoin join, Optional<EngineProbe> engines, ScheduledExecutorService timer) {
        this.server = server;
        this.join = join;
        this.engines = engines;
        this.timer = timer;
    }

    /**
     * Listens from now on.
     *
     * @throws InvalidSettingsException when an address cannot be listened at, a certificate is none, or there is no token
     */
    public static OtlpProbe start(OtlpSettings settings, EventPublisher publisher, PrometheusRegistry registry) {
        Tally<Oddity> oddities = new Tally<>(Oddity.class);
        RequestJoin join = new RequestJoin(
                event -> {
                    // What is dropped is the publisher's to count.
                    var unused = publisher.publish(event);
                },
                settings.joinPatience(),
                settings.joinCapacity(),
                System::nanoTime);
        SpanLoss loss = new SpanLoss();
        ReplicaActivity activity = new ReplicaActivity(System::nanoTime);
        SpanReplicas named = new SpanReplicas(settings.replicas(), oddities);
        Function<Resource, ReplicaIdentity> replicas =
                resource -> settings.only().orElseGet(() -> named.of(resource));
        SpanReceiver receiver = new SpanReceiver(
                replicas, new SpanReader(settings.identity(), oddities), settings.sampling(), loss, activity, join);
        MetricReceiver metricPoints = new MetricReceiver(
                replicas,
                new PushedMetrics(MappingTable.builtIn(), publisher, sample -> finished(loss, sample)),
                InstantSource.system());
        OtlpService service =
                new OtlpService(receiver, metricPoints, settings.tokenFile().map(BearerToken::read));
        OtlpServer server = OtlpServer.start(settings.http(), settings.grpc(), settings.tls(), service);
        registry.register(new OtlpMetrics(receiver, metricPoints, service, oddities, join, loss));
        if (settings.only().isEmpty()) {
            publisher.heartbeats(activity::states);
        }
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "inferwatch-otlp");
            thread.setDaemon(true);
            return thread;
        });
        every(timer, EXPIRE_MILLIS, join::expire);
        InstantSource clock = InstantSource.system();
        every(timer, JUDGE_MILLIS, () -> loss.judge(clock.millis() * 1_000));
        Optional<EngineProbe> engines = settings.engines()
                .map(present -> EngineProbe.start(present, publisher, registry, sample -> finished(loss, sample)));
        return new OtlpProbe(server, join, engines, timer);
    }

    /** Where whoever measured a request meets its span. */
    public RequestJoin join() {
        return join;
    }

    /** An engine's own count of finished requests, for the estimate of lost spans. */
    static void finished(EngineCounters counters, EngineSample sample) {
        Long succeeded = sample.getSucceededTotal();
        if (succeeded != null) {
            long aborted = Objects.requireNonNullElse(sample.getAbortedTotal(), 0L);
            counters.finished(sample.getReplica(), succeeded + aborted, sample.getSampledAtMicros());
        }
    }

    /** The port of OTLP/HTTP. */
    public int httpPort() {
        return server.httpPort();
    }

    /** The port of OTLP/gRPC. */
    public int grpcPort() {
        return server.grpcPort();
    }

    @Override
    public void close() {
        server.close();
        engines.ifPresent(EngineProbe::close);
        timer.shutdownNow();
        join.close();
    }

    private static void every(ScheduledExecutorService timer, long millis, Runnable task) {
        var unused = timer.scheduleWithFixedDelay(
                () -> {
                    try {
                        task.run();
                    } catch (RuntimeException e) {
                        // One failure must not end all later rounds.
                        LOG.warn("a periodic task failed", e);
                    }
                },
                millis,
                millis,
                TimeUnit.MILLISECONDS);
    }
}
