package io.inferwatch.probes.replay;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;

/** Shows progress in one line of a terminal, written over itself. */
final class TerminalProgress implements ReplayListener {
    private final PrintWriter terminal;
    private int length;

    TerminalProgress(PrintWriter terminal) {
        this.terminal = terminal;
    }

    @Override
    public void progress(ReplayProgress progress) {
        String line = line(progress);
        terminal.print("\r" + line + " ".repeat(Math.max(0, length - line.length())));
        terminal.flush();
        length = line.length();
    }

    /** Leaves the line. */
    void end() {
        if (length > 0) {
            terminal.println();
            terminal.flush();
        }
    }

    static String line(ReplayProgress progress) {
        return String.format(
                Locale.ROOT,
                "%,d of %,d sent (%d %%), %,.0f/s, %,d acknowledged, %,d failed, %s left",
                progress.sent(),
                progress.rows(),
                progress.sent() * 100 / progress.rows(),
                progress.ratePerSecond(),
                progress.acknowledged(),
                progress.failed(),
                progress.remaining().map(TerminalProgress::clock).orElse("unknown time"));
    }

    private static String clock(Duration duration) {
        long seconds = (duration.toMillis() + 999) / 1_000;
        return seconds >= 3_600
                ? String.format(Locale.ROOT, "%d:%02d:%02d", seconds / 3_600, seconds / 60 % 60, seconds % 60)
                : String.format(Locale.ROOT, "%d:%02d", seconds / 60, seconds % 60);
    }
}
