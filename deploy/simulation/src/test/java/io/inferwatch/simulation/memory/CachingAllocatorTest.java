package io.inferwatch.simulation.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class CachingAllocatorTest {
    private static final long MIB = 1L << 20;

    @Test
    void segmentsAreKeptAndTheirRestsSplitOff() {
        CachingAllocator allocator = new CachingAllocator(1_000 * MIB);
        CachingAllocator.Block small = allocator.allocate(4 * MIB).orElseThrow();
        assertThat(allocator.reservedBytes()).as("below 10 MiB: 20").isEqualTo(20 * MIB);
        assertThat(allocator.inactiveSplitBytes()).isEqualTo(16 * MIB);
        CachingAllocator.Block large = allocator.allocate(31 * MIB).orElseThrow();
        assertThat(allocator.reservedBytes()).as("32 more").isEqualTo(52 * MIB);
        assertThat(allocator.allocatedBytes())
                .as("a rest of a mebibyte is not split off")
                .isEqualTo(36 * MIB);

        allocator.free(large);
        assertThat(allocator.reservedBytes()).isEqualTo(52 * MIB);
        assertThat(allocator.inactiveSplitBytes())
                .as("a whole segment is no fragment")
                .isEqualTo(16 * MIB);
        assertThat(allocator.freeBlocks()).containsExactlyInAnyOrder(16 * MIB, 32 * MIB);
        allocator.free(small);
        assertThat(allocator.freeBlocks()).as("neighbours join").containsExactlyInAnyOrder(20 * MIB, 32 * MIB);
        assertThat(allocator.peakBytes()).isEqualTo(36 * MIB);
    }

    @Test
    void theSmallestBlockThatFitsIsTaken() {
        CachingAllocator allocator = new CachingAllocator(1_000 * MIB);
        List<CachingAllocator.Block> blocks = new ArrayList<>();
        for (long size : new long[] {100, 40, 60}) {
            blocks.add(allocator.allocate(size * MIB).orElseThrow());
        }
        blocks.forEach(allocator::free);
        var unused = allocator.allocate(50 * MIB).orElseThrow();
        assertThat(allocator.freeBlocks()).containsExactlyInAnyOrder(100 * MIB, 40 * MIB, 10 * MIB);
    }

    @Test
    void freeSegmentsAreGivenBackBeforeARequestFails() {
        CachingAllocator allocator = new CachingAllocator(100 * MIB);
        allocator.free(allocator.allocate(60 * MIB).orElseThrow());
        CachingAllocator.Block kept = allocator.allocate(80 * MIB).orElseThrow();
        assertThat(allocator.retries()).isEqualTo(1);
        assertThat(allocator.reservedBytes()).isEqualTo(80 * MIB);
        assertThat(allocator.allocate(40 * MIB)).isEmpty();
        assertThat(allocator.retries()).isEqualTo(2);
        assertThat(allocator.failures()).isEqualTo(1);
        allocator.free(kept);
        assertThatThrownBy(() -> allocator.free(kept)).hasMessage("a block is given back once");
    }

    @Test
    void aTensorBetweenKeepsRequestsFromMemoryThatIsFree() {
        CachingAllocator allocator = new CachingAllocator(100 * MIB);
        CachingAllocator.Block first = allocator.allocate(50 * MIB).orElseThrow();
        CachingAllocator.Block second = allocator.allocate(50 * MIB).orElseThrow();
        allocator.free(first);
        allocator.free(second);
        var unused = allocator.allocate(10 * MIB).orElseThrow();
        CachingAllocator.Block other = allocator.allocate(45 * MIB).orElseThrow();
        var unused2 = allocator.allocate(30 * MIB).orElseThrow();
        allocator.free(other);
        assertThat(allocator.freeBlocks().stream().mapToLong(Long::longValue).sum())
                .isEqualTo(60 * MIB);
        assertThat(allocator.allocate(55 * MIB)).isEmpty();
    }

    @Test
    void allocatedAndFreeAreWhatIsReservedAfterAnySteps() {
        for (long seed = 1; seed <= 20; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            CachingAllocator allocator = new CachingAllocator(500 * MIB);
            List<CachingAllocator.Block> held = new ArrayList<>();
            for (int step = 0; step < 500; step++) {
                if (!held.isEmpty() && random.nextInt(5) < 2) {
                    allocator.free(held.remove(random.nextInt(held.size())));
                } else {
                    allocator.allocate(random.nextLong(2 * MIB, 60 * MIB)).ifPresent(held::add);
                }
                long free = allocator.freeBlocks().stream()
                        .mapToLong(Long::longValue)
                        .sum();
                assertThat(allocator.allocatedBytes() + free)
                        .as("seed %d, step %d", seed, step)
                        .isEqualTo(allocator.reservedBytes())
                        .isLessThanOrEqualTo(500 * MIB);
                assertThat(allocator.inactiveSplitBytes()).isLessThanOrEqualTo(free);
            }
            assertThat(allocator.failures()).as("seed %d", seed).isPositive();
            held.forEach(allocator::free);
            assertThat(allocator.allocatedBytes()).isZero();
            assertThat(allocator.inactiveSplitBytes()).isZero();
        }
    }
}
