package io.inferwatch.analytics.state;

import java.util.Arrays;

/** Reads what a {@link StateWriter} has written, in the same order. Not thread safe. */
public final class StateReader {
    private final byte[] bytes;
    private int at;

    /** From the first byte. */
    public StateReader(byte[] bytes) {
        this.bytes = bytes;
    }

    /** A byte, signed. */
    public int octet() {
        return bytes[at++];
    }

    /** A whole number from 0. */
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

    /** A whole number. */
    public long signed() {
        long zigzag = number();
        return (zigzag >>> 1) ^ -(zigzag & 1);
    }

    /** A real number of 24 bits. */
    public float single() {
        int bits = 0;
        for (int i = 0; i < Float.BYTES; i++) {
            bits = (bits << 8) | (bytes[at++] & 0xFF);
        }
        return Float.intBitsToFloat(bits);
    }

    /** A real number. */
    public double real() {
        long bits = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            bits = (bits << 8) | (bytes[at++] & 0xFF);
        }
        return Double.longBitsToDouble(bits);
    }

    /** Whole numbers from 0. */
    public long[] numbers() {
        long[] values = new long[(int) number()];
        Arrays.setAll(values, i -> number());
        return values;
    }

    /** Bytes. */
    public byte[] part() {
        int length = (int) number();
        at += length;
        return Arrays.copyOfRange(bytes, at - length, at);
    }
}
