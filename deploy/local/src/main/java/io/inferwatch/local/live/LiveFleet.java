package io.inferwatch.local.live;

import io.inferwatch.probes.admin.AdminServer;
import io.inferwatch.probes.admin.ListenAddress;
import io.inferwatch.probes.admin.Readiness;
import io.inferwatch.probes.engine.EngineProbe;
import io.inferwatch.probes.engine.EngineSettings;
import io.inferwatch.probes.identity.IdentityRules;
import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.probes.otlp.OtlpSettings;
import io.inferwatch.probes.proxy.ProxyProbe;
import io.inferwatch.probes.publish.EventPublisher;
import io.inferwatch.probes.publish.KafkaPublisher;
import io.inferwatch.probes.publish.KafkaSettings;
import io.inferwatch.probes.publish.PublisherSettings;
import io.inferwatch.probes.reports.ReportSettings;
import io.inferwatch.probes.reports.Reports;
import io.inferwatch.schemas.settings.Settings;
import io.inferwatch.simulation.engine.CostModel;
import io.inferwatch.simulation.engine.EngineSpec;
import io.inferwatch.simulation.http.SimulationServer;
import io.inferwatch.simulation.http.SimulationSettings;
import io.inferwatch.simulation.serving.ServerSpec;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Simulated servers, each behind a measuring proxy of its own, to which it also sends its spans, so that what the proxy publishes to Kafka has the
 * engine's stages; and each with an engine probe that reads its metrics and its GPU exporter's, and takes its reports of device memory. Not thread safe.
 */
final class LiveFleet implements AutoCloseable {
    private static final Duration SCRAPE_INTERVAL = Duration.ofSeconds(5);

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final List<SimulationServer> servers = new ArrayList<>();
    private final List<URI> proxies = new ArrayList<>();

    private LiveFleet() {}

    /**
     * Starts them.
     *
     * @param timesAsFast as an A100
     * @param data where the salt of the tenants' hashes lies
     */
    static LiveFleet start(int size, int timesAsFast, long seed, Path data, KafkaSettings kafka) {
        LiveFleet fleet = new LiveFleet();
        try {
            for (int i = 0; i < size; i++) {
                fleet.add(ServerSpec.usual(i, seed).withEngine(engine(timesAsFast)), data, kafka);
            }
            return fleet;
        } catch (RuntimeException e) {
            fleet.close();
            throw e;
        }
    }

    /** Faster than an A100, so that a node that is three times as slow still keeps up, and requests seldom wait for each other. */
    static EngineSpec engine(int timesAsFast) {
        CostModel a100 = CostModel.llama8bOnA100();
        return EngineSpec.llama8bOnA100()
                .withCost(new CostModel(
                        a100.stepNanos() / timesAsFast,
                        a100.prefillTokenNanos() / timesAsFast,
                        a100.prefillPairNanos() / timesAsFast,
                        a100.decodeSequenceNanos() / timesAsFast,
                        a100.decodeContextNanos() / timesAsFast));
    }

    List<SimulationServer> servers() {
        return List.copyOf(servers);
    }

    /** Where clients ask. */
    List<URI> proxies() {
        return List.copyOf(proxies);
    }

    @Override
    public void close() {
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception e) {
                throw new IllegalStateException("the fleet did not stop in order", e);
            }
        }
    }

    private void add(ServerSpec spec, Path data, KafkaSettings kafka) {
        SimulationServer server = SimulationServer.start(SimulationSettings.of(spec));
        opened.push(server);
        servers.add(server);
        Settings settings = Settings.parse("live demo", """
                replica:
                  name: %s
                  node: %s
                  region: %s
                  pool: %s
                  model: %s
                  version: %s
                  service: live-demo
                  engine: simulated
                  gpu-uuids: [%s]
                identity:
                  salt-file: '%s'
                otlp:
                  http-listen: "0"
                  grpc-listen: "0"
                """.formatted(
                        spec.replica(),
                        spec.node(),
                        spec.region(),
                        spec.pool(),
                        spec.model(),
                        spec.version(),
                        spec.device().uuid(),
                        data.resolve("salt").toString().replace("'", "''")));
        ReplicaIdentity identity = ReplicaIdentity.of(settings.section("replica"), Map.of());
        IdentityRules rules = IdentityRules.of(settings.section("identity"));
        OtlpSettings otlp = OtlpSettings.inProxy(settings.section("otlp"), rules, identity);
        settings.check();
        EventPublisher publisher = new KafkaPublisher(PublisherSettings.of("proxy-" + UUID.randomUUID(), kafka));
        opened.push(publisher);
        ProxyProbe proxy = ProxyProbe.start(
                ListenAddress.parse("0"), URI.create(server.url()), identity, rules, publisher, Optional.of(otlp));
        opened.push(proxy);
        server.sendSpansTo(
                URI.create("http://127.0.0.1:" + proxy.otlp().orElseThrow().httpPort() + "/v1/traces"));
        proxies.add(URI.create("http://127.0.0.1:" + proxy.port()));
        watchMemory(server, spec, identity, kafka);
    }

    /** Reads the server's page, and that of an exporter for its GPU; takes what its process reports. */
    private void watchMemory(SimulationServer server, ServerSpec spec, ReplicaIdentity identity, KafkaSettings kafka) {
        Settings settings = Settings.parse("live demo", """
                targets:
                  %s:
                    url: "%s"
                    node: %s
                    region: %s
                    pool: %s
                    model: %s
                    version: %s
                    gpu-uuids: [%s]
                  gpu-exporter-of-%s:
                    url: "%s"
                    node: %s
                """.formatted(
                        spec.replica(),
                        server.url(),
                        spec.node(),
                        spec.region(),
                        spec.pool(),
                        spec.model(),
                        spec.version(),
                        spec.device().uuid(),
                        spec.replica(),
                        server.gpuMetrics(),
                        spec.node()));
        EngineSettings engines = EngineSettings.of(settings, SCRAPE_INTERVAL, List.of());
        settings.check();
        EventPublisher publisher = new KafkaPublisher(PublisherSettings.of("engine-" + UUID.randomUUID(), kafka));
        opened.push(publisher);
        PrometheusRegistry registry = new PrometheusRegistry();
        AdminServer admin = AdminServer.start(
                ListenAddress.parse("0"),
                registry,
                new Readiness(),
                Reports.posts(
                        publisher,
                        Optional.of(identity),
                        ReportSettings.byDefault(),
                        registry,
                        InstantSource.system()));
        opened.push(admin);
        opened.push(EngineProbe.start(engines, publisher, registry, sample -> {}));
        server.reportMemoryTo(URI.create("http://127.0.0.1:" + admin.port() + "/v1/torch-memory"));
    }
}
