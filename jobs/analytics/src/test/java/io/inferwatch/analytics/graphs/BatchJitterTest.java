package io.inferwatch.analytics.graphs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class BatchJitterTest {
    private static final CaptureSizes SIZES = new CaptureSizes(List.of(1, 2, 4, 8, 16, 32));

    /** By hand. */
    @Test
    void aRestlessReplica() {
        int[] batches = {3, 4, 9, 7, 15, 22};
        SeenShapes seen = new SeenShapes();
        BatchJitter jitter = BatchJitter.of(batches, SIZES, seen).orElseThrow();
        assertThat(jitter.steps()).isEqualTo(6);
        assertThat(jitter.mean()).isEqualTo(10);
        // (49 + 36 + 1 + 9 + 25 + 144) / 5.
        assertThat(jitter.variation()).isCloseTo(Math.sqrt(52.8) / 10, within(1e-12));
        // (1 + 5 + 2 + 8 + 7) / 5.
        assertThat(jitter.meanChange()).isCloseTo(4.6, within(1e-12));
        // 4, 4, 16, 8, 16, 32.
        assertThat(jitter.newShapes()).isEqualTo(4);
        assertThat(jitter.paddingShare()).isCloseTo(20 / 80.0, within(1e-12));
        assertThat(seen.count()).isEqualTo(4);
    }

    @Test
    void aShapeIsNewOnceAndAfterARestartFromBytes() {
        SeenShapes seen = new SeenShapes();
        assertThat(BatchJitter.of(new int[] {5, 6, 40}, SIZES, seen)
                        .orElseThrow()
                        .newShapes())
                .isEqualTo(2);
        SeenShapes restored = SeenShapes.ofBytes(seen.toBytes());
        assertThat(BatchJitter.of(new int[] {8, 40, 41}, SIZES, restored)
                        .orElseThrow()
                        .newShapes())
                .isEqualTo(1);
        assertThat(restored.count()).isEqualTo(3);
    }

    @Test
    void withoutPaddingEverySizeIsAShape() {
        BatchJitter jitter = BatchJitter.of(new int[] {5, 6, 5, 7}, CaptureSizes.EXACT, new SeenShapes())
                .orElseThrow();
        assertThat(jitter.newShapes()).isEqualTo(3);
        assertThat(jitter.paddingShare()).isZero();
    }

    @Test
    void aFixedBatchHasNoJitter() {
        BatchJitter jitter =
                BatchJitter.of(new int[] {32, 32, 32}, SIZES, new SeenShapes()).orElseThrow();
        assertThat(jitter.variation()).isZero();
        assertThat(jitter.meanChange()).isZero();
        assertThat(jitter.newShapes()).isEqualTo(1);
    }

    @Test
    void oneStepHasNoJitterButAShape() {
        SeenShapes seen = new SeenShapes();
        assertThat(BatchJitter.of(new int[] {3}, SIZES, seen)).isEmpty();
        assertThat(seen.count()).isEqualTo(1);
        assertThat(BatchJitter.of(new int[0], SIZES, seen)).isEmpty();
    }

    @Test
    void hugeShapesAreOne() {
        SeenShapes seen = new SeenShapes();
        assertThat(seen.isFirst(70_000)).isTrue();
        assertThat(seen.isFirst(80_000)).isFalse();
        assertThat(seen.toBytes().length).isEqualTo(8_193);
    }

    @Test
    void nonsenseIsRefused() {
        assertThatThrownBy(() -> new CaptureSizes(List.of(4, 4))).hasMessage("sizes: must rise from 1, found [4, 4]");
        assertThatThrownBy(() -> new CaptureSizes(List.of(0))).hasMessage("sizes: must rise from 1, found [0]");
        assertThatThrownBy(() -> BatchJitter.of(new int[] {0, 1}, CaptureSizes.EXACT, new SeenShapes()))
                .hasMessage("shape: must be at least 1, found 0");
    }
}
