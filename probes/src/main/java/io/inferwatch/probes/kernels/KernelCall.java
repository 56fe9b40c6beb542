package io.inferwatch.probes.kernels;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One call of a kernel, or one timed stretch, as a profiler measured it.
 *
 * @param kernel name as the profiler has it
 * @param stage prefill, decode, attention, mlp ... where the profile says so
 * @param durationNanos time it took
 * @param counted what was counted in it; ratios from 0 to 1
 */
record KernelCall(
        String kernel,
        @Nullable String stage,
        @Nullable String precision,
        @Nullable String layer,
        @Nullable String head,
        @Nullable Long durationNanos,
        Map<Counted, Double> counted) {

    /** What profilers count in a call. */
    enum Counted {
        INSTRUCTIONS_PER_CYCLE,
        L1_HIT_RATIO,
        L2_HIT_RATIO,
        L2_REQUESTS,
        L2_BYTES,
        DRAM_READ_BYTES,
        DRAM_WRITTEN_BYTES,
        OCCUPANCY_RATIO,
        TENSOR_RATIO,
        SM_RATIO,
        FLOPS
    }

    KernelCall {
        counted = counted.isEmpty() ? Map.of() : new EnumMap<>(counted);
    }

    @Nullable
    Double counted(Counted what) {
        return counted.get(what);
    }
}
