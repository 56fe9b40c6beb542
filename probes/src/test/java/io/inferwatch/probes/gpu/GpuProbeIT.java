package io.inferwatch.probes.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inferwatch.probes.EventList;
import io.inferwatch.probes.gpu.host.HostFiles;
import io.inferwatch.probes.pods.Kubelet;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.settings.Settings;
import io.inferwatch.simulation.gpu.SimulatedDriver;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The probe as a part of another's process: its own thread and rhythm. */
class GpuProbeIT {
    @TempDir
    private Path directory;

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final EventList publisher = new EventList();

    @Test
    @SuppressWarnings("try") // the probe runs by itself
    void samplesAtItsIntervalAndCountsRoundsThatTakeLonger() throws Exception {
        SimulatedDriver driver = SimulatedDriver.compile(SimulatedHost.compiler(), directory);
        try (GpuProbe probe = GpuProbe.startIfPresent(settings(driver.nvml().toString()), publisher, registry)
                .orElseThrow()) {
            await().until(() -> publisher.all(GpuSample.class).size() >= 3);
            assertThat(publisher.all(GpuSample.class)).allSatisfy(sample -> {
                assertThat(sample.getGpu()).isEqualTo(SimulatedHost.uuid(0));
                assertThat(sample.getIntervalMicros()).isEqualTo(100_000);
            });
            double overruns = counter("inferwatch_gpu_round_overruns");
            driver.set("delay-millis", 150);
            await().until(() -> counter("inferwatch_gpu_round_overruns") >= overruns + 2);
        }
        int samples = publisher.all(GpuSample.class).size();
        assertThat(counter("inferwatch_gpu_samples")).isEqualTo(samples);
        assertThat(registry.scrape().stream())
                .as("every counter is on the page")
                .hasSize(8);
    }

    @Test
    @SuppressWarnings("try") // the probe runs by itself
    void aSampleSaysThePodThatTheKubeletNames() throws Exception {
        SimulatedDriver driver = SimulatedDriver.compile(SimulatedHost.compiler(), directory);
        Path socket = directory.resolve("kubelet.sock");
        try (Kubelet kubelet = Kubelet.listening(socket)) {
            kubelet.answer(Kubelet.pods(
                    Kubelet.pod("llm", "chat-0", Kubelet.devices("nvidia.com/gpu", SimulatedHost.uuid(0)))));
            GpuSettings settings = settings(driver.nvml().toString(), Optional.of(socket));
            try (GpuProbe probe =
                    GpuProbe.startIfPresent(settings, publisher, registry).orElseThrow()) {
                await().until(() ->
                        publisher.all(GpuSample.class).stream().anyMatch(sample -> "chat-0".equals(sample.getPod())));
            }
        }
        assertThat(publisher.all(GpuSample.class))
                .filteredOn(sample -> "chat-0".equals(sample.getReplica()))
                .isNotEmpty()
                .allSatisfy(sample -> assertThat(sample.getNode()).isEqualTo("n1"));
        assertThat(counter("inferwatch_gpu_pod_resources_failures")).isZero();
    }

    @Test
    void withoutADriverTheOtherProbeGoesOn() {
        assertThat(GpuProbe.startIfPresent(settings("libnvidia-ml-that-is-nowhere.so.1"), publisher, registry))
                .isEmpty();
    }

    private GpuSettings settings(String library) {
        return settings(library, Optional.empty());
    }

    private GpuSettings settings(String library, Optional<Path> podResources) {
        return new GpuSettings(
                library,
                Duration.ofMillis(100),
                new HostFiles(directory, directory, directory),
                GpuOwners.of(Settings.parse("none", ""), Map.of("NODE_NAME", "n1")),
                Optional.empty(),
                podResources);
    }

    private double counter(String name) {
        return registry.scrape().stream()
                .filter(snapshot -> snapshot.getMetadata().getName().equals(name))
                .map(CounterSnapshot.class::cast)
                .mapToDouble(snapshot -> snapshot.getDataPoints().get(0).getValue())
                .findFirst()
                .orElseThrow();
    }
}
