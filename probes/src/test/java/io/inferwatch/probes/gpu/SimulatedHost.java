package io.inferwatch.probes.gpu;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.NativeLibrary;
import io.inferwatch.probes.gpu.host.HostFiles;
import io.inferwatch.probes.gpu.nvml.NvmlException;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.settings.Settings;
import io.inferwatch.servers.Availability;
import io.inferwatch.servers.TestServers;
import io.inferwatch.simulation.gpu.SimulatedDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A host with simulated GPUs, files as of its kernel, and clocks that stand still: the sampler reads it through the true bindings. */
final class SimulatedHost implements AutoCloseable {
    static final Instant START = Instant.parse("2026-11-30T09:00:00.123456Z");

    private final Path directory;
    private final SimulatedDriver driver;
    private final GpuCounters counters = new GpuCounters();
    private final GpuSampler sampler;
    private long nanos;
    private Instant wall = START;

    private SimulatedHost(Path directory, SimulatedDriver driver, Settings settings) throws IOException {
        this.directory = directory;
        this.driver = driver;
        HostFiles files = new HostFiles(
                Files.createDirectories(directory.resolve("proc")),
                Files.createDirectories(directory.resolve("sys")),
                Files.createDirectories(directory.resolve("cgroup")));
        GpuSettings gpu = new GpuSettings(
                driver.nvml().toString(),
                Duration.ofSeconds(1),
                files,
                GpuOwners.of(settings, Map.of("NODE_NAME", "node-1")),
                Optional.empty(),
                Optional.empty());
        sampler = new GpuSampler(gpu, () -> nanos, () -> wall, counters);
    }

    /** Compiles the driver; skips the test where there is no compiler. */
    static SimulatedHost in(Path directory, String... compilerOptions) throws IOException {
        return with(directory, "", compilerOptions);
    }

    static SimulatedHost with(Path directory, String settings, String... compilerOptions) throws IOException {
        Path driver = Files.createDirectories(directory.resolve("driver"));
        return new SimulatedHost(
                directory,
                SimulatedDriver.compile(compiler(), driver, compilerOptions),
                Settings.parse("test", settings));
    }

    static Path compiler() {
        Availability<Path> compiler = TestServers.compiler();
        assumeTrue(compiler.isFound(), compiler.reason());
        return compiler.get();
    }

    SimulatedHost set(String key, Object value) throws IOException {
        driver.set(key, value);
        return this;
    }

    SimulatedHost unset(String key) throws IOException {
        driver.unset(key);
        return this;
    }

    /** A file of the host, under {@code proc}, {@code sys} or {@code cgroup}. */
    SimulatedHost file(String path, String text) throws IOException {
        Path file = directory.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        return this;
    }

    SimulatedHost started() throws NvmlException {
        sampler.start();
        return this;
    }

    GpuSampler sampler() {
        return sampler;
    }

    GpuCounters counters() {
        return counters;
    }

    /** The samples of a round a second later. */
    List<GpuSample> round() {
        return roundAfter(Duration.ofSeconds(1));
    }

    List<GpuSample> roundAfter(Duration pause) {
        nanos += pause.toNanos();
        wall = wall.plus(pause);
        return sampler.round();
    }

    /** The only sample of a round. */
    GpuSample sample() {
        List<GpuSample> samples = round();
        if (samples.size() != 1) {
            throw new AssertionError("one sample was expected, there are " + samples);
        }
        return samples.get(0);
    }

    void setClock(Duration ahead) {
        wall = wall.plus(ahead);
    }

    /** How often the driver was asked about a device. */
    int calls(int gpu) {
        return NativeLibrary.getInstance(driver.nvml().toString())
                .getFunction("simulatedCalls")
                .invokeInt(new Object[] {gpu});
    }

    static String uuid(int gpu) {
        return "GPU-%08d-0000-0000-0000-000000000000".formatted(gpu);
    }

    static String migUuid(int gpu, int instance) {
        return "MIG-%08d-0000-0000-0000-%012d".formatted(gpu, instance);
    }

    @Override
    public void close() {
        sampler.close();
    }
}
