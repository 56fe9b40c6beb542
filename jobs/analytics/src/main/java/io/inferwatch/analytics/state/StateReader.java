package io.inferwatch.analytics.state;

import java.util.Arrays;

/** Reads what {@link StateWriter} wrote, in the same order. Not thread safe. */
public final class StateReader {
    private final byte[] bytes;
    private int at;

    /** Reads from the beginning. */
    public StateReader(byte[] bytes) {
        this.bytes = bytes;
    }

    /** The next byte. */
    public int octet() {
        return bytes[at++];
    }

    /** The next whole number, unsigned. */
    public long number() {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            byte next = bytes[at++];
            value |= (next & 0x7FL) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new IllegalArgumentException("state: a number is longer than 64 bits");
    }

    /** The next whole number whose sign may be either. */
    public long signed() {
        long zigzag = number();
        return (zigzag >>> 1) ^ -(zigzag & 1);
    }

    /** The next number of eight bytes. */
    public double real() {
        long bits = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            bits = bits << 8 | (bytes[at++] & 0xFF);
        }
        return Double.longBitsToDouble(bits);
    }

    /** The next whole numbers. */
    public long[] numbers() {
        long[] values = new long[(int) number()];
        Arrays.setAll(values, i -> number());
        return values;
    }

    /** The next part. */
    public byte[] part() {
        int length = (int) number();
        at += length;
        return Arrays.copyOfRange(bytes, at - length, at);
    }
}
