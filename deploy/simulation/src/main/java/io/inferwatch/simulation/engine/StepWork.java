package io.inferwatch.simulation.engine;

/**
 * What an engine computes in one step.
 *
 * @param prefillTokens of prompts
 * @param prefillPairs pairs of such a token and a token at or before its place: what attention looks at
 * @param decodeSequences that get one token each
 * @param decodeContextTokens tokens at or before the places of those, over all sequences
 */
public record StepWork(long prefillTokens, long prefillPairs, long decodeSequences, long decodeContextTokens) {
    static final StepWork NONE = new StepWork(0, 0, 0, 0);

    /** The same and a part of a prompt that begins after so many tokens. */
    StepWork withPrefill(long contextTokens, long tokens) {
        return new StepWork(
                prefillTokens + tokens,
                prefillPairs + contextTokens * tokens + tokens * (tokens + 1) / 2,
                decodeSequences,
                decodeContextTokens);
    }

    /** The same and the next token of a sequence that has so many tokens. */
    StepWork withDecode(long contextTokens) {
        return new StepWork(prefillTokens, prefillPairs, decodeSequences + 1, decodeContextTokens + contextTokens);
    }
}
