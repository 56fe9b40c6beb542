package io.inferwatch.probes.gpu.nvml;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One device or MIG instance: what NVML tells about it, in NVML's units, unjudged. Where newer libraries have a better call, the older one is asked only where the newer
 * is lacking.
 */
public final class NvmlDevice {
    private static final int SM_CLOCK = 1;
    private static final int MEMORY_CLOCK = 2;
    private static final int CHIP = 0;
    private static final int VOLATILE = 0;
    private static final int PROCESS_BYTES = 24;
    private static final int MAX_PROCESSES = 4_096;
    private static final int PCI_BYTES = 128;
    private static final int PCI_BUS_ID = 36;
    private static final int CPU_WORDS = 64;

    private final NvmlLibrary library;
    private final Pointer handle;
    private Memory processes = new Memory(64 * PROCESS_BYTES);

    /**
     * Device memory, bytes.
     *
     * @param source the call that told: {@code nvml-v2} or {@code nvml-v1}
     * @param reserved null where used holds it
     */
    public record DeviceMemory(
            String source, long total, @Nullable Long reserved, long free, long used) {}

    /** Shares of time with a kernel and with memory traffic, percent. */
    public record Utilization(long busyPercent, long memoryPercent) {}

    /** Rows of device memory that were remapped for errors, and whether a remapping failed. */
    public record RemappedRows(long rows, boolean failed) {}

    /** A process with memory of the device; null bytes where the driver does not tell. */
    public record ComputeProcess(int pid, @Nullable Long bytes) {}

    NvmlDevice(NvmlLibrary library, Pointer handle) {
        this.library = library;
        this.handle = handle;
    }

    Pointer handle() {
        return handle;
    }

    NvmlLibrary library() {
        return library;
    }

    /** {@code GPU-…} or {@code MIG-…}. */
    public Answer<String> uuid() {
        return library.text("nvmlDeviceGetUUID", handle);
    }

    /** Product name. */
    public Answer<String> name() {
        return library.text("nvmlDeviceGetName", handle);
    }

    /** PCI address as in {@code 00000000:3B:00.0}. */
    public Answer<String> pciBusId() {
        return library.filled(new Memory(PCI_BYTES), "nvmlDeviceGetPciInfo_v3", handle)
                .map(info -> info.getString(PCI_BUS_ID));
    }

    /** Processors near the device. */
    public Answer<BitSet> cpuAffinity() {
        Memory words = new Memory(CPU_WORDS * 8L);
        words.clear();
        NvmlStatus status = library.call("nvmlDeviceGetCpuAffinity", handle, CPU_WORDS, words);
        return status == NvmlStatus.SUCCESS
                ? new Answer.Value<>(BitSet.valueOf(words.getLongArray(0, CPU_WORDS)))
                : new Answer.Refused<>(status);
    }

    /** The MIG instances; empty where MIG is off or unknown to the device. */
    public List<NvmlDevice> migInstances() {
        List<NvmlDevice> instances = new ArrayList<>();
        if (library.firstUint("nvmlDeviceGetMigMode", handle) instanceof Answer.Value<Long> mode
                && mode.value() == 1
                && library.uint("nvmlDeviceGetMaxMigDeviceCount", handle) instanceof Answer.Value<Long> most) {
            for (int i = 0; i < most.value(); i++) {
                if (library.handle("nvmlDeviceGetMigDeviceHandleByIndex", handle, i)
                        instanceof Answer.Value<Pointer> instance) {
                    instances.add(new NvmlDevice(library, instance.value()));
                }
            }
        }
        return instances;
    }

    /** The number of the GPU instance that a MIG instance is part of. */
    public Answer<Integer> gpuInstanceId() {
        return library.uint("nvmlDeviceGetGpuInstanceId", handle).map(Long::intValue);
    }

    /** Memory with what is reserved told apart. */
    public Answer<DeviceMemory> memoryV2() {
        return library.filled(NvmlLibrary.versioned(40, 2), "nvmlDeviceGetMemoryInfo_v2", handle)
                .map(memory -> new DeviceMemory(
                        "nvml-v2", memory.getLong(8), memory.getLong(16), memory.getLong(24), memory.getLong(32)));
    }

    /** Memory as older drivers tell it: used holds what is reserved. */
    public Answer<DeviceMemory> memoryV1() {
        return library.filled(new Memory(24), "nvmlDeviceGetMemoryInfo", handle)
                .map(memory ->
                        new DeviceMemory("nvml-v1", memory.getLong(0), null, memory.getLong(8), memory.getLong(16)));
    }

    /** BAR1 memory in use, bytes. */
    public Answer<Long> bar1UsedBytes() {
        return library.filled(new Memory(24), "nvmlDeviceGetBAR1MemoryInfo", handle)
                .map(memory -> memory.getLong(16));
    }

    /** How busy device and memory were over the driver's last period. */
    public Answer<Utilization> utilization() {
        return library.filled(new Memory(8), "nvmlDeviceGetUtilizationRates", handle)
                .map(rates -> new Utilization(
                        Integer.toUnsignedLong(rates.getInt(0)), Integer.toUnsignedLong(rates.getInt(4))));
    }

    /** Video encoder, percent. */
    public Answer<Long> encoderPercent() {
        return library.firstUint("nvmlDeviceGetEncoderUtilization", handle);
    }

    /** Video decoder, percent. */
    public Answer<Long> decoderPercent() {
        return library.firstUint("nvmlDeviceGetDecoderUtilization", handle);
    }

    /** Power drawn, milliwatts. */
    public Answer<Long> powerMilliwatts() {
        return library.uint("nvmlDeviceGetPowerUsage", handle);
    }

    /** Power limit in force, milliwatts. */
    public Answer<Long> powerLimitMilliwatts() {
        return library.uint("nvmlDeviceGetEnforcedPowerLimit", handle);
    }

    /** Energy since the driver was loaded, millijoules. */
    public Answer<Long> energyMillijoules() {
        return library.ulong("nvmlDeviceGetTotalEnergyConsumption", handle);
    }

    /** Temperature of the chip. */
    public Answer<Long> temperatureCelsius() {
        return library.uint("nvmlDeviceGetTemperature", handle, CHIP);
    }

    /** Clock of the multiprocessors. */
    public Answer<Long> smClockMegahertz() {
        return library.uint("nvmlDeviceGetClockInfo", handle, SM_CLOCK);
    }

    /** Clock of the memory. */
    public Answer<Long> memoryClockMegahertz() {
        return library.uint("nvmlDeviceGetClockInfo", handle, MEMORY_CLOCK);
    }

    /** Highest clock of the multiprocessors. */
    public Answer<Long> maxSmClockMegahertz() {
        return library.uint("nvmlDeviceGetMaxClockInfo", handle, SM_CLOCK);
    }

    /** Why clocks are lowered, as bits. */
    public Answer<Long> clocksEventReasons() {
        return library.ulong("nvmlDeviceGetCurrentClocksEventReasons", handle)
                .orIfLacking(() -> library.ulong("nvmlDeviceGetCurrentClocksThrottleReasons", handle));
    }

    /** Time that a policy (0 power, 1 heat) held clocks down, nanoseconds. */
    public Answer<Long> violationNanos(int policy) {
        return library.filled(new Memory(16), "nvmlDeviceGetViolationStatus", handle, policy)
                .map(status -> status.getLong(8));
    }

    /** Sending (0) or receiving (1) by PCIe, kB/s over 20 ms, for which this call waits. */
    public Answer<Long> pcieKilobytesPerSecond(int direction) {
        return library.uint("nvmlDeviceGetPcieThroughput", handle, direction);
    }

    /** Replays of PCIe. */
    public Answer<Long> pcieReplays() {
        return library.uint("nvmlDeviceGetPcieReplayCounter", handle);
    }

    /** Generation of the PCIe link, now or at most. */
    public Answer<Long> pcieGeneration(boolean atMost) {
        return library.uint(
                atMost ? "nvmlDeviceGetMaxPcieLinkGeneration" : "nvmlDeviceGetCurrPcieLinkGeneration", handle);
    }

    /** Lanes of the PCIe link, now or at most. */
    public Answer<Long> pcieWidth(boolean atMost) {
        return library.uint(atMost ? "nvmlDeviceGetMaxPcieLinkWidth" : "nvmlDeviceGetCurrPcieLinkWidth", handle);
    }

    /** Memory errors, corrected (0) or not (1), since the driver was loaded. */
    public Answer<Long> eccErrors(int kind) {
        return library.ulong("nvmlDeviceGetTotalEccErrors", handle, kind, VOLATILE);
    }

    /** Rows remapped for corrected and uncorrected errors. */
    public Answer<RemappedRows> remappedRows() {
        Memory four = new Memory(16);
        NvmlStatus status =
                library.call("nvmlDeviceGetRemappedRows", handle, four, four.share(4), four.share(8), four.share(12));
        return status == NvmlStatus.SUCCESS
                ? new Answer.Value<>(new RemappedRows(
                        Integer.toUnsignedLong(four.getInt(0)) + Integer.toUnsignedLong(four.getInt(4)),
                        four.getInt(12) != 0))
                : new Answer.Refused<>(status);
    }

    /** Many numbers in one call. */
    public NvmlFields fields(List<NvmlFields.Field> wanted) {
        return NvmlFields.read(this, wanted);
    }

    /** Processes that compute on the device. */
    public Answer<List<ComputeProcess>> computeProcesses() {
        return processes("nvmlDeviceGetComputeRunningProcesses_v3")
                .orIfLacking(() -> processes("nvmlDeviceGetComputeRunningProcesses_v2"));
    }

    /** Activity in windows between calls, of a device or one of its MIG instances; nothing where the device has none. */
    public Optional<NvmlGpm> gpm(@Nullable Integer gpuInstanceId) {
        return NvmlGpm.of(this, gpuInstanceId);
    }

    private Answer<List<ComputeProcess>> processes(String function) {
        while (true) {
            int room = (int) (processes.size() / PROCESS_BYTES);
            Memory count = new Memory(4);
            count.setInt(0, room);
            NvmlStatus status = library.call(function, handle, count, processes);
            if (status == NvmlStatus.INSUFFICIENT_SIZE && room < MAX_PROCESSES) {
                processes = new Memory(2L * room * PROCESS_BYTES);
            } else if (status == NvmlStatus.SUCCESS) {
                List<ComputeProcess> found = new ArrayList<>();
                for (int i = 0; i < Math.min(room, count.getInt(0)); i++) {
                    long at = (long) i * PROCESS_BYTES;
                    long bytes = processes.getLong(at + 8);
                    // All bits set is how NVML says that it does not know.
                    found.add(new ComputeProcess(processes.getInt(at), bytes < 0 ? null : Long.valueOf(bytes)));
                }
                return new Answer.Value<>(found);
            } else {
                return new Answer.Refused<>(status);
            }
        }
    }
}
