package io.inferwatch.analytics.memory;

import io.inferwatch.analytics.memory.Figure.Estimated;

/**
 * Lengths padded to the next boundary.
 *
 * @param paddedTokens what they take with their padding
 * @param tokens what they are without
 * @param beyond lengths above the last boundary, which are padded to nothing and in neither number
 */
public record Padding(double paddedTokens, double tokens, double beyond) {
    /** Padding alone, tokens. */
    public double wastedTokens() {
        return Math.max(0, paddedTokens - tokens);
    }

    /** Padding of what is taken with it; 0 where nothing is. */
    public Estimated share() {
        return Estimated.share(paddedTokens > 0 ? 1 - tokens / paddedTokens : 0);
    }
}
