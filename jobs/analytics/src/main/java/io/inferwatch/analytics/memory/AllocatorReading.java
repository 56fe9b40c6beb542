package io.inferwatch.analytics.memory;

import io.inferwatch.analytics.memory.Figure.Measured;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Counters of a caching allocator (PyTorch's) at one instant. What is reserved and not allocated is free to the allocator; blocks that
 * still wait for another stream are taken as free.
 *
 * @param allocatedBytes held by live tensors
 * @param reservedBytes held by the allocator
 * @param inactiveSplitBytes free parts of blocks whose other parts are in use; null where it is not told
 * @param largestFreeBlockBytes the largest free block; null where it is not told
 */
public record AllocatorReading(
        long allocatedBytes,
        long reservedBytes,
        @Nullable Long inactiveSplitBytes,
        @Nullable Long largestFreeBlockBytes) {

    /** Checks that the counters can be those of one instant. */
    public AllocatorReading {
        Amounts.requireAtLeast(0, "reservedBytes", reservedBytes);
        Amounts.requireWithin("reservedBytes", reservedBytes, "allocatedBytes", allocatedBytes);
        long free = reservedBytes - allocatedBytes;
        if (inactiveSplitBytes != null) {
            Amounts.requireWithin("what is free", free, "inactiveSplitBytes", inactiveSplitBytes);
        }
        if (largestFreeBlockBytes != null) {
            Amounts.requireWithin("what is free", free, "largestFreeBlockBytes", largestFreeBlockBytes);
        }
    }

    /** Free to the allocator, bytes. */
    public long freeBytes() {
        return reservedBytes - allocatedBytes;
    }

    /** 1 - allocated / reserved. By itself no fragmentation: to keep freed memory is what the allocator is for. Empty where nothing is reserved. */
    public Optional<Measured> cacheShare() {
        return share(freeBytes(), reservedBytes);
    }

    /** Inactive split bytes / reserved: what cannot be given back to the device, and serves no request larger than its pieces. */
    public Optional<Measured> splitShare() {
        return inactiveSplitBytes == null ? Optional.empty() : share(inactiveSplitBytes, reservedBytes);
    }

    /** External fragmentation, 1 - largest free block / all that is free; empty where nothing is free. */
    public Optional<Measured> external() {
        return largestFreeBlockBytes == null
                ? Optional.empty()
                : share(freeBytes() - largestFreeBlockBytes, freeBytes());
    }

    private static Optional<Measured> share(long part, long whole) {
        return whole == 0 ? Optional.empty() : Optional.of(new Measured((double) part / whole));
    }
}
