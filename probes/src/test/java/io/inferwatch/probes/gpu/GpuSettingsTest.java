package io.inferwatch.probes.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.probes.gpu.host.HostFiles;
import io.inferwatch.probes.pods.Pod;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.schemas.settings.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GpuSettingsTest {
    @Test
    void defaults() {
        GpuSettings settings = settings("", false);
        assertThat(settings.library()).isEqualTo("libnvidia-ml.so.1");
        assertThat(settings.interval()).isEqualTo(Duration.ofSeconds(1));
        assertThat(settings.host())
                .isEqualTo(new HostFiles(Path.of("/proc"), Path.of("/sys"), Path.of("/sys/fs/cgroup")));
        assertThat(settings.canary()).isEmpty();
        assertThat(settings("", true).canary()).contains(new GpuSettings.Canary(Duration.ofMinutes(5), 2_147_483_648L));
    }

    @Test
    void everyKey() {
        GpuSettings settings = settings("""
                host: {proc: /host/proc, sys: /host/sys, cgroup: /host/cgroup}
                canary: {interval: 1m, least-free-mib: 512}
                replicas:
                  chat-0: {gpu-uuids: [GPU-1], mig-id: MIG-9, node: n, pod: p, region: r, pool: o, model: m, version: v, cluster: c, service: s}
                """, true);
        assertThat(settings.host())
                .isEqualTo(new HostFiles(Path.of("/host/proc"), Path.of("/host/sys"), Path.of("/host/cgroup")));
        assertThat(settings.canary()).contains(new GpuSettings.Canary(Duration.ofMinutes(1), 536_870_912L));
        GpuSample sample = sample("GPU-1");
        settings.owners().fill(sample);
        assertThat(sample)
                .extracting(
                        GpuSample::getReplica,
                        GpuSample::getNode,
                        GpuSample::getPod,
                        GpuSample::getRegion,
                        GpuSample::getPool,
                        GpuSample::getModel,
                        GpuSample::getVersion,
                        GpuSample::getCluster,
                        GpuSample::getService)
                .containsExactly("chat-0", "n", "p", "r", "o", "m", "v", "c", "s");
    }

    @Test
    void everyProblemIsInOneReport() {
        Settings root = Settings.parse("gpu.yaml", """
                replicas:
                  a: {gpu-uuids: [GPU-1]}
                  b: {gpu-uuids: [GPU-1]}
                  c: {pool: x}
                canary: {interval: 1ms, least-free-mib: 1}
                hosts: {}
                """);
        GpuSettings.of(root, Duration.ofSeconds(1), false, Optional.empty(), Map.of());
        assertThatThrownBy(root::check)
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessage("""
                        gpu.yaml:
                          canary.interval: must be a duration between 1s and 24h such as 10s, found '1ms'
                          canary.least-free-mib: must be a whole number between 256 and 1048576, found 1
                          replicas.b.gpu-uuids: must be of one replica alone, found GPU-1 twice
                          replicas.c.gpu-uuids: must be a list of GPU-… or MIG-…, or pod given, found neither
                          hosts: unknown key, did you mean 'host'?""");
    }

    @Test
    void besideAServerItsReplicaHasAllDevices() {
        GpuSample sample = sample("GPU-5");
        GpuSettings.of(
                        Settings.parse("none", ""),
                        Duration.ofSeconds(1),
                        false,
                        Optional.empty(),
                        Map.of("INFERWATCH_REPLICA", "chat-3", "INFERWATCH_POOL", "h100", "NODE_NAME", "n7"))
                .owners()
                .fill(sample);
        assertThat(sample.getReplica()).isEqualTo("chat-3");
        assertThat(sample.getPool()).isEqualTo("h100");
        assertThat(sample.getNode()).isEqualTo("n7");
    }

    @Test
    void aHostsProbeSaysWhereItIs() {
        GpuSample sample = sample("GPU-5");
        GpuSettings.of(
                        Settings.parse("none", ""),
                        Duration.ofSeconds(1),
                        false,
                        Optional.empty(),
                        Map.of("INFERWATCH_REGION", "eu", "INFERWATCH_CLUSTER", "k1", "HOSTNAME", "h"))
                .owners()
                .fill(sample);
        assertThat(sample.getReplica()).isNull();
        assertThat(sample)
                .extracting(GpuSample::getNode, GpuSample::getRegion, GpuSample::getCluster)
                .containsExactly("h", "eu", "k1");
    }

    @Test
    void thePodThatHoldsADeviceIsItsReplicaUnlessTheSettingsSayWhose() {
        Map<String, Pod> holders = Map.of(
                "GPU-1", new Pod("llm", "chat-0"), "MIG-2", new Pod("llm", "chat-1"), "GPU-9", new Pod("llm", "x"));
        Settings root = Settings.parse("gpu.yaml", """
                replicas:
                  listed: {gpu-uuids: [GPU-9]}
                  named: {pod: chat-1, pool: h100}
                """);
        // The probe's own pod is not that of the replicas.
        GpuOwners owners = GpuOwners.of(root, Map.of("NODE_NAME", "n1", "POD_NAME", "probe-x"))
                .with(holders::get);
        root.check();
        GpuSample whole = sample("GPU-1");
        GpuSample instance = sample("GPU-1");
        instance.setMigId("MIG-2");
        GpuSample listed = sample("GPU-9");
        GpuSample free = sample("GPU-7");
        for (GpuSample each : new GpuSample[] {whole, instance, listed, free}) {
            owners.fill(each);
            assertThat(each.getNode()).isEqualTo("n1");
        }
        assertThat(whole.getReplica()).isEqualTo("chat-0");
        assertThat(whole.getPod()).isEqualTo("chat-0");
        assertThat(instance.getReplica()).isEqualTo("named");
        assertThat(instance.getPod()).isEqualTo("chat-1");
        assertThat(instance.getPool()).isEqualTo("h100");
        assertThat(listed.getReplica()).isEqualTo("listed");
        assertThat(listed.getPod()).isNull();
        assertThat(free.getReplica()).isNull();
        assertThat(free.getPod()).isNull();
    }

    private static GpuSettings settings(String text, boolean withCanary) {
        Settings root = Settings.parse("gpu.yaml", text);
        GpuSettings settings = GpuSettings.of(root, Duration.ofSeconds(1), withCanary, Optional.empty(), Map.of());
        root.check();
        return settings;
    }

    private static GpuSample sample(String uuid) {
        GpuSample sample = new GpuSample();
        sample.setGpu(uuid);
        return sample;
    }
}
