package io.inferwatch.simulation.fleet;

import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.GpuState;
import io.inferwatch.simulation.engine.EngineState;
import io.inferwatch.simulation.memory.DeviceState;
import io.inferwatch.simulation.serving.ServerSpec;
import io.inferwatch.simulation.serving.SimulatedServer;
import java.util.List;

/** Readings of a server's engine and of its device as probes would publish them, numbered without gaps. */
final class ReplicaSamples {
    static final long INTERVAL_NANOS = 10_000_000_000L;

    private static final double MILLION = 1e6;
    private static final List<String> MARKS = List.of("simulated");

    private final SimulatedServer server;
    private final String instance;
    private long sequence;

    ReplicaSamples(SimulatedServer server, String instance) {
        this.server = server;
        this.instance = instance;
    }

    void tell(long nowMicros, FleetSink sink) {
        sink.accept(engine(nowMicros));
        sink.accept(device(nowMicros));
        sequence++;
    }

    private EngineSample engine(long nowMicros) {
        ServerSpec spec = server.spec();
        EngineState engine = server.engine();
        DeviceState device = server.device();
        return EngineSample.newBuilder()
                .setStream(instance + "/engine/" + spec.replica())
                .setSequence(sequence)
                .setSampledAtMicros(nowMicros)
                .setIntervalMicros(INTERVAL_NANOS / 1_000)
                .setReplica(spec.replica())
                .setNode(spec.node())
                .setRegion(spec.region())
                .setPool(spec.pool())
                .setModel(spec.model())
                .setVersion(server.version())
                .setEngine("simulated")
                .setGpuUuids(List.of(device.uuid()))
                .setMapping("simulated")
                .setMarks(MARKS)
                .setRunningRequests((long) engine.running())
                .setWaitingRequests((long) engine.waiting())
                .setDecodeTokens(engine.sequenceTokens())
                .setKvUsagePpm(Math.round(MILLION * engine.kvUsage()))
                .setKvBlockTokens((long) spec.engine().blockTokens())
                .setKvTotalBlocks((long) engine.blocks())
                .setWeightBytes(device.weightBytes())
                .setKvCacheBytes(device.kvCacheBytes())
                .setGraphBytes(device.graphBytes())
                .setPreemptionsTotal(engine.preemptions())
                .setPromptTokensTotal(engine.promptTokens())
                .setGeneratedTokensTotal(engine.outputTokens())
                .build();
    }

    private GpuSample device(long nowMicros) {
        ServerSpec spec = server.spec();
        DeviceState device = server.device();
        long largest =
                device.freeBlocks().stream().mapToLong(Long::longValue).max().orElse(0);
        return GpuSample.newBuilder()
                .setStream(instance + "/gpu/" + spec.replica())
                .setSequence(sequence)
                .setSampledAtMicros(nowMicros)
                .setIntervalMicros(INTERVAL_NANOS / 1_000)
                .setGpu(device.uuid())
                .setReplica(spec.replica())
                .setNode(spec.node())
                .setRegion(spec.region())
                .setPool(spec.pool())
                .setModel(spec.model())
                .setVersion(server.version())
                .setState(GpuState.OK)
                .setOrigin("simulated")
                .setMarks(MARKS)
                .setTotalBytes(device.totalBytes())
                .setUsedBytes(device.usedBytes())
                .setFreeBytes(device.freeBytes())
                .setAllocatedBytes(device.allocatedBytes())
                .setAllocatorReservedBytes(device.reservedBytes())
                .setInactiveSplitBytes(device.inactiveSplitBytes())
                .setLargestFreeBlockBytes(largest)
                .setLargestRequestBytes(device.largestRequestBytes())
                .setUnusableFreeBytes(unusable(device))
                .setAllocationRetriesTotal(device.retries())
                .setOutOfMemoryTotal(device.failures())
                .build();
    }

    /** Rests of free blocks that no request of the largest size fits in. */
    private static long unusable(DeviceState device) {
        return device.freeBlocks().stream()
                .mapToLong(bytes -> device.largestRequestBytes() == 0 ? 0 : bytes % device.largestRequestBytes())
                .sum();
    }
}
