package io.inferwatch.analytics.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.inferwatch.analytics.memory.DeviceMemory.Part;
import io.inferwatch.analytics.memory.Figure.Estimated;
import io.inferwatch.analytics.memory.Figure.Measured;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A device whose parts are written down first: 16 weights, 48 cache, 2 graphs, 3 of activations, 1 stranded in split blocks, 4 of contexts. */
class DeviceMemoryTest {
    private static final AllocatorReading ALLOCATOR = new AllocatorReading(67, 70, 1L, 2L);

    @Test
    void everyPartIsFoundWhereAllIsTold() {
        assertThat(new DeviceMemory(74, 16L, 48L, 2L, ALLOCATOR).waterfall())
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        Part.WEIGHTS, new Measured(16),
                        Part.KV_CACHE, new Measured(48),
                        Part.GRAPHS, new Measured(2),
                        Part.FRAGMENTATION, new Measured(1),
                        Part.WORKSPACE, new Estimated(3, 3),
                        Part.OTHER, new Estimated(4, 4)));
    }

    @Test
    void withoutSplitBytesAllThatIsCachedIsTheEstimate() {
        AllocatorReading untold = new AllocatorReading(67, 70, null, null);
        assertThat(new DeviceMemory(74, 16L, 48L, 2L, untold).waterfall())
                .containsEntry(Part.FRAGMENTATION, new Estimated(3, 3))
                .containsEntry(Part.WORKSPACE, new Estimated(1, 1))
                .containsEntry(Part.OTHER, new Estimated(4, 4));
    }

    @Test
    void withoutAnAllocatorTheRestIsOther() {
        assertThat(new DeviceMemory(74, 16L, 48L, 2L, null).waterfall())
                .containsOnlyKeys(Part.WEIGHTS, Part.KV_CACHE, Part.GRAPHS, Part.OTHER)
                .containsEntry(Part.OTHER, new Estimated(8, 8));
    }

    @Test
    void weightsThatNobodyTellsOfAreNoWorkspace() {
        assertThat(new DeviceMemory(74, null, 48L, null, ALLOCATOR).waterfall())
                .containsOnlyKeys(Part.KV_CACHE, Part.FRAGMENTATION, Part.OTHER)
                .containsEntry(Part.OTHER, new Estimated(25, 25));
    }

    /** A cache that the engine got from elsewhere than the allocator, and an account that is older than the engine's. */
    @Test
    void whatCannotBeIsClampedAndMarked() {
        Map<Part, Figure> parts = new DeviceMemory(60, 16L, 48L, 2L, new AllocatorReading(18, 20, 1L, 1L)).waterfall();
        assertThat(parts)
                .containsEntry(Part.WORKSPACE, new Estimated(0, -47))
                .containsEntry(Part.OTHER, new Estimated(0, -7));
        assertThat(new Estimated(0, -7).isClamped()).isTrue();
        assertThat(new Estimated(4, 4).isClamped()).isFalse();
    }

    @Test
    void negativeAmountsAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new DeviceMemory(-1, null, null, null, null))
                .withMessage("usedBytes: must be at least 0, found -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new DeviceMemory(1, null, -2L, null, null))
                .withMessage("kvCacheBytes: must be at least 0, found -2");
    }
}
