package io.inferwatch.jobs.window;

import io.inferwatch.schemas.EngineHistogram;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.GpuState;
import java.util.List;
import java.util.Map;

/** Samples for tests: what must be there, at a time. */
public final class Samples {
    private Samples() {}

    /** A reading of an engine every ten seconds. */
    public static EngineSample.Builder engine(String replica, long sequence, long atMillis) {
        return EngineSample.newBuilder()
                .setStream("test/" + replica)
                .setSequence(sequence)
                .setSampledAtMicros(atMillis * 1000)
                .setIntervalMicros(10_000_000)
                .setReplica(replica)
                .setModel("m")
                .setVersion("v1")
                .setMapping("1");
    }

    /** A reading of a GPU every second. */
    public static GpuSample.Builder gpu(String uuid, long sequence, long atMillis) {
        return GpuSample.newBuilder()
                .setStream("test/" + uuid)
                .setSequence(sequence)
                .setSampledAtMicros(atMillis * 1000)
                .setIntervalMicros(1_000_000)
                .setGpu(uuid)
                .setNode("node-1")
                .setOrigin("nvml")
                .setState(GpuState.OK)
                .setAgesMicros(Map.of());
    }

    /** An engine's histogram of TTFT. */
    public static EngineHistogram ttft(List<Long> boundsMicros, List<Long> totals, long sumMicros) {
        return new EngineHistogram("ttft", "request", boundsMicros, totals, sumMicros);
    }
}
