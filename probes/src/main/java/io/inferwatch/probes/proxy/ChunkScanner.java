package io.inferwatch.probes.proxy;

import io.netty.buffer.ByteBuf;

/**
 * Follows the framing of a chunked body (RFC 9112, 7.1) cut anywhere between two bytes, and finds its data and its last chunk. As strict as the RFC: what
 * another reader could take for other chunks is garbled. Keeps nothing. Not thread safe.
 */
final class ChunkScanner {
    /** Hears of data, in order. */
    interface Listener {
        void data(ByteBuf bytes, int offset, int length);
    }

    /** A long of any more digits could overflow. */
    private static final int MAX_DIGITS = 15;

    private enum State {
        START_OF_CHUNK,
        SIZE,
        EXTENSION,
        END_OF_SIZE,
        DATA,
        END_OF_DATA,
        END_OF_DATA_LINE,
        GARBLED
    }

    private final Listener listener;
    private State state = State.START_OF_CHUNK;
    private long left;
    private int digits;

    ChunkScanner(Listener listener) {
        this.listener = listener;
    }

    /** Begins another body. */
    void reset() {
        state = State.START_OF_CHUNK;
    }

    /** Whether the body breaks its framing; nothing can be told of it any more. */
    boolean isGarbled() {
        return state == State.GARBLED;
    }

    /**
     * Looks at the readable bytes, which must go on where those that it took ended.
     *
     * @return how many of them belong to chunks with data; where there are fewer than readable, the last chunk begins there, or zeros that may become it
     */
    int scan(ByteBuf bytes) {
        int end = bytes.writerIndex();
        int at = bytes.readerIndex();
        while (at < end && state != State.GARBLED) {
            if (state == State.DATA) {
                int length = (int) Math.min(left, end - at);
                listener.data(bytes, at, length);
                at += length;
                left -= length;
                state = left == 0 ? State.END_OF_DATA : State.DATA;
            } else if (state == State.START_OF_CHUNK) {
                int sizeAt = afterZeros(bytes, at, end);
                boolean mayBeLast = sizeAt == end || (sizeAt > at && digit(bytes.getByte(sizeAt)) < 0);
                if (mayBeLast) {
                    break;
                }
                left = 0;
                digits = 0;
                state = State.SIZE;
                at = sizeAt;
            } else {
                state = next(bytes.getByte(at));
                at++;
            }
        }
        return at - bytes.readerIndex();
    }

    private State next(byte b) {
        return switch (state) {
            case SIZE -> size(b);
            case EXTENSION -> b == '\r' ? State.END_OF_SIZE : b == '\n' ? State.GARBLED : State.EXTENSION;
            case END_OF_SIZE -> b == '\n' ? State.DATA : State.GARBLED;
            case END_OF_DATA -> b == '\r' ? State.END_OF_DATA_LINE : State.GARBLED;
            case END_OF_DATA_LINE -> b == '\n' ? State.START_OF_CHUNK : State.GARBLED;
            case START_OF_CHUNK, DATA, GARBLED -> throw new IllegalStateException("no state for a single byte");
        };
    }

    private State size(byte b) {
        int digit = digit(b);
        if (digit >= 0) {
            left = 16 * left + digit;
            digits++;
            return digits > MAX_DIGITS ? State.GARBLED : State.SIZE;
        }
        if (digits == 0) {
            return State.GARBLED;
        }
        return switch (b) {
            case '\r' -> State.END_OF_SIZE;
            case ';', ' ', '\t' -> State.EXTENSION;
            default -> State.GARBLED;
        };
    }

    private static int afterZeros(ByteBuf bytes, int from, int end) {
        int at = from;
        while (at < end && bytes.getByte(at) == '0') {
            at++;
        }
        return at;
    }

    private static int digit(byte b) {
        return Character.digit(b, 16);
    }
}
