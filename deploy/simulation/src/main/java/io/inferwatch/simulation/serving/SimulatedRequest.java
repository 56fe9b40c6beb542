package io.inferwatch.simulation.serving;

import io.inferwatch.simulation.engine.Prompt;

/**
 * What a client asks.
 *
 * @param id unique at the server
 * @param answerTokens length that the answer would have by itself
 * @param maxTokens the client's limit of it
 */
public record SimulatedRequest(String id, Prompt prompt, int answerTokens, int maxTokens) {
    int tokens() {
        return Math.max(1, Math.min(answerTokens, maxTokens));
    }

    Ending wholeEnding() {
        return answerTokens > maxTokens ? Ending.LENGTH : Ending.STOP;
    }
}
