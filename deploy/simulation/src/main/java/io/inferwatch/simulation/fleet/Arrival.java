package io.inferwatch.simulation.fleet;

import io.inferwatch.simulation.engine.Prompt;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A request that comes to the fleet.
 *
 * @param atNanos when, from the beginning; not before the former one
 * @param tenant 16 hexadecimal digits, as probes hash it
 * @param session 16 hexadecimal digits; requests of one go to the same replica
 * @param turn from 1; empty where the request stands alone
 * @param answerTokens length that the answer would have by itself
 * @param maxTokens the client's limit of it
 */
public record Arrival(
        long atNanos,
        String tenant,
        String session,
        OptionalInt turn,
        Optional<String> template,
        Optional<String> workloadClass,
        List<Prompt.Part> prompt,
        int answerTokens,
        int maxTokens) {
    /** A request of its own, which shares its prompt with no other of another number. */
    public static Arrival alone(long atNanos, long number, int promptTokens, int answerTokens) {
        return new Arrival(
                atNanos,
                hash("tenant", number % 12),
                hash("session", number),
                OptionalInt.empty(),
                Optional.empty(),
                Optional.empty(),
                List.of(new Prompt.Part(number << 32, promptTokens)),
                answerTokens,
                Integer.MAX_VALUE);
    }

    static String hash(String what, long number) {
        return "%016x".formatted((what.hashCode() * 0x9E3779B97F4A7C15L) ^ (number * 0xC2B2AE3D27D4EB4FL));
    }
}
