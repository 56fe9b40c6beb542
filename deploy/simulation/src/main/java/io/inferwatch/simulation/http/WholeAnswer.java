package io.inferwatch.simulation.http;

import io.inferwatch.simulation.serving.Beginning;
import java.util.List;

/** An answer in one piece, once all of it is there. */
final class WholeAnswer implements Answer {
    private final Connection connection;
    private final Bodies bodies;

    WholeAnswer(Connection connection, Bodies bodies) {
        this.connection = connection;
        this.bodies = bodies;
    }

    @Override
    public void begin(Beginning beginning) {
        connection.tell(beginning);
    }

    @Override
    public long token(int choice, int token, String text) {
        return System.nanoTime();
    }

    @Override
    public void finish(int choice, String reason) {}

    @Override
    public void end(List<String> texts, List<String> reasons, Usage usage) {
        connection.answer(200, bodies.whole(texts, reasons, usage));
    }

    @Override
    public void fail(int status, String type, String message) {
        connection.answer(status, Bodies.error(status, type, message));
    }
}
