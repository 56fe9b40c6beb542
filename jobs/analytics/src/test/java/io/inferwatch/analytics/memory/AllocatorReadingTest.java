package io.inferwatch.analytics.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.memory.CachingAllocator.Block;
import io.inferwatch.analytics.memory.Figure.Measured;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AllocatorReadingTest {
    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;

    /** Requests and releases at random, more of the former at first: the counters' figures are those of the painted segments. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(ints = {1, 2, 3})
    void figuresAreThoseOfASimulatedAllocator(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        CachingAllocator allocator = new CachingAllocator();
        List<Block> held = new ArrayList<>();
        double greatestSplit = 0;
        for (int step = 1; step <= 10_000; step++) {
            double keep = step < 3_000 ? 0.7 : 0.48;
            if (held.isEmpty() || random.nextDouble() < keep) {
                held.add(allocator.allocate((int) Math.exp(random.nextDouble(6, 17))));
            } else {
                allocator.free(held.remove(random.nextInt(held.size())));
            }
            if (step % 500 == 0) {
                AllocatorReading reading = allocator.reading();
                double free = (double) allocator.trulyFree();
                double reserved = (double) allocator.trulyReserved();
                assertThat(value(reading.cacheShare())).isCloseTo(free / reserved, within(1e-12));
                assertThat(value(reading.splitShare())).isCloseTo(allocator.trulyStranded() / reserved, within(1e-12));
                assertThat(value(reading.external())).isCloseTo(1 - allocator.trulyLargest() / free, within(1e-12));
                assertThat(allocator.freeBlocks().totalBytes()).isEqualTo(allocator.trulyFree());
                assertThat(allocator.freeBlocks().external()).isEqualTo(reading.external());
                for (int request : new int[] {20 * KIB, 48 * KIB, 3 * MIB, 64 * MIB}) {
                    assertThat(value(allocator.freeBlocks().unusableFor(request)))
                            .as("unusable for %d", request)
                            .isCloseTo(allocator.trulyLeft(request) / free, within(1e-12));
                }
                greatestSplit = Math.max(greatestSplit, value(reading.splitShare()));
            }
        }
        assertThat(greatestSplit).isGreaterThan(0.05);
    }

    /** Every second of 256 blocks of 8 KiB in a segment of 2 MiB: half is free, in pieces that serve what is no larger. */
    @Test
    void aCheckerboardIsAllFragmentation() {
        CachingAllocator allocator = new CachingAllocator();
        List<Block> blocks = new ArrayList<>();
        for (int i = 0; i < 256; i++) {
            blocks.add(allocator.allocate(8 * KIB));
        }
        for (int i = 0; i < 256; i += 2) {
            allocator.free(blocks.get(i));
        }
        AllocatorReading reading = allocator.reading();
        assertThat(reading.reservedBytes()).isEqualTo(2L * MIB);
        assertThat(reading.cacheShare()).contains(new Measured(0.5));
        assertThat(reading.splitShare()).contains(new Measured(0.5));
        assertThat(reading.external()).contains(new Measured(127 / 128.0));
        assertThat(allocator.freeBlocks().unusableFor(8 * KIB)).contains(new Measured(0));
        assertThat(allocator.freeBlocks().unusableFor(6 * KIB)).contains(new Measured(0.25));
        assertThat(allocator.freeBlocks().unusableFor(12 * KIB)).contains(new Measured(1));
    }

    @Test
    void aCacheOfWholeSegmentsIsNoFragmentation() {
        CachingAllocator allocator = new CachingAllocator();
        allocator.free(allocator.allocate(64 * MIB));
        AllocatorReading reading = allocator.reading();
        assertThat(reading.cacheShare()).contains(new Measured(1));
        assertThat(reading.splitShare()).contains(new Measured(0));
        assertThat(reading.external()).contains(new Measured(0));
    }

    @Test
    void whatIsNotToldOrHasNoMeaningIsAbsent() {
        AllocatorReading untold = new AllocatorReading(1, 2, null, null);
        assertThat(untold.splitShare()).isEmpty();
        assertThat(untold.external()).isEmpty();
        AllocatorReading full = new AllocatorReading(5, 5, 0L, 0L);
        assertThat(full.external()).isEmpty();
        assertThat(full.splitShare()).contains(new Measured(0));
        assertThat(new AllocatorReading(0, 0, 0L, 0L).cacheShare()).isEmpty();
        assertThat(new FreeBlocks().external()).isEmpty();
        assertThat(new FreeBlocks().unusableFor(1)).isEmpty();
    }

    @Test
    void countersThatContradictEachOtherAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new AllocatorReading(3, 2, null, null))
                .withMessage("allocatedBytes: must be from 0 to reservedBytes (2), found 3");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new AllocatorReading(1, 4, 4L, null))
                .withMessage("inactiveSplitBytes: must be from 0 to what is free (3), found 4");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new AllocatorReading(1, 4, null, 4L))
                .withMessage("largestFreeBlockBytes: must be from 0 to what is free (3), found 4");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new AllocatorReading(0, -1, null, null))
                .withMessage("reservedBytes: must be at least 0, found -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FreeBlocks(4, 0))
                .withMessage("bytes: must be at least 1, found 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FreeBlocks(4).unusableFor(0))
                .withMessage("requestBytes: must be at least 1, found 0");
    }

    private static double value(Optional<Measured> figure) {
        return figure.orElseThrow().value();
    }
}
