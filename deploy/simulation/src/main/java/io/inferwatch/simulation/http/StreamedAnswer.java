package io.inferwatch.simulation.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.inferwatch.simulation.serving.Beginning;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalInt;

/**
 * An answer as server-sent events: in a chat a role chunk before a choice's first token, an event for each token, one with the finish
 * reason for each choice, usage if asked for, {@code [DONE]}. Headers are sent with the first token: what fails before has a status of its
 * own, what fails later an error event.
 */
final class StreamedAnswer implements Answer {
    private final Connection connection;
    private final GenerationRequest request;
    private final Bodies bodies;
    private final int promptTokens;
    private final BitSet begun = new BitSet();
    private int tokens;

    StreamedAnswer(Connection connection, GenerationRequest request, Bodies bodies, int promptTokens) {
        this.connection = connection;
        this.request = request;
        this.bodies = bodies;
        this.promptTokens = promptTokens;
    }

    @Override
    public void begin(Beginning beginning) {
        connection.tell(beginning);
        connection.beginStream();
    }

    @Override
    public long token(int choice, int token, String text) {
        if (!begun.get(choice)) {
            begun.set(choice);
            if (request.api() == Api.CHAT) {
                event(bodies.role(choice));
            }
        }
        tokens++;
        event(bodies.token(choice, token, text));
        long handedOverNanos = System.nanoTime();
        connection.flush();
        return handedOverNanos;
    }

    @Override
    public void finish(int choice, String reason) {
        event(bodies.finish(choice, reason));
        connection.flush();
    }

    @Override
    public void end(List<String> texts, List<String> reasons, Usage usage) {
        if (request.includesUsage()) {
            connection.event(bodies.usage(usage));
        }
        connection.endStream();
    }

    @Override
    public void fail(int status, String type, String message) {
        if (begun.isEmpty()) {
            connection.answer(status, Bodies.error(status, type, message));
        } else {
            connection.event(Bodies.error(status, type, message));
            connection.endStream();
        }
    }

    private void event(ObjectNode chunk) {
        if (request.continuousUsage()) {
            chunk.set("usage", new Usage(promptTokens, OptionalInt.empty(), tokens).json());
        }
        connection.event(chunk);
    }
}
