package io.inferwatch.probes.gpu;

import io.inferwatch.probes.gpu.host.HostFiles;
import io.inferwatch.probes.gpu.nvml.Nvml;
import io.inferwatch.probes.pods.PodResources;
import io.inferwatch.schemas.settings.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * How the GPU probe works.
 *
 * @param library NVML's name for the linker, or the path of a file
 * @param interval between samples of a device
 * @param canary how often CUDA is measured, if at all
 * @param podResources the kubelet's socket, which says whose devices are
 */
public record GpuSettings(
        String library,
        Duration interval,
        HostFiles host,
        GpuOwners owners,
        Optional<Canary> canary,
        Optional<Path> podResources) {
    static final Duration SHORTEST = Duration.ofMillis(100);
    static final Duration LONGEST = Duration.ofMinutes(1);

    private static final Duration DEFAULT_CANARY = Duration.ofMinutes(5);
    private static final long DEFAULT_FREE_MIB = 2_048;

    /**
     * The CUDA canary.
     *
     * @param interval between two canaries of a device
     * @param leastFreeBytes free device memory below which it does not run
     */
    public record Canary(Duration interval, long leastFreeBytes) {}

    /** Reads the sections {@code replicas}, {@code host} and {@code canary} of a settings file. Problems are the sections'. */
    public static GpuSettings of(
            Settings root,
            Duration interval,
            boolean withCanary,
            Optional<Path> podResources,
            Map<String, String> environment) {
        Settings host = root.section("host");
        Settings canary = root.section("canary");
        Duration pause = Objects.requireNonNullElse(
                canary.duration("interval", Duration.ofSeconds(1), Duration.ofDays(1), DEFAULT_CANARY), DEFAULT_CANARY);
        long leastFreeMib = canary.integer("least-free-mib", 256, 1 << 20, DEFAULT_FREE_MIB);
        return new GpuSettings(
                Nvml.LIBRARY,
                interval,
                new HostFiles(
                        Path.of(host.text("proc", "/proc")),
                        Path.of(host.text("sys", "/sys")),
                        Path.of(host.text("cgroup", "/sys/fs/cgroup"))),
                GpuOwners.of(root, environment),
                withCanary ? Optional.of(new Canary(pause, leastFreeMib << 20)) : Optional.empty(),
                podResources);
    }

    /** The same, with pods that hold devices. */
    GpuSettings with(PodResources pods) {
        return new GpuSettings(library, interval, host, owners.with(pods::holder), canary, podResources);
    }
}
