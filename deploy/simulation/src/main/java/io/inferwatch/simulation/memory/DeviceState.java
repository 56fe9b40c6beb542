package io.inferwatch.simulation.memory;

import java.util.List;

/**
 * A device's memory at one moment, as its driver, its engine and its allocator tell it. Totals are since its start.
 *
 * @param usedBytes by the driver's account
 * @param allocatedBytes in use in the allocator, with weights, KV cache and graphs
 * @param freeBlocks of the allocator, bytes
 * @param largestRequestBytes to the allocator in the last second
 * @param retries allocations for which free segments were given back
 * @param failures allocations that failed
 */
public record DeviceState(
        String uuid,
        long totalBytes,
        long usedBytes,
        long weightBytes,
        long kvCacheBytes,
        long graphBytes,
        long allocatedBytes,
        long reservedBytes,
        long inactiveSplitBytes,
        long peakBytes,
        int segments,
        List<Long> freeBlocks,
        long largestRequestBytes,
        long retries,
        long failures) {
    /** A state with an unmodifiable list. */
    public DeviceState {
        freeBlocks = List.copyOf(freeBlocks);
    }

    /** Free for other processes. */
    public long freeBytes() {
        return totalBytes - usedBytes;
    }
}
