package io.inferwatch.analytics.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.memory.Figure.Measured;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class KvCacheReadingTest {
    private static final int BLOCK = 16;

    /** Block tables as an engine keeps them: what each physical block holds, and what is only known from outside. */
    private static final class BlockTables {
        private final Map<String, Integer> heldByBlock = new HashMap<>();
        private final TreeMap<Long, Long> lengths = new TreeMap<>();
        private long tokens;
        private long shared;
        private long sequences;

        /** A sequence whose first whole blocks are those of a prompt that others have too. */
        void add(int prompt, int promptBlocks, int length) {
            for (int at = 0; at < length; at += BLOCK) {
                int number = at / BLOCK;
                String block = number < promptBlocks ? "p" + prompt + "/" + number : "s" + sequences + "/" + number;
                int held = Math.min(BLOCK, length - at);
                shared += heldByBlock.putIfAbsent(block, held) == null ? 0 : held;
            }
            tokens += length;
            sequences++;
            lengths.merge((long) length, 1L, Long::sum);
        }

        KvCacheReading reading() {
            return new KvCacheReading(BLOCK, 100_000, heldByBlock.size());
        }

        double trueWaste() {
            long held =
                    heldByBlock.values().stream().mapToLong(Integer::longValue).sum();
            return 1 - (double) held / (heldByBlock.size() * BLOCK);
        }
    }

    private static BlockTables tables(int prompts, int promptBlocks) {
        SplittableRandom random = new SplittableRandom(7);
        BlockTables tables = new BlockTables();
        for (int i = 0; i < 500; i++) {
            tables.add(random.nextInt(prompts), promptBlocks, promptBlocks * BLOCK + 1 + random.nextInt(200));
        }
        return tables;
    }

    @Test
    void wasteIsThatOfTheBlockTablesSeed7() {
        BlockTables tables = tables(4, 20);
        long physical = tables.tokens - tables.shared;
        double waste = tables.trueWaste();
        assertThat(waste).isBetween(0.03, 0.1);
        assertThat(tables.reading().waste(physical).orElseThrow().value()).isCloseTo(waste, within(1e-12));
        assertThat(tables.reading()
                        .estimatedWaste(tables.tokens, tables.shared)
                        .orElseThrow()
                        .value())
                .isCloseTo(waste, within(1e-12));
        // Shared blocks are full: all waste is in sequences' last blocks.
        assertThat(tables.reading()
                        .estimatedTailWaste(tables.sequences, LengthHistogram.of(tables.lengths))
                        .orElseThrow()
                        .value())
                .isCloseTo(waste, within(1e-12));
    }

    @Test
    void sharingThatIsNotKnownOfMakesNoNegativeWasteAndIsMarkedSeed7() {
        BlockTables tables = tables(4, 20);
        Figure.Estimated estimate =
                tables.reading().estimatedWaste(tables.tokens, 0).orElseThrow();
        assertThat(estimate.value()).isZero();
        assertThat(estimate.computed()).isNegative();
        assertThat(estimate.isClamped()).isTrue();
    }

    @Test
    void usageAndStrandedCacheAreShares() {
        KvCacheReading reading = new KvCacheReading(16, 1_000, 250);
        assertThat(reading.usage()).isEqualTo(new Measured(0.25));
        assertThat(reading.stranded(4_000)).isEqualTo(new Measured(0.25));
        assertThat(reading.stranded(0)).isEqualTo(new Measured(0));
    }

    @Test
    void anEmptyCacheWastesNothingThatCouldBeAShare() {
        KvCacheReading empty = new KvCacheReading(16, 10, 0);
        assertThat(empty.waste(0)).isEmpty();
        assertThat(empty.estimatedWaste(0, 0)).isEmpty();
    }

    @Test
    void amountsThatCannotBeAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new KvCacheReading(0, 10, 0))
                .withMessage("blockTokens: must be at least 1, found 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new KvCacheReading(16, 10, 11))
                .withMessage("usedBlocks: must be from 0 to totalBlocks (10), found 11");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new KvCacheReading(1L << 40, 1L << 40, 0))
                .withMessageStartingWith("totalBlocks: must be from 0 to 2^63 / blockTokens");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new KvCacheReading(16, 10, 2).waste(33))
                .withMessage("physicalTokens: must be from 0 to tokens of the used blocks (32), found 33");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new KvCacheReading(16, 10, 2).estimatedWaste(5, 6))
                .withMessage("sharedTokens: must be from 0 to tokens (5), found 6");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new KvCacheReading(16, 10, 2).stranded(161))
                .withMessage("evictableTokens: must be from 0 to tokens of the cache (160), found 161");
    }

    /** The published layers of three models; what each layer needs of a sequence that all have room for (vllm-project/vllm#11382). */
    @Test
    void layersThatNeedNotAllTokensWasteAsPublished() {
        List<LayerGroup> mllama = List.of(new LayerGroup(32, 43), new LayerGroup(8, 6_404));
        assertThat(LayerGroup.waste(mllama, 43 + 6_404).value()).isCloseTo(0.796, within(0.0005));
        LengthHistogram ministral = LengthHistogram.of(new TreeMap<>(Map.of(131_072L, 3L)));
        assertThat(LayerGroup.waste(
                                List.of(LayerGroup.full(9, ministral), LayerGroup.sliding(27, 32_768, ministral)),
                                131_072)
                        .value())
                .isEqualTo(0.5625);
        LengthHistogram gemma = LengthHistogram.of(new TreeMap<>(Map.of(8_192L, 1L)));
        assertThat(LayerGroup.waste(List.of(LayerGroup.full(21, gemma), LayerGroup.sliding(21, 4_096, gemma)), 8_192)
                        .value())
                .isEqualTo(0.25);
    }

    @Test
    void layersWithAWindowNeedTheMeanOfWhatFitsInIt() {
        LengthHistogram lengths = LengthHistogram.of(new TreeMap<>(Map.of(100L, 3L, 1_000L, 1L)));
        assertThat(LayerGroup.full(1, lengths).neededTokens()).isEqualTo(325);
        assertThat(LayerGroup.sliding(1, 400, lengths).neededTokens()).isEqualTo(175);
        assertThat(LayerGroup.sliding(1, 1_000, lengths).neededTokens()).isEqualTo(325);
        assertThat(LayerGroup.sliding(1, 50, lengths).neededTokens()).isEqualTo(50);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LayerGroup.waste(List.of(), 1))
                .withMessage("groups: must be at least one, found none");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LayerGroup.waste(List.of(new LayerGroup(1, 1)), 0))
                .withMessage("heldTokens: must be above 0 and finite, found 0.0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LayerGroup(0, 1))
                .withMessage("layers: must be at least 1, found 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LayerGroup(1, Double.NaN))
                .withMessage("neededTokens: must be at least 0 and finite, found NaN");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LayerGroup.sliding(1, 0, lengths))
                .withMessage("windowTokens: must be at least 1, found 0");
    }
}
