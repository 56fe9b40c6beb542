package io.inferwatch.simulation.memory;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A device whose process asks its allocator each second for the activations of a batch and gives them back. Batches are of four shapes, so that blocks fit again and
 * again. Fragmentation means that small tensors stay between them, each for a minute or so, and that shapes are no longer the same: free memory is then in
 * pieces, and large requests fail beside plenty of it.
 *
 * <p>Deterministic by its seed. Time passes when it is asked for; not thread safe.
 */
public final class SimulatedDevice {
    private static final long MIB = 1L << 20;
    private static final long TICK_NANOS = 1_000_000_000;
    private static final long[] SHAPES = {512 * MIB, 384 * MIB, 256 * MIB, 192 * MIB};
    private static final long LEAST_TENSOR_BYTES = 8 * MIB;
    private static final long MOST_TENSOR_BYTES = 40 * MIB;
    private static final int TENSORS_BETWEEN = 3;
    private static final int TENSORS_FREED_PER_TICK = 2;

    private final DeviceSpec spec;
    private final CachingAllocator allocator;
    private final SplittableRandom random;
    private final Deque<Tensor> tensors = new ArrayDeque<>();
    private long tensorBytes;
    private double fragmentation;
    private long ticks;
    private long largestRequestBytes;

    private record Tensor(CachingAllocator.Block block, long bytes) {}

    /** A device with weights, KV cache and CUDA graphs in place. */
    public SimulatedDevice(DeviceSpec spec, long seed) {
        this.spec = spec;
        this.random = new SplittableRandom(seed);
        this.allocator = new CachingAllocator(
                spec.weightBytes() + spec.kvCacheBytes() + spec.graphBytes() + spec.workspaceBytes());
        for (long bytes : List.of(spec.weightBytes(), spec.kvCacheBytes(), spec.graphBytes())) {
            var unused = allocator.allocate(bytes).orElseThrow();
        }
    }

    /**
     * From that moment on so much of the room for activations is held by small tensors that stay.
     *
     * @param share 0 for none
     */
    public void setFragmentation(double share, long nowNanos) {
        passUntil(nowNanos);
        fragmentation = share;
    }

    /** The memory at a moment, which must not be before the last one asked for. */
    public DeviceState state(long nowNanos) {
        passUntil(nowNanos);
        return new DeviceState(
                spec.uuid(),
                spec.totalBytes(),
                spec.contextBytes() + allocator.reservedBytes(),
                spec.weightBytes(),
                spec.kvCacheBytes(),
                spec.graphBytes(),
                allocator.allocatedBytes(),
                allocator.reservedBytes(),
                allocator.inactiveSplitBytes(),
                allocator.peakBytes(),
                allocator.segments(),
                allocator.freeBlocks(),
                largestRequestBytes,
                allocator.retries(),
                allocator.failures());
    }

    private void passUntil(long nowNanos) {
        while ((ticks + 1) * TICK_NANOS <= nowNanos) {
            ticks++;
            tick();
        }
    }

    private void tick() {
        long wanted = (long) (fragmentation * spec.workspaceBytes());
        for (int i = 0; i < TENSORS_FREED_PER_TICK || tensorBytes > wanted; i++) {
            Tensor oldest = tensors.poll();
            if (oldest == null) {
                break;
            }
            allocator.free(oldest.block);
            tensorBytes -= oldest.bytes;
        }
        largestRequestBytes = 0;
        List<CachingAllocator.Block> batch = new ArrayList<>();
        for (long shape : SHAPES) {
            long bytes = fragmentation > 0 ? between(shape / 2, shape) : shape;
            largestRequestBytes = Math.max(largestRequestBytes, bytes);
            allocator.allocate(bytes).ifPresent(batch::add);
            // Between the activations of a batch.
            for (int i = 0; i < TENSORS_BETWEEN && tensorBytes < wanted; i++) {
                long tensor = between(LEAST_TENSOR_BYTES, MOST_TENSOR_BYTES);
                allocator.allocate(tensor).ifPresent(block -> keep(block, tensor));
            }
        }
        batch.forEach(allocator::free);
    }

    private void keep(CachingAllocator.Block block, long bytes) {
        tensors.add(new Tensor(block, bytes));
        tensorBytes += bytes;
    }

    /** A whole number of mebibytes. */
    private long between(long least, long most) {
        return random.nextLong(least / MIB, most / MIB + 1) * MIB;
    }
}
