package io.inferwatch.simulation.http;

import java.util.List;

/** The text of an answer: a word for each token, the same for the same seed. */
final class Words {
    private static final List<String> ALL = List.of(
            "the", "model", "is", "not", "here", "and", "these", "words", "mean", "nothing", "they", "only", "take",
            "time", "like", "real", "ones", "would", "so", "that", "one", "may", "watch", "them", "come", "in", "a",
            "stream");

    private final long seed;

    Words(long seed) {
        this.seed = seed;
    }

    /** A word and the space before it, but for the first. */
    String word(int token) {
        long hash = (seed + token) * 0x9E3779B97F4A7C15L;
        String word = ALL.get((int) Math.floorMod(hash ^ (hash >>> 29), (long) ALL.size()));
        return token == 0 ? word : " " + word;
    }

    /** A piece of the arguments of a tool call, which are whole after the given number of tokens. */
    String argument(int token, int tokens) {
        String piece = word(token);
        return (token == 0 ? "{\"text\": \"" : "") + piece + (token == tokens - 1 ? "\"}" : "");
    }
}
