package io.inferwatch.probes.gpu.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Devices, processes and control groups as the kernel's files tell of them. */
class HostFilesTest {
    @TempDir
    private Path root;

    private HostFiles host;

    @BeforeEach
    void host() {
        host = new HostFiles(root.resolve("proc"), root.resolve("sys"), root.resolve("cgroup"));
    }

    @Test
    void addressesOfLargeDomainsKeepTheirDigits() throws IOException {
        file("sys/bus/pci/devices/10000:01:00.0/numa_node", "3\n");
        assertThat(DevicePlace.of(host, "00010000:01:00.0").numaNode())
                .as("five digits")
                .isEqualTo(3);
        file("sys/bus/pci/devices/0002:af:00.0/numa_node", "1\n");
        assertThat(DevicePlace.of(host, "00000002:AF:00.0").numaNode()).isEqualTo(1);
    }

    @Test
    void aDeviceThatTheKernelDoesNotShowIsNowhere() {
        assertThat(DevicePlace.of(host, "00000000:3B:00.0")).isEqualTo(DevicePlace.UNKNOWN);
    }

    @Test
    void aProcessThatIsGoneHasNothing() {
        assertThat(HostProcess.read(host, 1)).isEqualTo(new HostProcess(null, null, null, null, null, null));
        assertThat(HostProcess.proportionalBytes(host, 1)).isNull();
    }

    @Test
    void theGroupIsThatOfTheUnifiedHierarchy() throws IOException {
        file("proc/7/cgroup", "12:memory:/old\n1:name=systemd:/user.slice\n0::/kubepods.slice/pod.scope\n");
        assertThat(HostProcess.read(host, 7).cgroup()).isEqualTo("/kubepods.slice/pod.scope");
        file("proc/8/cgroup", "12:memory:/old\n");
        assertThat(HostProcess.read(host, 8).cgroup()).isNull();
    }

    @Test
    void limitsAreTheLeastOfTheGroupAndThoseAboveIt() throws IOException {
        file("cgroup/pods/memory.max", "5000\n");
        file("cgroup/pods/a/memory.max", "max\n");
        file("cgroup/pods/a/cpu.max", "max 100000\n");
        file("cgroup/pods/cpu.max", "150000 100000\n");
        file("cgroup/pods/a/memory.current", "77\n");
        assertThat(ControlGroup.read(host, "/pods/a")).isEqualTo(new ControlGroup(77L, 5_000L, null, null, 1_500_000L));
    }

    @Test
    void withoutLimitsThereIsNone() throws IOException {
        file("cgroup/a/memory.max", "max\n");
        file("cgroup/a/cpu.stat", "usage_usec 12\nuser_usec 10\nnr_throttled 0\nthrottled_usec 3\n");
        assertThat(ControlGroup.read(host, "/a")).isEqualTo(new ControlGroup(null, null, 12L, 3L, null));
    }

    @Test
    void aPathOutOfTheHierarchyIsItsRoot() throws IOException {
        file("memory.current", "1\n");
        file("cgroup/memory.current", "2\n");
        assertThat(ControlGroup.read(host, "/../..").memoryBytes()).isEqualTo(2);
    }

    private void file(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
