package io.inferwatch.analytics.memory;

import io.inferwatch.analytics.memory.Figure.Estimated;
import io.inferwatch.analytics.memory.Figure.Measured;
import java.util.Optional;

/**
 * A paged KV cache [Kwon et al. 2023, arXiv 2309.06180] at one instant: blocks of a fixed number of tokens, which sequences fill up to their
 * last.
 *
 * @param blockTokens tokens of a block
 * @param totalBlocks blocks of the cache
 * @param usedBlocks blocks that requests hold
 */
public record KvCacheReading(long blockTokens, long totalBlocks, long usedBlocks) {
    /** Checks the amounts. */
    public KvCacheReading {
        Amounts.requireAtLeast(1, "blockTokens", blockTokens);
        Amounts.requireAtLeast(1, "totalBlocks", totalBlocks);
        Amounts.requireWithin("2^63 / blockTokens", Long.MAX_VALUE / blockTokens, "totalBlocks", totalBlocks);
        Amounts.requireWithin("totalBlocks", totalBlocks, "usedBlocks", usedBlocks);
    }

    /** Used blocks of all. */
    public Measured usage() {
        return new Measured((double) usedBlocks / totalBlocks);
    }

    /**
     * Waste by blocks, 1 - tokens / (used blocks * tokens of a block); empty where none is used.
     *
     * @param physicalTokens tokens in used blocks by the engine's own account, those that sequences share counted once
     */
    public Optional<Measured> waste(long physicalTokens) {
        Amounts.requireWithin("tokens of the used blocks", usedTokens(), "physicalTokens", physicalTokens);
        return usedBlocks == 0
                ? Optional.empty()
                : Optional.of(new Measured((double) (usedTokens() - physicalTokens) / usedTokens()));
    }

    /**
     * The same where the engine does not count tokens, from the lengths of its open sequences; empty where no block is used. Below 0 where they
     * share more than is known of.
     *
     * @param tokens sum of the lengths of all open sequences as they stand
     * @param sharedTokens of these, tokens that lie in blocks which another sequence was counted for
     */
    public Optional<Estimated> estimatedWaste(long tokens, long sharedTokens) {
        Amounts.requireAtLeast(0, "tokens", tokens);
        Amounts.requireWithin("tokens", tokens, "sharedTokens", sharedTokens);
        return share(usedTokens() - (double) (tokens - sharedTokens));
    }

    /**
     * The part of the waste that lies in sequences' last blocks; empty where no block is used. Above 1 where the sequences cannot all be in these
     * blocks.
     *
     * @param sequences open sequences
     * @param lengths how long sequences are, as they stand
     */
    public Optional<Estimated> estimatedTailWaste(long sequences, LengthHistogram lengths) {
        Amounts.requireAtLeast(0, "sequences", sequences);
        return share(sequences * TailWaste.of(lengths, blockTokens).tokens().value());
    }

    /**
     * Cache that no request holds, of the whole: kept in hope of reuse, and taken from nobody as long as it can be evicted.
     *
     * @param evictableTokens tokens that are cached and held by no request
     */
    public Measured stranded(long evictableTokens) {
        long capacity = blockTokens * totalBlocks;
        Amounts.requireWithin("tokens of the cache", capacity, "evictableTokens", evictableTokens);
        return new Measured((double) evictableTokens / capacity);
    }

    private Optional<Estimated> share(double wastedTokens) {
        return usedBlocks == 0 ? Optional.empty() : Optional.of(Estimated.share(wastedTokens / usedTokens()));
    }

    private long usedTokens() {
        return blockTokens * usedBlocks;
    }
}
