package io.inferwatch.probes.engine.exposition;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads the pages of one target in text, again and again. What a line says before its value hardly ever changes, so that the reader remembers every
 * line's beginning, what its owner made of it, and in which order they came: as long as a page looks like the one before it, a line costs a comparison of
 * bytes and the reading of one number, and no object is made. Lines that are not as they should be are told as rejections; no page makes it throw, but one
 * that must end with {@code # EOF} and does not. Memory: what a line begins with, twice, for as many series as the limit says. Belongs to one thread.
 *
 * @param <S> what the owner makes of a series
 */
public final class PageReader<S> {
    /** A sample without a time of its own. */
    public static final long NO_TIME = Long.MIN_VALUE;

    private static final String EOF = "# EOF";
    private static final double MAX_TIME_MILLIS = 9e15;
    private static final int NOWHERE = -1;

    private final int maxSeries;
    private final BiFunction<String, Map<String, String>, S> series;
    private final Map<Line<S>, Line<S>> lines = new HashMap<>();
    /** The lines of the page before, in its order. */
    private List<Line<S>> layout = new ArrayList<>();
    /**
     * What they begin with, one behind the other. A probe has too many targets for the processor's caches, and memory is quick only where it is read in
     * order.
     */
    private byte[] heads = {};

    private int[] headEnds = {};
    private List<Line<S>> seen = new ArrayList<>();
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
        private final int length;
        private final int hash;
        private final @Nullable S series;
        private int place = NOWHERE;
        private long page;

        Line(byte[] text, @Nullable S series) {
            this.text = text;
            this.series = series;
            length = text.length;
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
    }

    /**
     * A reader that has seen no page.
     *
     * @param series makes what stands for a series, by its name and labels; called once for each that is new
     */
    public PageReader(int maxSeries, BiFunction<String, Map<String, String>, S> series) {
        this.maxSeries = maxSeries;
        this.series = series;
    }

    /**
     * Reads a page to its end.
     *
     * @param from where it begins
     * @param to the first byte behind it
     * @param openMetrics whether it is OpenMetrics: must end with {@code # EOF}, and its times are seconds
     * @throws IncompletePageException when it is cut short; nothing was taken of it
     */
    public void read(byte[] page, int from, int to, boolean openMetrics, Samples<S> samples)
            throws IncompletePageException {
        int end = openMetrics ? beforeEof(page, from, to) : to;
        pages++;
        seen.clear();
        boolean isLikeBefore = true;
        int place = 0;
        int at = from;
        while (at < end) {
            Line<S> line;
            if (isAt(place, page, at, end)) {
                line = layout.get(place);
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
                place = line.place == NOWHERE ? place - 1 : line.place;
            }
            place++;
            if (line.page != pages && seen.size() < maxSeries) {
                isLikeBefore &= line.place == seen.size();
                seen.add(line);
            }
            at = value(line, page, at + line.length, end, openMetrics, samples);
        }
        if (!isLikeBefore || seen.size() != layout.size()) {
            learn();
        }
        if (lines.size() > 2 * maxSeries / 3) {
            lines.values().removeIf(line -> line.page != pages);
        }
    }

    /** Whether the page has there what the line of this place begins with. */
    private boolean isAt(int place, byte[] page, int at, int end) {
        if (place >= layout.size()) {
            return false;
        }
        int first = place == 0 ? 0 : headEnds[place - 1];
        int length = headEnds[place] - first;
        return end - at >= length && Arrays.equals(page, at, at + length, heads, first, first + length);
    }

    /** The next page is taken to look like this one. */
    private void learn() {
        layout.forEach(line -> line.place = NOWHERE);
        List<Line<S>> former = layout;
        layout = seen;
        seen = former;
        headEnds = new int[layout.size()];
        int bytes = 0;
        for (int i = 0; i < headEnds.length; i++) {
            bytes += layout.get(i).length;
            headEnds[i] = bytes;
        }
        heads = new byte[bytes];
        for (int i = 0; i < headEnds.length; i++) {
            Line<S> line = layout.get(i);
            line.place = i;
            System.arraycopy(line.text, 0, heads, headEnds[i] - line.length, line.length);
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

    private static int beforeEof(byte[] page, int from, int to) throws IncompletePageException {
        int end = to;
        while (end > from && (page[end - 1] == '\n' || page[end - 1] == '\r')) {
            end--;
        }
        int start = end - EOF.length();
        boolean isWhole = start >= from
                && new String(page, start, EOF.length(), StandardCharsets.US_ASCII).equals(EOF)
                && (start == from || page[start - 1] == '\n');
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
