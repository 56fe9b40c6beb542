package io.inferwatch.probes.gpu;

import io.inferwatch.probes.gpu.nvml.NvmlStatus;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/** What a device lacks, and what NVML says to it. Known after its first reading; what it gives later is struck off. */
final class Capabilities {
    private final Map<GpuField, NvmlStatus> lacking = new EnumMap<>(GpuField.class);
    private boolean isReported;

    void note(GpuField field, NvmlStatus status) {
        if (status == NvmlStatus.SUCCESS) {
            lacking.remove(field);
        } else if (status != NvmlStatus.NO_DATA) {
            lacking.put(field, status);
        }
    }

    Map<GpuField, NvmlStatus> lacking() {
        return Map.copyOf(lacking);
    }

    /** The report in one line, the first time only; empty afterwards, and where nothing is lacking. */
    String takeReport() {
        if (isReported) {
            return "";
        }
        isReported = true;
        return lacking.entrySet().stream()
                .map(entry -> entry.getKey().label() + ": " + entry.getValue().describe())
                .collect(Collectors.joining(", "));
    }
}
