package io.inferwatch.analytics.memory;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A caching allocator by PyTorch's rules: two pools, best fit, blocks split where enough remains, neighbours joined when freed, segments never given
 * back. It counts as PyTorch does, block by block; and it paints each allocation into a bitmap of its segment, from which the truth is read
 * without these counts.
 */
final class CachingAllocator {
    private static final int UNIT = 512;
    private static final int MIB = 1 << 20;

    private static final Comparator<Block> BY_SIZE = Comparator.<Block>comparingInt(block -> block.size)
            .thenComparingInt(block -> block.segment.number)
            .thenComparingInt(block -> block.start);

    private final TreeSet<Block> smallFree = new TreeSet<>(BY_SIZE);
    private final TreeSet<Block> largeFree = new TreeSet<>(BY_SIZE);
    private final List<Segment> segments = new ArrayList<>();
    private long allocatedUnits;
    private long reservedUnits;

    private record Segment(int number, int size, boolean isSmall, BitSet painted) {}

    /** A block; sizes and places in units. */
    static final class Block {
        private final Segment segment;
        private final int start;
        private int size;
        private boolean isUsed;
        private @Nullable Block left;
        private @Nullable Block right;

        private Block(Segment segment, int start, int size) {
            this.segment = segment;
            this.start = start;
            this.size = size;
        }

        private boolean isSplit() {
            return left != null || right != null;
        }
    }

    Block allocate(int bytes) {
        int size = units(bytes);
        boolean isSmall = bytes <= MIB;
        TreeSet<Block> free = isSmall ? smallFree : largeFree;
        Block block = free.stream()
                .filter(candidate -> candidate.size >= size)
                .findFirst()
                .orElseGet(() -> reserve(isSmall, bytes));
        free.remove(block);
        int rest = block.size - size;
        if (rest > (isSmall ? 0 : units(MIB))) {
            Block remainder = new Block(block.segment, block.start + size, rest);
            remainder.left = block;
            remainder.right = block.right;
            if (block.right != null) {
                block.right.left = remainder;
            }
            block.right = remainder;
            block.size = size;
            free.add(remainder);
        }
        block.isUsed = true;
        block.segment.painted.set(block.start, block.start + block.size);
        allocatedUnits += block.size;
        return block;
    }

    void free(Block block) {
        TreeSet<Block> free = block.segment.isSmall ? smallFree : largeFree;
        block.isUsed = false;
        block.segment.painted.clear(block.start, block.start + block.size);
        allocatedUnits -= block.size;
        Block first = block;
        Block left = block.left;
        if (left != null && !left.isUsed) {
            free.remove(left);
            join(left, block);
            first = left;
        }
        Block right = first.right;
        if (right != null && !right.isUsed) {
            free.remove(right);
            join(first, right);
        }
        free.add(first);
    }

    private static void join(Block left, Block right) {
        left.size += right.size;
        left.right = right.right;
        if (right.right != null) {
            right.right.left = left;
        }
    }

    private Block reserve(boolean isSmall, int bytes) {
        int size =
                units(isSmall ? 2 * MIB : bytes < 10 * MIB ? 20 * MIB : (bytes + 2 * MIB - 1) / (2 * MIB) * (2 * MIB));
        Segment segment = new Segment(segments.size(), size, isSmall, new BitSet(size));
        segments.add(segment);
        reservedUnits += size;
        return new Block(segment, 0, size);
    }

    private static int units(int bytes) {
        return (bytes + UNIT - 1) / UNIT;
    }

    /** What a probe would read. */
    AllocatorReading reading() {
        return new AllocatorReading(
                UNIT * allocatedUnits,
                UNIT * reservedUnits,
                UNIT
                        * blocks().filter(Block::isSplit)
                                .mapToLong(block -> block.size)
                                .sum(),
                UNIT * blocks().mapToLong(block -> block.size).max().orElse(0));
    }

    /** What a snapshot would show. */
    FreeBlocks freeBlocks() {
        return new FreeBlocks(
                blocks().mapToLong(block -> (long) UNIT * block.size).toArray());
    }

    private Stream<Block> blocks() {
        return Stream.concat(smallFree.stream(), largeFree.stream());
    }

    /** All that is reserved, from the segments. */
    long trulyReserved() {
        return segments.stream()
                .mapToLong(segment -> (long) UNIT * segment.size)
                .sum();
    }

    /** All that is not painted. */
    long trulyFree() {
        return runs().sum();
    }

    /** What is free in segments that are partly painted. */
    long trulyStranded() {
        return segments.stream()
                .filter(segment -> !segment.painted.isEmpty())
                .mapToLong(segment -> (long) UNIT * (segment.size - segment.painted.cardinality()))
                .sum();
    }

    /** The longest unpainted run. */
    long trulyLargest() {
        return runs().max().orElse(0);
    }

    /** What is left when as many requests of one size as possible have been painted into what is free, one after the other. */
    long trulyLeft(int requestBytes) {
        int size = units(requestBytes);
        long left = 0;
        for (Segment segment : segments) {
            BitSet painted = (BitSet) segment.painted.clone();
            int at = painted.nextClearBit(0);
            while (at + size <= segment.size) {
                int end = painted.nextSetBit(at);
                if (end >= 0 && end < at + size) {
                    at = painted.nextClearBit(end);
                } else {
                    painted.set(at, at + size);
                    at = painted.nextClearBit(at + size);
                }
            }
            left += (long) UNIT * (segment.size - painted.cardinality());
        }
        return left;
    }

    private LongStream runs() {
        LongStream.Builder runs = LongStream.builder();
        for (Segment segment : segments) {
            int from = segment.painted.nextClearBit(0);
            while (from < segment.size) {
                int next = segment.painted.nextSetBit(from);
                int to = next < 0 ? segment.size : next;
                runs.add((long) UNIT * (to - from));
                from = segment.painted.nextClearBit(to);
            }
        }
        return runs.build();
    }
}
