package io.inferwatch.probes.load;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is to be sent.
 *
 * @param number from 0 within its phase
 * @param afterNanos when, counted from the beginning of the phase; null for as soon as the limit of open requests allows
 * @param answerTokens length that is asked for
 * @param session name of the conversation; null for none
 * @param turn of the conversation, from 1; null for none
 * @param step of the load that it belongs to, from 0
 * @param followUp next turn of the conversation, which depends on this one's end; null for none
 */
record PlannedRequest(
        long number,
        @Nullable Long afterNanos,
        List<Message> messages,
        int answerTokens,
        @Nullable String session,
        @Nullable Integer turn,
        int step,
        @Nullable FollowUp followUp) {
    /** What comes after a pause for thought. */
    record FollowUp(long thinkNanos, PlannedRequest request) {}

    PlannedRequest {
        messages = List.copyOf(messages);
    }

    int promptTokens() {
        return messages.stream().mapToInt(Message::tokens).sum();
    }

    long promptCharacters() {
        return messages.stream().mapToLong(Message::characters).sum();
    }
}
