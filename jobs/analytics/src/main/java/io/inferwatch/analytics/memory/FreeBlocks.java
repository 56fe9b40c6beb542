package io.inferwatch.analytics.memory;

import io.inferwatch.analytics.memory.Figure.Measured;
import java.util.Optional;

/** The free blocks of an allocator, from a snapshot of its memory: the only reading that tells what a request of a given size can have. */
public final class FreeBlocks {
    private final long[] bytes;
    private final long totalBytes;
    private final long largestBytes;

    /**
     * Takes the sizes of all free blocks.
     *
     * @param bytes each at least 1, in any order
     */
    public FreeBlocks(long... bytes) {
        this.bytes = bytes.clone();
        long total = 0;
        long largest = 0;
        for (long block : bytes) {
            Amounts.requireAtLeast(1, "bytes", block);
            total += block;
            largest = Math.max(largest, block);
        }
        totalBytes = total;
        largestBytes = largest;
    }

    /** All that is free, bytes. */
    public long totalBytes() {
        return totalBytes;
    }

    /** External fragmentation, 1 - largest / total; empty where nothing is free. */
    public Optional<Measured> external() {
        return totalBytes == 0
                ? Optional.empty()
                : Optional.of(new Measured((double) (totalBytes - largestBytes) / totalBytes));
    }

    /**
     * The share of what is free that requests of one size cannot use: 1 - sum of floor(block / size) size / total. 1 when none fits; empty where
     * nothing is free.
     *
     * @param requestBytes at least 1, e.g. the largest recent request
     */
    public Optional<Measured> unusableFor(long requestBytes) {
        Amounts.requireAtLeast(1, "requestBytes", requestBytes);
        long unusable = 0;
        for (long block : bytes) {
            unusable += block % requestBytes;
        }
        return totalBytes == 0 ? Optional.empty() : Optional.of(new Measured((double) unusable / totalBytes));
    }
}
