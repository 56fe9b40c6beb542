package io.inferwatch.probes.gpu;

import io.inferwatch.probes.gpu.host.DevicePlace;
import io.inferwatch.probes.gpu.nvml.NvmlDevice;
import io.inferwatch.probes.gpu.nvml.NvmlGpm;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A device or MIG instance as it is read in one session of NVML. */
final class Target {
    private final Identity identity;
    private final NvmlDevice device;
    private final DevicePlace place;
    private final Totals totals;
    private final Optional<NvmlGpm> gpm;
    private final Capabilities capabilities = new Capabilities();
    private boolean hasSplitMemory;
    private long pcieSpeedDueAtNanos;

    /**
     * What stays.
     *
     * @param gpu UUID of the device
     * @param migId UUID of the instance; null for a whole device
     * @param gpuInstanceId number of the GPU instance; null for a whole device
     */
    record Identity(
            String gpu,
            @Nullable String migId,
            @Nullable Integer gpuInstanceId,
            @Nullable Integer index,
            @Nullable String name,
            @Nullable String pciBusId) {}

    Target(
            Identity identity,
            NvmlDevice device,
            Optional<NvmlGpm> gpm,
            DevicePlace place,
            Totals totals,
            long nowNanos) {
        this.identity = identity;
        this.device = device;
        this.place = place;
        this.totals = totals;
        this.gpm = gpm;
        this.pcieSpeedDueAtNanos = nowNanos;
    }

    Identity identity() {
        return identity;
    }

    NvmlDevice device() {
        return device;
    }

    DevicePlace place() {
        return place;
    }

    Totals totals() {
        return totals;
    }

    Optional<NvmlGpm> gpm() {
        return gpm;
    }

    Capabilities capabilities() {
        return capabilities;
    }

    boolean isWhole() {
        return identity.migId() == null;
    }

    /** Whether memory was ever told with the reserved part apart: then it is never told otherwise, or used would jump by it. */
    boolean hasSplitMemory() {
        return hasSplitMemory;
    }

    void splitMemorySeen() {
        hasSplitMemory = true;
    }

    boolean isPcieSpeedDue(long nowNanos, long pauseNanos) {
        if (nowNanos - pcieSpeedDueAtNanos < 0) {
            return false;
        }
        pcieSpeedDueAtNanos = nowNanos + pauseNanos;
        return true;
    }

    /** Gives back what the driver holds for it; only while its NVML is open. */
    void release() {
        gpm.ifPresent(NvmlGpm::close);
    }
}
