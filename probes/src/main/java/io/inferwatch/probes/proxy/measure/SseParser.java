package io.inferwatch.probes.proxy.measure;

import java.nio.charset.StandardCharsets;

/**
 * Finds the events in a stream of server-sent events, cut anywhere between two bytes: lines end with LF, CR or CRLF, one space after the colon is
 * dropped, several data lines are joined with LF, and a byte order mark, comments and all other fields are passed over. An event without data is
 * none. What the end of the stream leaves without its blank line counts as it stands.
 *
 * <p>Keeps nothing of the data: they are handed on piece by piece as they come, so that an event of any length needs the same few bytes of memory.
 * Never throws. Not thread safe.
 */
final class SseParser {
    /** Hears of data, in order. */
    interface Listener {
        /** A part of the present event's data. The array belongs to the caller and changes after the call. */
        void data(byte[] bytes, int offset, int length);

        /** The present event is over; it had at least one line of data. */
        void event();
    }

    private static final byte[] DATA = "data".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
    private static final byte[] LINE_FEED = {'\n'};

    private enum State {
        START_OF_STREAM,
        START_OF_LINE,
        FIELD_NAME,
        AFTER_COLON,
        DATA_VALUE,
        OTHER_LINE
    }

    private final Listener listener;
    private State state = State.START_OF_STREAM;
    /** How much of the byte order mark or of the field name matched. */
    private int matched;
    /** Whether the last byte was a CR, after which one LF belongs to the same end of line. */
    private boolean afterCarriageReturn;
    /** Whether the present event has a whole line of data. */
    private boolean hasData;

    SseParser(Listener listener) {
        this.listener = listener;
    }

    void parse(byte[] bytes, int offset, int length) {
        int end = offset + length;
        int at = offset;
        while (at < end) {
            if (state == State.DATA_VALUE || state == State.OTHER_LINE) {
                int lineEnd = endOfLine(bytes, at, end);
                if (state == State.DATA_VALUE && lineEnd > at) {
                    listener.data(bytes, at, lineEnd - at);
                }
                at = lineEnd;
                if (at < end) {
                    endLine(bytes[at++]);
                }
            } else {
                // Some states only look at a byte and leave it to the next.
                at += step(bytes[at]);
            }
        }
    }

    /** The stream has ended. */
    void end() {
        if (state == State.DATA_VALUE) {
            hasData = true;
        }
        dispatch();
        state = State.OTHER_LINE;
    }

    private int step(byte b) {
        if (afterCarriageReturn) {
            afterCarriageReturn = false;
            if (b == '\n') {
                return 1;
            }
        }
        switch (state) {
            case START_OF_STREAM -> {
                if (b == BYTE_ORDER_MARK[matched]) {
                    matched++;
                    if (matched == BYTE_ORDER_MARK.length) {
                        state = State.START_OF_LINE;
                    }
                    return 1;
                }
                // A mark that breaks off is the beginning of a name that nobody knows.
                state = matched == 0 ? State.START_OF_LINE : State.OTHER_LINE;
                return 0;
            }
            case START_OF_LINE -> {
                if (isLineEnd(b)) {
                    afterCarriageReturn = b == '\r';
                    dispatch();
                    return 1;
                }
                matched = 0;
                state = State.FIELD_NAME;
                return 0;
            }
            case FIELD_NAME -> {
                if (matched < DATA.length && b == DATA[matched]) {
                    matched++;
                    return 1;
                }
                if (matched == DATA.length && b == ':') {
                    beginData();
                    state = State.AFTER_COLON;
                    return 1;
                }
                if (matched == DATA.length && isLineEnd(b)) {
                    // A name alone is a field with an empty value.
                    beginData();
                    state = State.DATA_VALUE;
                    return 0;
                }
                state = State.OTHER_LINE;
                return 0;
            }
            case AFTER_COLON -> {
                state = State.DATA_VALUE;
                return b == ' ' ? 1 : 0;
            }
            case DATA_VALUE, OTHER_LINE -> throw new IllegalStateException("lines are passed over as a whole");
        }
        throw new IllegalStateException("no state");
    }

    private void beginData() {
        if (hasData) {
            listener.data(LINE_FEED, 0, 1);
        }
    }

    private void endLine(byte lineEnd) {
        if (state == State.DATA_VALUE) {
            hasData = true;
        }
        afterCarriageReturn = lineEnd == '\r';
        state = State.START_OF_LINE;
    }

    private void dispatch() {
        if (hasData) {
            hasData = false;
            listener.event();
        }
    }

    private static int endOfLine(byte[] bytes, int from, int end) {
        int at = from;
        while (at < end && !isLineEnd(bytes[at])) {
            at++;
        }
        return at;
    }

    private static boolean isLineEnd(byte b) {
        return b == '\n' || b == '\r';
    }
}
