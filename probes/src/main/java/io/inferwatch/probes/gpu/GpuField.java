package io.inferwatch.probes.gpu;

import java.util.List;
import java.util.Locale;

/** What is read of a device in one step: the sample's fields that come of it, all of them or none, and the name under which values are rejected and counted. */
enum GpuField {
    MEMORY("memorySource", "totalBytes", "usedBytes", "reservedBytes", "freeBytes"),
    BAR1_MEMORY("bar1UsedBytes"),
    UTILIZATION("busyPpm", "memoryTrafficPpm"),
    ENCODER("encoderPpm"),
    DECODER("decoderPpm"),
    ACTIVITY(
            "engineActivePpm",
            "smActivePpm",
            "smOccupancyPpm",
            "tensorActivePpm",
            "fp64ActivePpm",
            "fp32ActivePpm",
            "fp16ActivePpm",
            "dramActivePpm",
            "readingsApartMicros"),
    POWER("powerMilliwatts"),
    POWER_LIMIT("powerLimitMilliwatts"),
    ENERGY("energyMillijoulesTotal"),
    TEMPERATURE("temperatureCelsius"),
    MEMORY_TEMPERATURE("memoryTemperatureCelsius"),
    SM_CLOCK("smClockMegahertz"),
    MEMORY_CLOCK("memoryClockMegahertz"),
    MAX_SM_CLOCK("maxSmClockMegahertz"),
    THROTTLE_REASONS("throttleReasons", "throttled"),
    POWER_THROTTLED("powerThrottledTotalMicros"),
    THERMAL_THROTTLED("thermalThrottledTotalMicros"),
    PCIE_SENT("pcieSentBytesTotal"),
    PCIE_RECEIVED("pcieReceivedBytesTotal"),
    PCIE_SENDING("pcieSentBytesPerSecond"),
    PCIE_RECEIVING("pcieReceivedBytesPerSecond"),
    PCIE_REPLAYS("pcieReplaysTotal"),
    PCIE_GENERATION("pcieGeneration"),
    PCIE_WIDTH("pcieWidth"),
    PCIE_MAX("pcieMaxBytesPerSecond"),
    NVLINK_SENT("nvlinkSentBytesTotal"),
    NVLINK_RECEIVED("nvlinkReceivedBytesTotal"),
    NVLINK_MAX("nvlinkMaxBytesPerSecond"),
    NVLINK_ERRORS("nvlinkErrorsTotal"),
    ECC_CORRECTED("eccCorrectedTotal"),
    ECC_UNCORRECTED("eccUncorrectedTotal"),
    REMAPPED_ROWS("remappedRows", "rowRemapFailed"),
    XID("xid", "xidEventsTotal"),
    PROCESSES("processes");

    @SuppressWarnings("ImmutableEnumChecker") // List.of is
    private final List<String> schemaFields;

    GpuField(String... schemaFields) {
        this.schemaFields = List.of(schemaFields);
    }

    List<String> schemaFields() {
        return schemaFields;
    }

    /** As in marks and metrics: {@code memory-temperature}. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
