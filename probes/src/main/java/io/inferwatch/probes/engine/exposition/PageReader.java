package io.inferwatch.probes.engine.exposition;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads the pages of one target in text, again and again. What a line says before its value hardly ever changes, so that the reader remembers every
 * line's beginning, what its owner made of it, and which line followed: as long as a page looks like the one before it, a line costs a comparison of bytes
 * and the reading of one number, and no object is made. Lines that are not as they should be are told as rejections; no page makes it throw, but one that
 * must end with {@code # EOF} and does not. Memory: what a line begins with, for as many series as the limit says. Belongs to one thread.
 *
 * @param <S> what the owner makes of a series
 */
public final class PageReader<S> {
    /** A sample without a time of its own. */
    public static final long NO_TIME = Long.MIN_VALUE;

    private static final String EOF = "# EOF";
    private static final double MAX_TIME_MILLIS = 9e15;

    private final int maxSeries;
    private final BiFunction<String, Map<String, String>, S> series;
    private final Map<Line<S>, Line<S>> lines = new HashMap<>();
    private final Line<S> beforeFirst;
    private final SeriesHead head = new SeriesHead();
    private final DecimalText number = new DecimalText();
    private long pages;

    /** Takes what a page holds. */
    public interface Samples<S> {
        /**
         * A sample.
         *
         * @param atMillis its time as the page says it, epoch milliseconds, or {@link #NO_TIME}
         */
        void sample(S series, double value, long atMillis);

        /** A sample that was not taken. */
        void rejected(Rejection reason);
    }

    private static final class Line<S> {
        private final byte[] text;
        private final int hash;
        private final @Nullable S series;
        private @Nullable Line<S> next;
        private long page;

        Line(byte[] text, @Nullable S series) {
            this.text = text;
            this.series = series;
            hash = Arrays.hashCode(text);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Line<?> line && hash == line.hash && Arrays.equals(text, line.text);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        boolean begins(byte[] page, int at, int end) {
            return end - at >= text.length && Arrays.equals(page, at, at + text.length, text, 0, text.length);
        }
    }

    /**
     * A reader that has seen no page.
     *
     * @param series makes what stands for a series, by its name and labels; called once for each that is new
     */
    public PageReader(int maxSeries, BiFunction<String, Map<String, String>, S> series) {
        this.maxSeries = maxSeries;
        this.series = series;
        beforeFirst = new Line<>(new byte[0], null);
    }

    /**
     * Reads a page to its end.
     *
     * @param openMetrics whether it is OpenMetrics: must end with {@code # EOF}, and its times are seconds
     * @throws IncompletePageException when it is cut short; nothing was taken of it
     */
    public void read(byte[] page, int length, boolean openMetrics, Samples<S> samples) throws IncompletePageException {
        int end = openMetrics ? beforeEof(page, length) : length;
        pages++;
        Line<S> last = beforeFirst;
        int at = 0;
        while (at < end) {
            Line<S> line = last.next;
            if (line != null && line.begins(page, at, end)) {
                at += line.text.length;
            } else {
                at = skipBlank(page, at, end);
                if (at >= end || page[at] == '#' || page[at] == '\n') {
                    at = nextLine(page, at, end);
                    continue;
                }
                line = lineAt(page, at, end, samples);
                if (line == null) {
                    at = nextLine(page, at, end);
                    continue;
                }
                at += line.text.length;
                last.next = line;
            }
            last = line;
            at = value(line, page, at, end, openMetrics, samples);
        }
        last.next = null;
        if (lines.size() > 2 * maxSeries / 3) {
            forgetUnseen(pages);
        }
    }

    /** The series that the last page had, as far as they are remembered. */
    public int size() {
        return lines.size();
    }

    private @Nullable Line<S> lineAt(byte[] page, int at, int end, Samples<S> samples) {
        Rejection wrong = head.read(page, at, end);
        int to = head.endOffset();
        if (wrong == null && page[to - 1] != '}' && !isBlank(page[to - 1])) {
            wrong = Rejection.NO_VALUE;
        }
        if (wrong != null) {
            samples.rejected(wrong);
            return null;
        }
        byte[] text = Arrays.copyOfRange(page, at, to);
        Line<S> known = lines.get(new Line<S>(text, null));
        if (known != null) {
            return known;
        }
        if (lines.size() >= maxSeries) {
            samples.rejected(Rejection.TOO_MANY_SERIES);
            return null;
        }
        Line<S> made = new Line<>(text, series.apply(head.name(), head.labels()));
        lines.put(made, made);
        return made;
    }

    /** Takes what follows a line's beginning, and finds the next line. */
    private int value(Line<S> line, byte[] page, int from, int end, boolean openMetrics, Samples<S> samples) {
        int start = skipBlank(page, from, end);
        int stop = wordEnd(page, start, end);
        if (start == stop) {
            samples.rejected(Rejection.NO_VALUE);
            return nextLine(page, stop, end);
        }
        if (!number.read(page, start, stop)) {
            samples.rejected(Rejection.NOT_A_NUMBER);
            return nextLine(page, stop, end);
        }
        double value = number.value();
        long atMillis = NO_TIME;
        int rest = skipBlank(page, stop, end);
        if (rest < end && page[rest] != '\n' && page[rest] != '#') {
            stop = wordEnd(page, rest, end);
            if (number.read(page, rest, stop)) {
                atMillis = millis(number.value(), openMetrics);
            }
            rest = skipBlank(page, stop, end);
            if (atMillis == NO_TIME || (rest < end && page[rest] != '\n' && page[rest] != '#')) {
                samples.rejected(Rejection.MALFORMED_END);
                return nextLine(page, rest, end);
            }
        }
        S of = line.series;
        if (line.page == pages || of == null) {
            samples.rejected(Rejection.DUPLICATE);
        } else {
            line.page = pages;
            samples.sample(of, value, atMillis);
        }
        return nextLine(page, rest, end);
    }

    private static long millis(double time, boolean openMetrics) {
        double millis = openMetrics ? time * 1e3 : time;
        return Math.abs(millis) <= MAX_TIME_MILLIS ? Math.round(millis) : NO_TIME;
    }

    private void forgetUnseen(long seen) {
        lines.values().removeIf(line -> line.page != seen);
        for (Line<S> line : lines.values()) {
            if (line.next != null && line.next.page != seen) {
                line.next = null;
            }
        }
        if (beforeFirst.next != null && beforeFirst.next.page != seen) {
            beforeFirst.next = null;
        }
    }

    private static int beforeEof(byte[] page, int length) throws IncompletePageException {
        int end = length;
        while (end > 0 && (page[end - 1] == '\n' || page[end - 1] == '\r')) {
            end--;
        }
        int start = end - EOF.length();
        boolean isWhole = start >= 0
                && new String(page, start, EOF.length(), StandardCharsets.US_ASCII).equals(EOF)
                && (start == 0 || page[start - 1] == '\n');
        if (!isWhole) {
            throw new IncompletePageException("an OpenMetrics page must end with '# EOF'");
        }
        return start;
    }

    /** Carriage returns count as blanks: some servers end their lines with them. */
    private static boolean isBlank(byte letter) {
        return letter == ' ' || letter == '\t' || letter == '\r';
    }

    private static int skipBlank(byte[] page, int from, int end) {
        int at = from;
        while (at < end && isBlank(page[at])) {
            at++;
        }
        return at;
    }

    private static int wordEnd(byte[] page, int from, int end) {
        int at = from;
        while (at < end && !isBlank(page[at]) && page[at] != '\n') {
            at++;
        }
        return at;
    }

    private static int nextLine(byte[] page, int from, int end) {
        int at = from;
        while (at < end && page[at] != '\n') {
            at++;
        }
        return Math.min(end, at + 1);
    }
}
