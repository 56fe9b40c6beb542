package io.inferwatch.probes.otlp;

import static io.inferwatch.probes.otlp.Spans.resource;
import static io.inferwatch.probes.otlp.Spans.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.probes.publish.ReplicaState;
import io.inferwatch.schemas.settings.Settings;
import io.opentelemetry.proto.common.v1.KeyValue;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpanReplicasTest {
    private static final String UUID = "627cc493-f310-47de-96bd-71410b7dec09";

    private final Tally<Oddity> oddities = new Tally<>(Oddity.class);

    @Test
    void takesTheMostStableName() {
        KeyValue given = text("inferwatch.replica", "given");
        KeyValue instance = text("service.instance.id", "instance");
        KeyValue random = text("service.instance.id", UUID);
        KeyValue stateful = text("k8s.pod.name", "chat-3");
        KeyValue stateless = text("k8s.pod.name", "chat-6d4cf56db6-x2x7k");
        KeyValue host = text("host.name", "host");
        KeyValue service = text("service.name", "service");

        assertThat(name(given, instance, stateful)).isEqualTo("given");
        assertThat(name(instance, stateful, host)).isEqualTo("instance");
        assertThat(name(random, stateful, host)).isEqualTo("chat-3");
        assertThat(name(random, stateless, host)).isEqualTo("host");
        assertThat(name(random, stateless, service)).isEqualTo(UUID);
        assertThat(name(stateless, service)).isEqualTo("chat-6d4cf56db6-x2x7k");
        assertThat(name(service)).isEqualTo("service");
        assertThat(oddities.counts().values()).containsOnly(0L);
        assertThat(name(text("service.name", "unknown_service"))).isEqualTo("unnamed");
        assertThat(oddities.counts().get(Oddity.UNNAMED_REPLICA)).isEqualTo(1);
    }

    @Test
    void takesPlaceAndVersionFromTheResource() {
        ReplicaIdentity replica = new SpanReplicas(List.of(), oddities)
                .of(resource(
                        text("service.instance.id", "chat-0"),
                        text("service.name", "chat"),
                        text("service.version", "7"),
                        text("k8s.node.name", "n1"),
                        text("k8s.pod.name", "chat-0"),
                        text("k8s.cluster.name", "c1"),
                        text("cloud.region", "eu"),
                        text("inferwatch.pool", "h100")));
        assertThat(replica.placement()).isEqualTo(new ReplicaState.Placement("n1", "chat-0", "eu", "h100", null, "7"));
        assertThat(replica.service()).isEqualTo("chat");
        assertThat(replica.cluster()).isEqualTo("c1");
    }

    @Test
    void settingsGoFirst() {
        Settings root = Settings.parse("probe.yaml", """
                chat-0: {match: {host.name: "gpu-1*", service.name: chat}, pool: h100, engine: sglang}
                """);
        SpanReplicas replicas = new SpanReplicas(SpanReplicas.rules(root), oddities);
        root.check();
        ReplicaIdentity replica = replicas.of(resource(text("host.name", "gpu-17"), text("service.name", "chat")));
        assertThat(replica.replica()).isEqualTo("chat-0");
        assertThat(replica.placement().pool()).isEqualTo("h100");
        assertThat(replica.engine()).isEqualTo("sglang");
        assertThat(replicas.of(resource(text("host.name", "gpu-17"))).replica()).isEqualTo("gpu-17");
    }

    @Test
    void aReplicaThatMatchesNothingIsAMistake() {
        Settings root = Settings.parse("probe.yaml", "chat-0: {pool: h100}");
        var unused = SpanReplicas.rules(root);
        assertThatThrownBy(root::check)
                .hasMessage("probe.yaml:\n  chat-0.match: must be a mapping of resource attributes, found none");
    }

    @Test
    void thousandsOfReplicasAreToldApartAndNoMore() {
        SpanReplicas replicas = new SpanReplicas(List.of(), oddities);
        for (int i = 0; i < 4_000; i++) {
            assertThat(replicas.of(resource(text("service.instance.id", "r" + i)))
                            .replica())
                    .isEqualTo("r" + i);
        }
        assertThat(replicas.of(resource(text("service.instance.id", "one-more")))
                        .replica())
                .isEqualTo("other");
        assertThat(replicas.of(resource(text("service.instance.id", "r7"))).replica())
                .isEqualTo("r7");
        assertThat(oddities.counts().get(Oddity.TOO_MANY_REPLICAS)).isEqualTo(1);
    }

    private String name(KeyValue... attributes) {
        return new SpanReplicas(List.of(), oddities).of(resource(attributes)).replica();
    }
}
