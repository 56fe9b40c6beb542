package io.inferwatch.probes.gpu;

import io.inferwatch.probes.gpu.CudaCanary.Figures;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.GpuState;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a canary on each device when it is due and there is room, one at a time and on a thread of its own, so that a slow one holds no sample up; puts what it found into the
 * device's next sample. What became of each that was due is counted.
 */
final class CanaryTimer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CanaryTimer.class);

    private final CudaCanary canary;
    private final GpuSettings.Canary settings;
    private final GpuCounters counters;
    private final LongSupplier nanoTime;
    private final Map<String, Long> dueAtNanos = new HashMap<>();
    private final Map<String, Figures> found = new ConcurrentHashMap<>();
    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
        Thread canaryThread = new Thread(task, "inferwatch-gpu-canary");
        canaryThread.setDaemon(true);
        return canaryThread;
    });

    CanaryTimer(CudaCanary canary, GpuSettings.Canary settings, GpuCounters counters, LongSupplier nanoTime) {
        this.canary = canary;
        this.settings = settings;
        this.counters = counters;
        this.nanoTime = nanoTime;
    }

    /** Adds what was found since, and begins the next where it is due. */
    void attend(GpuSample sample, @Nullable Target device) {
        if (sample.getMigId() != null) {
            return;
        }
        Figures figures = found.remove(sample.getGpu());
        if (figures != null) {
            add(figures, sample);
        }
        long now = nanoTime.getAsLong();
        Long due = dueAtNanos.get(sample.getGpu());
        if (due != null && now - due < 0) {
            return;
        }
        dueAtNanos.put(sample.getGpu(), now + settings.interval().toNanos());
        String pciBusId = device == null ? null : device.identity().pciBusId();
        if (sample.getState() != GpuState.OK || pciBusId == null || isSplit(device)) {
            counters.canary(CanaryResult.NOT_ON_THIS_DEVICE);
        } else if (sample.getFreeBytes() == null || sample.getFreeBytes() < settings.leastFreeBytes()) {
            counters.canary(CanaryResult.NO_ROOM);
        } else {
            thread.execute(() -> run(sample.getGpu(), pciBusId));
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }

    private static boolean isSplit(@Nullable Target device) {
        return device != null && !device.device().migInstances().isEmpty();
    }

    private void run(String gpu, String pciBusId) {
        try {
            Figures figures = canary.measure(pciBusId);
            counters.canary(figures.result());
            found.put(gpu, figures);
        } catch (RuntimeException | LinkageError e) {
            counters.canary(CanaryResult.FAILED);
            LOG.warn("canary on GPU {} failed", gpu, e);
        }
    }

    private void add(Figures figures, GpuSample sample) {
        if (figures.result() == CanaryResult.FAILED) {
            return;
        }
        sample.setOrigin(sample.getOrigin() + "+canary");
        sample.setLaunchNanos(figures.launchNanos());
        sample.setDeviceCopyBytesPerSecond(figures.deviceCopyBytesPerSecond());
        sample.setHostToDeviceBytesPerSecond(figures.hostToDeviceBytesPerSecond());
        sample.setDeviceToHostBytesPerSecond(figures.deviceToHostBytesPerSecond());
        sample.setLargestAllocatableBytes(figures.largestAllocatableBytes());
        sample.setCanaryMicros(figures.micros());
        long ageMicros = Math.max(0, nanoTime.getAsLong() - figures.atNanos()) / 1_000;
        for (String field : new String[] {
            "launchNanos",
            "deviceCopyBytesPerSecond",
            "hostToDeviceBytesPerSecond",
            "deviceToHostBytesPerSecond",
            "largestAllocatableBytes",
            "canaryMicros"
        }) {
            if (sample.get(field) != null) {
                sample.getAgesMicros().put(field, ageMicros);
            }
        }
    }
}
