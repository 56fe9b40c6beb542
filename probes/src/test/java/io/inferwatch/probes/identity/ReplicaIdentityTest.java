package io.inferwatch.probes.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.probes.publish.ReplicaState;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.schemas.settings.Settings;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReplicaIdentityTest {
    @Test
    void settingsGoBeforeTheEnvironment() {
        ReplicaIdentity identity = read(
                """
                name: chat-0
                node: n1
                region: eu
                pool: h100
                cluster: c1
                service: chat
                engine: vllm
                engine-version: "0.11.0"
                model: llama
                version: "7"
                gpu-uuids: [GPU-a, GPU-b]
                mig-id: MIG-1
                max-context-tokens: 32768
                configuration-name: awq
                configuration: {quantization: fp8}
                """,
                Map.of("INFERWATCH_REPLICA", "x", "NODE_NAME", "x", "POD_NAME", "chat-abc", "INFERWATCH_POOL", "x"));
        RequestEvent event = new RequestEvent();
        event.setModel("llama-asked-for");
        identity.fill(event);

        assertThat(event.getReplica()).isEqualTo("chat-0");
        assertThat(event.getNode()).isEqualTo("n1");
        assertThat(event.getPod()).isEqualTo("chat-abc");
        assertThat(event.getRegion()).isEqualTo("eu");
        assertThat(event.getPool()).isEqualTo("h100");
        assertThat(event.getCluster()).isEqualTo("c1");
        assertThat(event.getService()).isEqualTo("chat");
        assertThat(event.getEngine()).isEqualTo("vllm");
        assertThat(event.getEngineVersion()).isEqualTo("0.11.0");
        assertThat(event.getModel()).as("what the request knew").isEqualTo("llama-asked-for");
        assertThat(event.getVersion()).isEqualTo("7");
        assertThat(event.getGpuUuids()).containsExactly("GPU-a", "GPU-b");
        assertThat(event.getMigId()).isEqualTo("MIG-1");
        assertThat(event.getMaxContextTokens()).isEqualTo(32_768);
        assertThat(event.getConfigurationName()).isEqualTo("awq");
        assertThat(event.getConfiguration()).isEqualTo(Map.of("quantization", "fp8"));
        assertThat(identity.placement())
                .isEqualTo(new ReplicaState.Placement("n1", "chat-abc", "eu", "h100", "llama", "7"));
    }

    @Test
    void theDownwardApiAloneIsEnoughInAStatefulSet() {
        ReplicaIdentity identity = read(
                "", Map.of("POD_NAME", "chat-12", "NODE_NAME", "n7", "NVIDIA_VISIBLE_DEVICES", "GPU-a, MIG-b,0,all"));
        assertThat(identity.replica()).isEqualTo("chat-12");
        assertThat(identity.placement()).isEqualTo(new ReplicaState.Placement("n7", "chat-12", null, null, null, null));
        assertThat(identity.gpuUuids()).isEqualTo(List.of("GPU-a", "MIG-b"));
        assertThat(identity.migId()).isEqualTo("MIG-b");
        assertThat(identity.maxContextTokens()).isNull();
    }

    @Test
    void aDeploymentsPodIsNoSlot() {
        assertThatThrownBy(() -> read("", Map.of("POD_NAME", "chat-6d4cf56db6-x2x7k")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessage("replica:\n  name: must be set, here or in INFERWATCH_REPLICA, found nothing");
    }

    private static ReplicaIdentity read(String yaml, Map<String, String> environment) {
        Settings section = Settings.parse("replica", yaml);
        ReplicaIdentity identity = ReplicaIdentity.of(section, environment);
        section.check();
        return identity;
    }
}
