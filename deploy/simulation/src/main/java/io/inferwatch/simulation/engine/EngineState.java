package io.inferwatch.simulation.engine;

/**
 * An engine at one moment. Totals are since its start.
 *
 * @param usedBlocks held by sequences; withheld ones are not among them
 * @param withheldBlocks held by nobody, and not to be had
 * @param sequenceTokens of running sequences, as they stand
 * @param promptTokens of the sequences that began to run, the first time that they did
 * @param cachedTokens of those, found in the prefix cache
 * @param recomputedTokens computed again after preemptions, or found in the prefix cache then
 * @param outputTokens that came out
 * @param ended sequences whose last token came out
 * @param cancelled sequences that were cancelled
 */
public record EngineState(
        int running,
        int waiting,
        int usedBlocks,
        int withheldBlocks,
        int blocks,
        long sequenceTokens,
        long steps,
        long promptTokens,
        long cachedTokens,
        long recomputedTokens,
        long outputTokens,
        long preemptions,
        long added,
        long ended,
        long cancelled) {
    /** Share of the blocks that are in use, from 0 to 1; as engines tell it, what is withheld is. */
    public double kvUsage() {
        return (double) (usedBlocks + withheldBlocks) / blocks;
    }
}
