package io.inferwatch.analytics.state;

import java.util.Arrays;

/** The bytes of state: whole numbers as LEB128, signed ones zigzagged, parts with their length before them. Not thread safe. */
public final class StateWriter {
    private byte[] bytes = new byte[1024];
    private int length;

    /** Without a byte. */
    public StateWriter() {}

    /** A byte. */
    public void octet(int value) {
        if (length == bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * length);
        }
        bytes[length++] = (byte) value;
    }

    /** A whole number from 0: LEB128. */
    public void number(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            octet((int) (rest | 0x80));
            rest >>>= 7;
        }
        octet((int) rest);
    }

    /** A whole number: zigzagged. */
    public void signed(long value) {
        number((value << 1) ^ (value >> 63));
    }

    /** Whole numbers from 0, their count first. */
    public void numbers(long[] values) {
        number(values.length);
        for (long value : values) {
            number(value);
        }
    }

    /** A real number to 24 bits, in half the room of {@link #real}. */
    public void single(float value) {
        int bits = Float.floatToIntBits(value);
        for (int shift = 24; shift >= 0; shift -= 8) {
            octet(bits >>> shift);
        }
    }

    /** A real number, to the bit. */
    public void real(double value) {
        long bits = Double.doubleToLongBits(value);
        for (int shift = 56; shift >= 0; shift -= 8) {
            octet((int) (bits >>> shift));
        }
    }

    /** Bytes, their number first. */
    public void part(byte[] part) {
        number(part.length);
        while (bytes.length - length < part.length) {
            bytes = Arrays.copyOf(bytes, 2 * bytes.length);
        }
        System.arraycopy(part, 0, bytes, length, part.length);
        length += part.length;
    }

    /** What was written so far. */
    public byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }
}
