package io.inferwatch.simulation.http;

import io.inferwatch.simulation.serving.Beginning;
import java.util.List;

/** How one answer is written to its connection, on that connection's thread. */
interface Answer {
    /** The first token of any choice is about to come. */
    void begin(Beginning beginning);

    /**
     * The next token of a choice.
     *
     * @return when it was handed to the connection, of {@link System#nanoTime()}
     */
    long token(int choice, int token, String text);

    /** A choice is whole. */
    void finish(int choice, String reason);

    /** All choices are whole. */
    void end(List<String> texts, List<String> reasons, Usage usage);

    /** Instead of the rest of the answer. */
    void fail(int status, String type, String message);
}
