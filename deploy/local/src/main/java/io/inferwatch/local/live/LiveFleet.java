package io.inferwatch.local.live;

import io.inferwatch.probes.admin.ListenAddress;
import io.inferwatch.probes.identity.IdentityRules;
import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.probes.otlp.OtlpSettings;
import io.inferwatch.probes.proxy.ProxyProbe;
import io.inferwatch.probes.publish.EventPublisher;
import io.inferwatch.probes.publish.KafkaPublisher;
import io.inferwatch.probes.publish.KafkaSettings;
import io.inferwatch.probes.publish.PublisherSettings;
import io.inferwatch.schemas.settings.Settings;
import io.inferwatch.simulation.engine.CostModel;
import io.inferwatch.simulation.engine.EngineSpec;
import io.inferwatch.simulation.http.SimulationServer;
import io.inferwatch.simulation.http.SimulationSettings;
import io.inferwatch.simulation.serving.ServerSpec;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Simulated servers, each behind a measuring proxy of its own, to which it also sends its spans, so that what the proxy publishes to Kafka has the
 * engine's stages. Not thread safe.
 */
final class LiveFleet implements AutoCloseable {
    private static final int TIMES_AS_FAST = 8;

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final List<SimulationServer> servers = new ArrayList<>();
    private final List<URI> proxies = new ArrayList<>();

    private LiveFleet() {}

    /**
     * Starts them.
     *
     * @param data where the salt of the tenants' hashes lies
     */
    static LiveFleet start(int size, long seed, Path data, KafkaSettings kafka) {
        LiveFleet fleet = new LiveFleet();
        try {
            for (int i = 0; i < size; i++) {
                fleet.add(ServerSpec.usual(i, seed).withEngine(engine()), data, kafka);
            }
            return fleet;
        } catch (RuntimeException e) {
            fleet.close();
            throw e;
        }
    }

    /** Faster than an A100, so that a node that is three times as slow still keeps up, and requests seldom wait for each other. */
    private static EngineSpec engine() {
        CostModel a100 = CostModel.llama8bOnA100();
        return EngineSpec.llama8bOnA100()
                .withCost(new CostModel(
                        a100.stepNanos() / TIMES_AS_FAST,
                        a100.prefillTokenNanos() / TIMES_AS_FAST,
                        a100.prefillPairNanos() / TIMES_AS_FAST,
                        a100.decodeSequenceNanos() / TIMES_AS_FAST,
                        a100.decodeContextNanos() / TIMES_AS_FAST));
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
    }
}
