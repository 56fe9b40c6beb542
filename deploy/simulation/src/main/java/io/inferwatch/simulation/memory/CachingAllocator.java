package io.inferwatch.simulation.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A caching allocator as PyTorch's for requests of more than a mebibyte: it takes segments from the device, of 20 MiB for requests below 10 MiB, else of the request
 * rounded up to 2 MiB, and keeps them. A request gets the smallest free block that it fits in, the least far into its segment among equals; a rest of more
 * than a mebibyte is split off. Blocks that are given back join their free neighbours. When the device has no more, all segments that are
 * wholly free are given back and the device is asked again (a retry); when that does not help the request fails.
 *
 * <p>allocated + free = reserved, at any moment. Not thread safe.
 */
public final class CachingAllocator {
    private static final long MIB = 1L << 20;
    private static final long ROUND_BYTES = 512;
    private static final long SMALL_SEGMENT_BELOW = 10 * MIB;
    private static final long SMALL_SEGMENT_BYTES = 20 * MIB;
    private static final long SEGMENT_ROUND_BYTES = 2 * MIB;

    private final long limitBytes;
    private final List<List<Block>> segments = new ArrayList<>();
    private long reservedBytes;
    private long allocatedBytes;
    private long peakBytes;
    private long retries;
    private long failures;

    /** A part of a segment. Known to its allocator alone. */
    public static final class Block {
        private final List<Block> segment;
        private long bytes;
        private boolean isFree;

        private Block(List<Block> segment, long bytes, boolean isFree) {
            this.segment = segment;
            this.bytes = bytes;
            this.isFree = isFree;
        }
    }

    /**
     * An allocator that holds nothing.
     *
     * @param limitBytes what the device gives it at most
     */
    public CachingAllocator(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** A block of at least so many bytes; empty when there is none to be had. */
    public Optional<Block> allocate(long bytes) {
        if (bytes <= MIB) {
            throw new IllegalArgumentException("bytes: must be above " + MIB + ", found " + bytes);
        }
        long wanted = roundUp(bytes, ROUND_BYTES);
        Block block = smallestThatFits(wanted);
        if (block == null) {
            long segmentBytes =
                    wanted < SMALL_SEGMENT_BELOW ? SMALL_SEGMENT_BYTES : roundUp(wanted, SEGMENT_ROUND_BYTES);
            if (reservedBytes + segmentBytes > limitBytes) {
                retries++;
                giveBack();
            }
            if (reservedBytes + segmentBytes > limitBytes) {
                failures++;
                return Optional.empty();
            }
            List<Block> segment = new ArrayList<>();
            block = new Block(segment, segmentBytes, true);
            segment.add(block);
            segments.add(segment);
            reservedBytes += segmentBytes;
        }
        long rest = block.bytes - wanted;
        if (rest > MIB) {
            block.bytes = wanted;
            block.segment.add(block.segment.indexOf(block) + 1, new Block(block.segment, rest, true));
        }
        block.isFree = false;
        allocatedBytes += block.bytes;
        peakBytes = Math.max(peakBytes, allocatedBytes);
        return Optional.of(block);
    }

    /** Takes a block back. */
    public void free(Block block) {
        if (block.isFree) {
            throw new IllegalStateException("a block is given back once");
        }
        block.isFree = true;
        allocatedBytes -= block.bytes;
        join(block.segment, block.segment.indexOf(block));
    }

    /** All free blocks, bytes. */
    public List<Long> freeBlocks() {
        List<Long> free = new ArrayList<>();
        for (List<Block> segment : segments) {
            for (Block block : segment) {
                if (block.isFree) {
                    free.add(block.bytes);
                }
            }
        }
        return free;
    }

    /** Free parts of segments whose other parts are in use, bytes. */
    public long inactiveSplitBytes() {
        long bytes = 0;
        for (List<Block> segment : segments) {
            for (Block block : segment) {
                bytes += block.isFree && segment.size() > 1 ? block.bytes : 0;
            }
        }
        return bytes;
    }

    /** Held by the allocator. */
    public long reservedBytes() {
        return reservedBytes;
    }

    /** In use. */
    public long allocatedBytes() {
        return allocatedBytes;
    }

    /** The most that was in use. */
    public long peakBytes() {
        return peakBytes;
    }

    /** Segments held. */
    public int segments() {
        return segments.size();
    }

    /** How often free segments were given back for a request. */
    public long retries() {
        return retries;
    }

    /** Requests that failed. */
    public long failures() {
        return failures;
    }

    private @Nullable Block smallestThatFits(long wanted) {
        Block best = null;
        for (List<Block> segment : segments) {
            for (Block block : segment) {
                if (block.isFree && block.bytes >= wanted && (best == null || block.bytes < best.bytes)) {
                    best = block;
                }
            }
        }
        return best;
    }

    private void giveBack() {
        segments.removeIf(segment -> {
            boolean isWhollyFree = segment.size() == 1 && segment.get(0).isFree;
            reservedBytes -= isWhollyFree ? segment.get(0).bytes : 0;
            return isWhollyFree;
        });
    }

    private static void join(List<Block> segment, int index) {
        Block block = segment.get(index);
        if (index + 1 < segment.size() && segment.get(index + 1).isFree) {
            block.bytes += segment.remove(index + 1).bytes;
        }
        if (index > 0 && segment.get(index - 1).isFree) {
            segment.get(index - 1).bytes += block.bytes;
            segment.remove(index);
        }
    }

    private static long roundUp(long bytes, long to) {
        return (bytes + to - 1) / to * to;
    }
}
