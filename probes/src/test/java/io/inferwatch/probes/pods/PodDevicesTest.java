package io.inferwatch.probes.pods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PodDevicesTest {
    @Test
    void onlyUuidsOfNvidiasResourcesCount() throws IOException {
        assertThat(PodDevices.of(Kubelet.pods(Kubelet.pod(
                        "llm",
                        "chat-0",
                        Kubelet.devices("nvidia.com/gpu", "GPU-1", "nvidia0"),
                        Kubelet.devices("rdma/hca", "GPU-2"),
                        Kubelet.devices("nvidia.com/mig-3g.40gb", "MIG-1")))))
                .isEqualTo(Map.of("GPU-1", new Pod("llm", "chat-0"), "MIG-1", new Pod("llm", "chat-0")));
    }

    @Test
    void aDeviceThatPodsShareIsNobodysAndTheSlicesOfOnePodAreItsDevice() throws IOException {
        assertThat(PodDevices.of(Kubelet.pods(
                        Kubelet.pod("llm", "a", Kubelet.devices("nvidia.com/gpu", "GPU-1::0")),
                        Kubelet.pod("llm", "b", Kubelet.devices("nvidia.com/gpu", "GPU-1::1")),
                        Kubelet.pod("llm", "c", Kubelet.devices("nvidia.com/gpu.shared", "GPU-2::0", "GPU-2::1")))))
                .isEqualTo(Map.of("GPU-2", new Pod("llm", "c")));
    }

    @Test
    void aMessageThatIsCutShortIsRefused() {
        byte[] whole = Kubelet.pods(Kubelet.pod("llm", "a", Kubelet.devices("nvidia.com/gpu", "GPU-1")));
        for (int length = 1; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> PodDevices.of(cut)).isInstanceOf(IOException.class);
        }
    }
}
