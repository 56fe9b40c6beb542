package io.inferwatch.probes.gpu;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import jcuda.CudaException;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A short measurement with CUDA on a device that is at work: an empty kernel, copies within the device and to and from the host, the largest block that can be had. Holds at
 * most {@value #BUFFER_MIB} MiB beside what the driver takes for a context, and gives all of it back; begins no further step once {@value #LIMIT_MILLIS} ms have passed since
 * the first launch. Copies are timed by CUDA's events on the device, the launch by this host's clock until the kernel is known to be done, since that is what a server waits
 * for. One thread at a time.
 */
final class CudaCanary {
    static final int LIMIT_MILLIS = 20;
    static final int BUFFER_MIB = 56;

    private static final Logger LOG = LoggerFactory.getLogger(CudaCanary.class);
    private static final long MIB = 1L << 20;
    private static final long DEVICE_BYTES = 24 * MIB;
    private static final long HOST_BYTES = 8 * MIB;
    private static final int LAUNCHES = 21;
    private static final int DEVICE_COPIES = 4;
    private static final List<Long> BLOCK_MIB = List.of(48L, 32L, 16L, 8L, 4L, 2L, 1L);
    private static final String KERNEL = "nothing";
    /** Compiled by the driver for whatever device there is, from Volta on. */
    private static final String PTX = """
            .version 6.0
            .target sm_70
            .address_size 64
            .visible .entry %s() { ret; }
            """.formatted(KERNEL);

    /**
     * What was measured; null for what was not.
     *
     * @param atNanos when it was over, by the canary's clock
     */
    record Figures(
            CanaryResult result,
            @Nullable Long launchNanos,
            @Nullable Long deviceCopyBytesPerSecond,
            @Nullable Long hostToDeviceBytesPerSecond,
            @Nullable Long deviceToHostBytesPerSecond,
            @Nullable Long largestAllocatableBytes,
            long micros,
            long atNanos) {}

    private final LongSupplier nanoTime;

    private CudaCanary(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Loads CUDA's driver library.
     *
     * @throws CudaUnavailableException with one line for people when it is not there
     */
    static CudaCanary load(LongSupplier nanoTime) throws CudaUnavailableException {
        String directory = System.getProperty("java.io.tmpdir");
        Path own = null;
        try {
            own = Files.createTempDirectory("inferwatch-cuda-");
            // JCuda unpacks its library there under a fixed name, takes one that lies there already, and leaves it:
            // nobody else may put one there.
            System.setProperty("java.io.tmpdir", own.toString());
            JCudaDriver.setExceptionsEnabled(true);
            JCudaDriver.cuInit(0);
            return new CudaCanary(nanoTime);
        } catch (LinkageError | IOException e) {
            throw new CudaUnavailableException("CUDA not found: " + reason(e)
                    + "; the canary cannot run (it needs libcuda.so.1 on Linux, x86_64)");
        } catch (CudaException e) {
            throw new CudaUnavailableException("CUDA cannot be initialised: " + e.getMessage());
        } finally {
            System.setProperty("java.io.tmpdir", directory);
            delete(own);
        }
    }

    /** Measures the device at that PCI address. */
    Figures measure(String pciBusId) {
        long began = nanoTime.getAsLong();
        Deque<Runnable> undo = new ArrayDeque<>();
        try {
            return new Run(began, undo).measure(pciBusId);
        } catch (CudaException e) {
            LOG.warn("canary on {}: {}", pciBusId, e.getMessage());
            return new Figures(CanaryResult.FAILED, null, null, null, null, null, micros(began), nanoTime.getAsLong());
        } finally {
            giveBack(undo);
        }
    }

    /** One measurement: takes what it needs, and notes how it is given back. */
    private final class Run {
        private final long began;
        private final Deque<Runnable> undo;
        private long firstLaunchNanos;
        private boolean isCut;

        private Run(long began, Deque<Runnable> undo) {
            this.began = began;
            this.undo = undo;
        }

        private Figures measure(String pciBusId) {
            CUdevice device = new CUdevice();
            JCudaDriver.cuDeviceGetByPCIBusId(device, pciBusId);
            CUcontext context = new CUcontext();
            JCudaDriver.cuCtxCreate(context, 0, device);
            undo.push(() -> JCudaDriver.cuCtxDestroy(context));
            CUfunction kernel = kernel();
            CUevent start = event();
            CUevent end = event();
            Deque<Runnable> buffers = new ArrayDeque<>();
            undo.push(() -> giveBack(buffers));
            CUdeviceptr source = block(DEVICE_BYTES, buffers);
            CUdeviceptr target = block(DEVICE_BYTES, buffers);
            Pointer host = new Pointer();
            JCudaDriver.cuMemAllocHost(host, HOST_BYTES);
            buffers.push(() -> JCudaDriver.cuMemFreeHost(host));

            firstLaunchNanos = nanoTime.getAsLong();
            Long launch = step(() -> launch(kernel));
            Long deviceCopy = step(() -> rate(start, end, 2 * DEVICE_BYTES * DEVICE_COPIES, () -> {
                for (int i = 0; i < DEVICE_COPIES; i++) {
                    JCudaDriver.cuMemcpyDtoDAsync(target, source, DEVICE_BYTES, null);
                }
            }));
            Long toDevice = step(() ->
                    rate(start, end, HOST_BYTES, () -> JCudaDriver.cuMemcpyHtoDAsync(source, host, HOST_BYTES, null)));
            Long toHost = step(() ->
                    rate(start, end, HOST_BYTES, () -> JCudaDriver.cuMemcpyDtoHAsync(host, source, HOST_BYTES, null)));
            giveBack(buffers);
            Long largest = step(Run::largestBlock);
            return new Figures(
                    isCut ? CanaryResult.CUT_SHORT : CanaryResult.WHOLE,
                    launch,
                    deviceCopy,
                    toDevice,
                    toHost,
                    largest,
                    micros(began),
                    nanoTime.getAsLong());
        }

        private interface Step {
            @Nullable
            Long measure();
        }

        private @Nullable Long step(Step step) {
            if (nanoTime.getAsLong() - firstLaunchNanos > TimeUnit.MILLISECONDS.toNanos(LIMIT_MILLIS)) {
                isCut = true;
                return null;
            }
            return step.measure();
        }

        private CUfunction kernel() {
            CUmodule module = new CUmodule();
            JCudaDriver.cuModuleLoadData(module, PTX);
            undo.push(() -> JCudaDriver.cuModuleUnload(module));
            CUfunction kernel = new CUfunction();
            JCudaDriver.cuModuleGetFunction(kernel, module, KERNEL);
            return kernel;
        }

        private CUevent event() {
            CUevent event = new CUevent();
            JCudaDriver.cuEventCreate(event, 0);
            undo.push(() -> JCudaDriver.cuEventDestroy(event));
            return event;
        }

        private static CUdeviceptr block(long bytes, Deque<Runnable> buffers) {
            CUdeviceptr block = new CUdeviceptr();
            JCudaDriver.cuMemAlloc(block, bytes);
            buffers.push(() -> JCudaDriver.cuMemFree(block));
            return block;
        }

        /** The median of some, without the first, which is always slower. */
        private Long launch(CUfunction kernel) {
            long[] nanos = new long[LAUNCHES];
            for (int i = 0; i < LAUNCHES; i++) {
                long before = nanoTime.getAsLong();
                JCudaDriver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, null, null, null);
                JCudaDriver.cuStreamSynchronize(null);
                nanos[i] = nanoTime.getAsLong() - before;
            }
            long[] sorted = Arrays.copyOfRange(nanos, 1, LAUNCHES);
            Arrays.sort(sorted);
            return sorted[sorted.length / 2];
        }

        private static @Nullable Long rate(CUevent start, CUevent end, long bytes, Runnable copies) {
            JCudaDriver.cuEventRecord(start, null);
            copies.run();
            JCudaDriver.cuEventRecord(end, null);
            JCudaDriver.cuEventSynchronize(end);
            float[] millis = new float[1];
            JCudaDriver.cuEventElapsedTime(millis, start, end);
            // Not a number, negative or nothing at all is an error of the clock, and no speed.
            return millis[0] > 0 && Float.isFinite(millis[0])
                    ? Long.valueOf(Math.round(bytes * 1e3 / millis[0]))
                    : null;
        }

        /** The greatest of a few sizes; null where not even the least could be had. */
        private static @Nullable Long largestBlock() {
            for (long mib : BLOCK_MIB) {
                CUdeviceptr block = new CUdeviceptr();
                try {
                    JCudaDriver.cuMemAlloc(block, mib * MIB);
                } catch (CudaException e) {
                    continue;
                }
                JCudaDriver.cuMemFree(block);
                return mib * MIB;
            }
            return null;
        }
    }

    private static void giveBack(Deque<Runnable> undo) {
        while (!undo.isEmpty()) {
            try {
                undo.pop().run();
            } catch (CudaException e) {
                LOG.warn("canary: could not give back what it took: {}", e.getMessage());
            }
        }
    }

    private long micros(long sinceNanos) {
        return (nanoTime.getAsLong() - sinceNanos) / 1_000;
    }

    /** The linker's words out of JCuda's page of them. */
    private static String reason(Throwable error) {
        return String.valueOf(error.getMessage())
                .lines()
                .filter(line -> line.contains("libcuda.so"))
                .map(line -> line.substring(line.indexOf("libcuda.so")).strip())
                .findFirst()
                .orElseGet(() -> error.toString().lines().findFirst().orElse("unknown"));
    }

    /** The library stays mapped when its file is gone. */
    private static void delete(@Nullable Path directory) {
        if (directory == null) {
            return;
        }
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(directory);
        } catch (IOException | UncheckedIOException e) {
            LOG.warn("canary: cannot remove {}: {}", directory, e.toString());
        }
    }
}
