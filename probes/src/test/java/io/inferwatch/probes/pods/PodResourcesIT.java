package io.inferwatch.probes.pods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kubelet's answers over its Unix socket. */
class PodResourcesIT {
    private static final Duration EVERY = Duration.ofMillis(20);

    @TempDir
    private Path directory;

    @Test
    void whoHoldsWhichDeviceFollowsThePods() {
        Path socket = directory.resolve("kubelet.sock");
        try (Kubelet kubelet = Kubelet.listening(socket);
                PodResources pods = PodResources.watch(socket, EVERY)) {
            kubelet.answer(Kubelet.pods(
                    Kubelet.pod("llm", "chat-0", Kubelet.devices("nvidia.com/gpu", "GPU-1", "GPU-2")),
                    Kubelet.pod("llm", "chat-1", Kubelet.devices("nvidia.com/mig-1g.10gb", "MIG-3")),
                    Kubelet.pod("kube-system", "agent")));
            await().until(() -> pods.holder("MIG-3") != null);
            assertThat(pods.holder("GPU-1")).isEqualTo(new Pod("llm", "chat-0"));
            assertThat(pods.holder("GPU-2")).isEqualTo(new Pod("llm", "chat-0"));
            assertThat(pods.holder("MIG-3")).isEqualTo(new Pod("llm", "chat-1"));
            assertThat(pods.holder("GPU-4")).isNull();
            assertThat(kubelet.asked().get(0))
                    .isEqualTo("POST /v1.PodResourcesLister/List application/grpc trailers 5");

            kubelet.answer(Kubelet.pods(Kubelet.pod("llm", "chat-2", Kubelet.devices("nvidia.com/gpu", "GPU-1"))));
            await().until(() -> new Pod("llm", "chat-2").equals(pods.holder("GPU-1")));
            assertThat(pods.holder("MIG-3")).isNull();
            assertThat(pods.failures()).isZero();
        }
    }

    @Test
    void aKubeletThatRefusesGarblesOrGoesIsCountedAndItsLastAnswerStays() {
        Path socket = directory.resolve("kubelet.sock");
        try (PodResources pods = PodResources.watch(socket, EVERY)) {
            await().until(() -> pods.failures() > 0);
            try (Kubelet kubelet = Kubelet.listening(socket)) {
                kubelet.answer(Kubelet.pods(Kubelet.pod("llm", "chat-0", Kubelet.devices("nvidia.com/gpu", "GPU-1"))));
                await().until(() -> pods.holder("GPU-1") != null);
                long before = pods.failures();
                kubelet.refuse(14);
                await().until(() -> pods.failures() > before);
                assertThat(pods.holder("GPU-1")).isNotNull();
                long refused = pods.failures();
                kubelet.answer(new byte[] {0x0a, 0x7f});
                await().until(() -> pods.failures() > refused + 1);
                assertThat(pods.holder("GPU-1")).isNotNull();
            }
            long gone = pods.failures();
            await().until(() -> pods.failures() > gone);
            assertThat(pods.holder("GPU-1")).isEqualTo(new Pod("llm", "chat-0"));
        }
    }
}
