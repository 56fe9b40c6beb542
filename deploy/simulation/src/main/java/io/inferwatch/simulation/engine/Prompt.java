package io.inferwatch.simulation.engine;

import java.util.List;

/**
 * A prompt as the engine sees it: how many tokens, and for each full block a hash of all that stands in it and before it, by which the
 * prefix cache knows it again. Two prompts share the hashes of the blocks that they have in common from the beginning, and (but for
 * collisions of 64 bits) no others.
 */
public final class Prompt {
    /** The simulated tokeniser: four characters are a token. */
    public static final int CHARACTERS_PER_TOKEN = 4;

    private final int tokens;
    private final long[] blockHashes;

    private Prompt(int tokens, long[] blockHashes) {
        this.tokens = tokens;
        this.blockHashes = blockHashes;
    }

    /** A run of tokens that is the same wherever the same content stands. */
    public record Part(long content, int tokens) {}

    /** The prompt of a text. */
    public static Prompt ofText(String text, int blockTokens) {
        int tokens = Math.max(1, (text.length() + CHARACTERS_PER_TOKEN - 1) / CHARACTERS_PER_TOKEN);
        long[] hashes = new long[tokens / blockTokens];
        long chain = 0;
        for (int block = 0; block < hashes.length; block++) {
            int begin = block * blockTokens * CHARACTERS_PER_TOKEN;
            int end = Math.min(text.length(), begin + blockTokens * CHARACTERS_PER_TOKEN);
            for (int i = begin; i < end; i++) {
                chain = mix(chain ^ text.charAt(i));
            }
            hashes[block] = chain;
        }
        return new Prompt(tokens, hashes);
    }

    /** The prompt that consists of parts, one after the other; empty ones do not count. */
    public static Prompt ofParts(List<Part> parts, int blockTokens) {
        int tokens = Math.max(1, parts.stream().mapToInt(Part::tokens).sum());
        long[] hashes = new long[tokens / blockTokens];
        int position = 0;
        long chain = 0;
        for (Part part : parts) {
            for (int i = 0; i < part.tokens; i++) {
                chain = mix(chain ^ mix(part.content + i));
                position++;
                if (position % blockTokens == 0) {
                    hashes[position / blockTokens - 1] = chain;
                }
            }
        }
        return new Prompt(tokens, hashes);
    }

    /** A prompt that shares nothing with one of another content. */
    public static Prompt of(long content, int tokens, int blockTokens) {
        return ofParts(List.of(new Part(content, tokens)), blockTokens);
    }

    /** Tokens of the prompt, at least 1. */
    public int tokens() {
        return tokens;
    }

    int fullBlocks() {
        return blockHashes.length;
    }

    long blockHash(int block) {
        return blockHashes[block];
    }

    /** The finaliser of MurmurHash3 after a step that keeps 0 from staying 0. */
    static long mix(long value) {
        long x = value + 0x9E3779B97F4A7C15L;
        x = (x ^ (x >>> 33)) * 0xFF51AFD7ED558CCDL;
        x = (x ^ (x >>> 33)) * 0xC4CEB9FE1A85EC53L;
        return x ^ (x >>> 33);
    }
}
