package io.inferwatch.simulation.engine;

/**
 * An engine.
 *
 * @param blockTokens tokens a block of the KV cache
 * @param blocks of the KV cache
 * @param tokenBudget most tokens a step, those of prompts and one for each running sequence together
 * @param maxSequences most sequences that run at once
 * @param maxContextTokens most tokens of a prompt and its answer
 * @param prefixCaching whether blocks that are full are found again by what they hold
 */
public record EngineSpec(
        int blockTokens,
        int blocks,
        int tokenBudget,
        int maxSequences,
        int maxContextTokens,
        boolean prefixCaching,
        CostModel cost) {
    /** Checked. */
    public EngineSpec {
        if (blockTokens < 1 || blocks < 1 || tokenBudget < 1 || maxSequences < 1 || maxContextTokens < 2) {
            throw new IllegalArgumentException(
                    "engine: sizes must be positive, found %d tokens a block, %d blocks, budget %d, %d sequences, context %d"
                            .formatted(blockTokens, blocks, tokenBudget, maxSequences, maxContextTokens));
        }
    }

    /**
     * Llama 3.1 8B on one A100 80 GB: of 90 % of the memory 16 GB are weights and 2 GB activations, and a block of 16 tokens has 2 MiB,
     * which leaves 25,600 blocks; budget and sequences are vLLM's usual 2,048 and 256.
     */
    public static EngineSpec llama8bOnA100() {
        return new EngineSpec(16, 25_600, 2_048, 256, 131_072, true, CostModel.llama8bOnA100());
    }

    /** The same with another size of the KV cache. */
    public EngineSpec withBlocks(int count) {
        return new EngineSpec(blockTokens, count, tokenBudget, maxSequences, maxContextTokens, prefixCaching, cost);
    }

    /** The same with another cost of its steps. */
    public EngineSpec withCost(CostModel model) {
        return new EngineSpec(blockTokens, blocks, tokenBudget, maxSequences, maxContextTokens, prefixCaching, model);
    }

    /** The same with other limits of a step. */
    public EngineSpec withLimits(int budget, int sequences) {
        return new EngineSpec(blockTokens, blocks, budget, sequences, maxContextTokens, prefixCaching, cost);
    }

    /** The same without a prefix cache. */
    public EngineSpec withoutPrefixCaching() {
        return new EngineSpec(blockTokens, blocks, tokenBudget, maxSequences, maxContextTokens, false, cost);
    }

    /** The most tokens that one sequence can have here. */
    public long longestSequence() {
        return Math.min(maxContextTokens, (long) blocks * blockTokens);
    }

    int blocksFor(long tokens) {
        return Math.toIntExact((tokens + blockTokens - 1) / blockTokens);
    }
}
