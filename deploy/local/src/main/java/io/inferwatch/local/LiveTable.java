package io.inferwatch.local;

import java.io.PrintWriter;
import java.util.List;

/** Shows lines that change: on a terminal in place, elsewhere one line now and then. */
final class LiveTable {
    private static final long PLAIN_INTERVAL_NANOS = 10_000_000_000L;

    private final PrintWriter out;
    private final boolean terminal;
    private int shown;
    private long plainAtNanos;

    LiveTable(PrintWriter out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
        this.plainAtNanos = System.nanoTime();
    }

    /**
     * Shows the present state.
     *
     * @param status one line, for the end of the table and for output that is no terminal
     */
    void show(List<String> table, String status) {
        if (terminal) {
            StringBuilder text = new StringBuilder();
            if (shown > 0) {
                text.append("\033[").append(shown).append("A\r");
            }
            table.forEach(line -> text.append("\033[2K").append(line).append('\n'));
            text.append("\033[2K").append(status).append('\n').append("\033[J");
            out.print(text);
            out.flush();
            shown = table.size() + 1;
        } else if (System.nanoTime() - plainAtNanos >= PLAIN_INTERVAL_NANOS) {
            plainAtNanos = System.nanoTime();
            out.println(status);
            out.flush();
        }
    }

    /** Removes what stands on the terminal, so that a summary can take its place. */
    void clear() {
        if (terminal && shown > 0) {
            out.print("\033[" + shown + "A\r\033[J");
            out.flush();
            shown = 0;
        }
    }
}
