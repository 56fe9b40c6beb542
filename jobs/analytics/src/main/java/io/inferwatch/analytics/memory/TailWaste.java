package io.inferwatch.analytics.memory;

import io.inferwatch.analytics.memory.Figure.Estimated;

/**
 * What sequences leave empty in their last block, E[B ceil(L / B) - L] for lengths L and blocks of B tokens [Kwon et al. 2023]. Within a cell of
 * the histogram lengths are taken as equally likely: exact where cells are single lengths, and hardly less so where lengths vary by more than a
 * cell; off by less than B tokens for those that are all the same. The least and the greatest length, where limits pile them up, end a cell.
 *
 * @param blockTokens B
 * @param tokens expected for a sequence; about (B - 1) / 2 where lengths vary by more than a block
 * @param share of the tokens that its blocks have room for
 */
public record TailWaste(long blockTokens, Estimated tokens, Estimated share) {

    /**
     * The expected waste for a block size.
     *
     * @throws IllegalStateException when the histogram is empty
     */
    public static TailWaste of(LengthHistogram lengths, long blockTokens) {
        Amounts.requireAtLeast(1, "blockTokens", blockTokens);
        lengths.requireLengths();
        double wasted = 0;
        for (int cell = 0; cell < lengths.cells(); cell++) {
            double inCell = upTo(lengths.greatest(cell), blockTokens) - upTo(lengths.least(cell) - 1, blockTokens);
            wasted += lengths.count(cell) * inCell / lengths.width(cell);
        }
        return new TailWaste(
                blockTokens,
                Estimated.amount(wasted / lengths.n()),
                Estimated.share(wasted / (wasted + lengths.tokens())));
    }

    /** The waste of one sequence of each length from 1 to the given one: whole blocks' lengths waste B - 1, B - 2 ... 0. */
    private static double upTo(long length, long blockTokens) {
        long blocks = length / blockTokens;
        double rest = (double) (length % blockTokens);
        return blocks * (blockTokens * (blockTokens - 1.0) / 2) + rest * blockTokens - rest * (rest + 1) / 2;
    }
}
