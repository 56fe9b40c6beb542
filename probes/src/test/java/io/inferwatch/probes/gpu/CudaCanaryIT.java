package io.inferwatch.probes.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.jna.NativeLibrary;
import io.inferwatch.probes.gpu.CudaCanary.Figures;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.GpuState;
import io.inferwatch.simulation.gpu.SimulatedDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The canary through JCuda's true binding, on a simulated libcuda. */
class CudaCanaryIT {
    private static final String DEVICE = "00000000:3B:00.0";
    private static final long MIB = 1L << 20;

    // The library stays loaded.
    @TempDir(cleanup = CleanupMode.NEVER)
    private static Path directory;

    private static SimulatedDriver driver;
    private static NativeLibrary library;
    private static CudaCanary canary;
    private static List<String> leftBehind;
    private static long nanos;
    private static long nanosPerLook;

    /** A clock that goes on whenever it is looked at, which the canary does before and after each launch. */
    private static long tick() {
        nanos += nanosPerLook;
        return nanos;
    }

    @BeforeAll
    static void load() throws Exception {
        driver = SimulatedDriver.compile(SimulatedHost.compiler(), directory);
        // JCuda's library asks for libcuda.so.1, by which name this one is loaded from now on.
        library = NativeLibrary.getInstance(driver.cuda().toString());
        List<String> before = temporaryFiles();
        canary = CudaCanary.load(CudaCanaryIT::tick);
        leftBehind = temporaryFiles();
        leftBehind.removeAll(before);
    }

    @BeforeEach
    void healthy() throws IOException {
        nanosPerLook = 7_000;
        for (String key : List.of("room", "cuMemcpyDtoDAsync_v2", "cuDeviceGetByPCIBusId")) {
            driver.unset(key);
        }
        driver.set("dtod", 3_000_000_000_000L).set("htod", 25_000_000_000L).set("dtoh", 20_000_000_000L);
    }

    @Test
    void loadingLeavesNoLibraryInTheTemporaryDirectory() {
        assertThat(leftBehind).noneMatch(name -> name.contains("JCuda") || name.contains("inferwatch-cuda"));
    }

    @Test
    void measuresByCudasEvents() {
        Figures figures = canary.measure(DEVICE);
        assertThat(figures.result()).isEqualTo(CanaryResult.WHOLE);
        assertThat(figures.launchNanos()).isEqualTo(7_000);
        assertThat(figures.deviceCopyBytesPerSecond()).isCloseTo(3_000_000_000_000L, Percentage.withPercentage(0.01));
        assertThat(figures.hostToDeviceBytesPerSecond()).isCloseTo(25_000_000_000L, Percentage.withPercentage(0.01));
        assertThat(figures.deviceToHostBytesPerSecond()).isCloseTo(20_000_000_000L, Percentage.withPercentage(0.01));
        assertThat(figures.largestAllocatableBytes()).isEqualTo(48 * MIB);
        assertThat(figures.micros()).isPositive();
        assertThat(held()).isZero();
        assertThat(function("simulatedHandles")).as("contexts, modules, events").isZero();
        assertThat(function("simulatedPeakBytes")).isPositive().isLessThan(64 * MIB);
    }

    @Test
    void theLargestBlockIsOfWhatThereIsRoomFor() throws IOException {
        // Room for the buffers, which are given back before, and no more.
        driver.set("room", 57 * MIB);
        assertThat(canary.measure(DEVICE).largestAllocatableBytes()).isEqualTo(48 * MIB);
        driver.set("room", 20 * MIB);
        Figures tooSmall = canary.measure(DEVICE);
        assertThat(tooSmall.result()).isEqualTo(CanaryResult.FAILED);
        assertThat(tooSmall.deviceCopyBytesPerSecond()).isNull();
        assertThat(held()).isZero();
    }

    @Test
    void aSlowDeviceCutsItShort() {
        // 21 launches take 21 ms: the limit is over before anything else.
        nanosPerLook = 500_000;
        Figures figures = canary.measure(DEVICE);
        assertThat(figures.result()).isEqualTo(CanaryResult.CUT_SHORT);
        assertThat(figures.launchNanos()).isEqualTo(500_000);
        assertThat(figures.deviceCopyBytesPerSecond()).isNull();
        assertThat(figures.hostToDeviceBytesPerSecond()).isNull();
        assertThat(figures.deviceToHostBytesPerSecond()).isNull();
        assertThat(figures.largestAllocatableBytes()).isNull();
        assertThat(held()).isZero();
    }

    @Test
    void whatCudaRefusesIsAFailureThatGivesEverythingBack() throws IOException {
        driver.set("cuMemcpyDtoDAsync_v2", 719);
        assertThat(canary.measure(DEVICE).result()).isEqualTo(CanaryResult.FAILED);
        assertThat(held()).isZero();
        assertThat(function("simulatedHandles")).isZero();
    }

    @Test
    void itRunsWhereItIsDueAndThereIsRoom(@TempDir Path other) throws Exception {
        GpuCounters counters = new GpuCounters();
        long[] now = {0};
        try (SimulatedHost host = SimulatedHost.in(other).started();
                CanaryTimer timer = new CanaryTimer(
                        canary, new GpuSettings.Canary(Duration.ofMinutes(5), 2_048 * MIB), counters, () -> now[0])) {
            host.round();
            Target device = host.sampler().whole(SimulatedHost.uuid(0));

            timer.attend(sample(2_048 * MIB - 1), device);
            assertThat(counters.canaries()).containsEntry(CanaryResult.NO_ROOM, 1L);
            now[0] += TimeUnit.SECONDS.toNanos(299);
            timer.attend(sample(2_048 * MIB), device);
            now[0] += TimeUnit.SECONDS.toNanos(1);
            timer.attend(sample(2_048 * MIB), device);
            await().until(() -> counters.canaries().get(CanaryResult.WHOLE) == 1);

            GpuSample next = sample(2_048 * MIB);
            await().until(() -> {
                timer.attend(next, device);
                return next.getCanaryMicros() != null;
            });
            assertThat(next.getOrigin()).isEqualTo("nvml+canary");
            assertThat(next.getHostToDeviceBytesPerSecond()).isNotNull();
            assertThat(next.getAgesMicros())
                    .containsOnlyKeys(
                            "launchNanos",
                            "deviceCopyBytesPerSecond",
                            "hostToDeviceBytesPerSecond",
                            "deviceToHostBytesPerSecond",
                            "largestAllocatableBytes",
                            "canaryMicros");

            GpuSample after = sample(2_048 * MIB);
            timer.attend(after, device);
            assertThat(after.getCanaryMicros()).as("told once").isNull();
            host.set("mig", 1);
            now[0] += TimeUnit.MINUTES.toNanos(5);
            timer.attend(sample(2_048 * MIB), device);
            assertThat(counters.canaries()).containsEntry(CanaryResult.NOT_ON_THIS_DEVICE, 1L);
        }
    }

    private static GpuSample sample(long freeBytes) {
        GpuSample sample = new GpuSample();
        sample.setGpu(SimulatedHost.uuid(0));
        sample.setState(GpuState.OK);
        sample.setOrigin("nvml");
        sample.setFreeBytes(freeBytes);
        sample.setAgesMicros(new HashMap<>());
        return sample;
    }

    private static long held() {
        return function("simulatedHeldBytes");
    }

    private static long function(String name) {
        return library.getFunction(name).invokeLong(new Object[0]);
    }

    private static List<String> temporaryFiles() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return new ArrayList<>(
                    files.map(file -> file.getFileName().toString()).toList());
        }
    }
}
