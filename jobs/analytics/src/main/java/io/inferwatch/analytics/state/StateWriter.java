package io.inferwatch.analytics.state;

import java.util.Arrays;

/** Writes state as bytes: whole numbers as LEB128, signed ones zigzagged, parts with their length before them. Not thread safe. */
public final class StateWriter {
    private byte[] bytes = new byte[1024];
    private int length;

    /** One byte. */
    public void octet(int value) {
        if (length == bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * length);
        }
        bytes[length++] = (byte) value;
    }

    /** A whole number, unsigned; small ones are short. */
    public void number(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            octet((int) (rest | 0x80));
            rest >>>= 7;
        }
        octet((int) rest);
    }

    /** A whole number whose sign may be either. */
    public void signed(long value) {
        number((value << 1) ^ (value >> 63));
    }

    /** Whole numbers, unsigned, with their count before them. */
    public void numbers(long[] values) {
        number(values.length);
        for (long value : values) {
            number(value);
        }
    }

    /** A number of eight bytes. */
    public void real(double value) {
        long bits = Double.doubleToLongBits(value);
        for (int shift = 56; shift >= 0; shift -= 8) {
            octet((int) (bits >>> shift));
        }
    }

    /** Bytes, with their number before them. */
    public void part(byte[] part) {
        number(part.length);
        while (bytes.length - length < part.length) {
            bytes = Arrays.copyOf(bytes, 2 * bytes.length);
        }
        System.arraycopy(part, 0, bytes, length, part.length);
        length += part.length;
    }

    /** All that was written. */
    public byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }
}
