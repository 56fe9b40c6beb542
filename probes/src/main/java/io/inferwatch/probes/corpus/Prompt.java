package io.inferwatch.probes.corpus;

/**
 * A prompt of a corpus.
 *
 * @param tokens by the corpus's vocabulary
 */
public record Prompt(String text, int tokens) {}
