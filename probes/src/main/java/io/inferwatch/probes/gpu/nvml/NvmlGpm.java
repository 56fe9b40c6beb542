package io.inferwatch.probes.gpu.nvml;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Performance counters of one device or MIG instance (Hopper and later): every {@link #window()} is of the time since the one before, and all of its metrics are of that
 * same time. The first has nothing to compare with and answers {@link NvmlStatus#NO_DATA}.
 */
public final class NvmlGpm implements AutoCloseable {
    private static final int VERSION = 1;
    private static final int HEAD_BYTES = 24;
    private static final int METRIC_BYTES = 40;
    /** Of the structure's array as of driver 550: a library may copy all of it, however few are asked for. */
    private static final int METRICS_IN_STRUCTURE = 333;

    private final NvmlDevice device;
    private final @Nullable Integer gpuInstanceId;
    private final Memory request = new Memory(HEAD_BYTES + (long) METRIC_BYTES * METRICS_IN_STRUCTURE);
    private Pointer before;
    private Pointer now;
    private boolean hasBefore;

    /** What is asked for: percent, or MiB/s. */
    public enum Metric {
        /** Graphics or compute engine active. */
        ENGINE(1),
        /** Multiprocessors with a warp. */
        SM(2),
        /** Warps resident. */
        OCCUPANCY(3),
        /** Any tensor pipe. */
        TENSOR(5),
        /** Bandwidth of device memory, of its peak. */
        DRAM(10),
        /** FP64 pipe. */
        FP64(11),
        /** FP32 pipe. */
        FP32(12),
        /** FP16 pipe. */
        FP16(13),
        /** Sent by PCIe, MiB/s. */
        PCIE_SENT(20),
        /** Received by PCIe, MiB/s. */
        PCIE_RECEIVED(21);

        private final int id;

        Metric(int id) {
            this.id = id;
        }
    }

    private NvmlGpm(NvmlDevice device, @Nullable Integer gpuInstanceId, Pointer before, Pointer now) {
        this.device = device;
        this.gpuInstanceId = gpuInstanceId;
        this.before = before;
        this.now = now;
    }

    static Optional<NvmlGpm> of(NvmlDevice device, @Nullable Integer gpuInstanceId) {
        NvmlLibrary library = device.library();
        Memory support = new Memory(8);
        support.setInt(0, VERSION);
        support.setInt(4, 0);
        if (library.call("nvmlGpmQueryDeviceSupport", device.handle(), support) == NvmlStatus.SUCCESS
                && support.getInt(4) == 1
                && library.handle("nvmlGpmSampleAlloc") instanceof Answer.Value<Pointer> first) {
            if (library.handle("nvmlGpmSampleAlloc") instanceof Answer.Value<Pointer> second) {
                return Optional.of(new NvmlGpm(device, gpuInstanceId, first.value(), second.value()));
            }
            var unused = library.call("nvmlGpmSampleFree", first.value());
        }
        return Optional.empty();
    }

    /** The time since the last call; a metric that the device lacks is left out. */
    public Answer<Map<Metric, Double>> window() {
        NvmlLibrary library = device.library();
        NvmlStatus status = gpuInstanceId == null
                ? library.call("nvmlGpmSampleGet", device.handle(), now)
                : library.call("nvmlGpmMigSampleGet", device.handle(), gpuInstanceId, now);
        if (status != NvmlStatus.SUCCESS) {
            return new Answer.Refused<>(status);
        }
        if (hasBefore) {
            status = compare(library);
        }
        Answer<Map<Metric, Double>> window = !hasBefore || status != NvmlStatus.SUCCESS
                ? new Answer.Refused<>(hasBefore ? status : NvmlStatus.NO_DATA)
                : new Answer.Value<>(metrics());
        Pointer oldest = before;
        before = now;
        now = oldest;
        hasBefore = true;
        return window;
    }

    @Override
    public void close() {
        var unused = device.library().call("nvmlGpmSampleFree", before);
        var unusedToo = device.library().call("nvmlGpmSampleFree", now);
    }

    private NvmlStatus compare(NvmlLibrary library) {
        request.clear();
        request.setInt(0, VERSION);
        request.setInt(4, Metric.values().length);
        request.setPointer(8, before);
        request.setPointer(16, now);
        for (Metric metric : Metric.values()) {
            request.setInt(at(metric), metric.id);
        }
        return library.call("nvmlGpmMetricsGet", request);
    }

    private Map<Metric, Double> metrics() {
        Map<Metric, Double> metrics = new EnumMap<>(Metric.class);
        for (Metric metric : Metric.values()) {
            double value = request.getDouble(at(metric) + 8);
            if (NvmlStatus.of(request.getInt(at(metric) + 4)) == NvmlStatus.SUCCESS && Double.isFinite(value)) {
                metrics.put(metric, value);
            }
        }
        return metrics;
    }

    private static long at(Metric metric) {
        return HEAD_BYTES + (long) METRIC_BYTES * metric.ordinal();
    }
}
