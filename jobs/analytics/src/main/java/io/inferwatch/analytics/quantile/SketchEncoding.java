package io.inferwatch.analytics.quantile;

import java.util.Arrays;

/**
 * The bytes of a {@link QuantileSketch}, the same on Kafka, in state and in InfluxDB: version 1; n, zeros, sum, and, when n is not 0,
 * min and max - min; then the occupied buckets, rising, each as the distance to the one before and its count. All numbers are
 * unsigned LEB128.
 */
public final class SketchEncoding {
    private static final int VERSION = 1;
    private static final int MAX_VARINT_BYTES = 10;

    private SketchEncoding() {}

    /** The sketch's bytes. */
    public static byte[] encode(QuantileSketch sketch) {
        long[] counts = sketch.countsView();
        byte[] bytes = new byte[1 + 5 * MAX_VARINT_BYTES + 64];
        int at = 0;
        bytes[at++] = VERSION;
        at = write(bytes, at, sketch.n());
        at = write(bytes, at, sketch.zeros());
        at = write(bytes, at, sketch.sum());
        if (sketch.n() > 0) {
            at = write(bytes, at, sketch.min());
            at = write(bytes, at, sketch.max() - sketch.min());
        }
        int previous = 0;
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] != 0) {
                if (bytes.length - at < 2 * MAX_VARINT_BYTES) {
                    bytes = Arrays.copyOf(bytes, 2 * bytes.length);
                }
                int index = sketch.firstBucket() + i;
                at = write(bytes, at, index - previous);
                at = write(bytes, at, counts[i]);
                previous = index;
            }
        }
        return Arrays.copyOf(bytes, at);
    }

    /**
     * The sketch that the bytes hold.
     *
     * @throws IllegalArgumentException when they hold none
     */
    public static QuantileSketch decode(byte[] bytes) {
        return decode(bytes, 0, bytes.length);
    }

    /**
     * The sketch that a part of the bytes holds.
     *
     * @throws IllegalArgumentException when it holds none
     */
    public static QuantileSketch decode(byte[] bytes, int offset, int length) {
        Reader reader = new Reader(bytes, offset, offset + length);
        int version = length == 0 ? -1 : reader.bytes[reader.at++];
        if (version != VERSION) {
            throw new IllegalArgumentException("sketch version: must be " + VERSION + ", found " + version);
        }
        long n = reader.read();
        long zeros = reader.read();
        long sum = reader.read();
        long min = n > 0 ? reader.read() : Long.MAX_VALUE;
        long max = n > 0 ? min + reader.read() : Long.MIN_VALUE;
        if (reader.at == reader.end) {
            requireTotal(n, zeros);
            return QuantileSketch.restore(n, zeros, sum, min, max, 0, new long[0]);
        }
        int first = (int) Math.min(LogBuckets.COUNT, reader.read());
        int index = first;
        int greatest = Math.max(first, n > 0 && max > 0 ? LogBuckets.index(max) : first);
        if (greatest >= LogBuckets.COUNT) {
            throw new IllegalArgumentException("sketch bucket: must be below " + LogBuckets.COUNT + ", found " + first);
        }
        long[] counts = new long[greatest - first + 1];
        long counted = zeros;
        while (true) {
            long count = reader.read();
            counts[index - first] += count;
            counted += count;
            if (reader.at == reader.end) {
                break;
            }
            long next = index + reader.read();
            if (next > greatest || next < index) {
                throw new IllegalArgumentException(
                        "sketch bucket: must be at most the greatest value's " + greatest + ", found " + next);
            }
            index = (int) next;
        }
        requireTotal(n, counted);
        return QuantileSketch.restore(n, zeros, sum, min, max, first, counts);
    }

    private static void requireTotal(long n, long counted) {
        if (n != counted) {
            throw new IllegalArgumentException("sketch counts: must add up to n = " + n + ", found " + counted);
        }
    }

    private static int write(byte[] bytes, int at, long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes[at++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[at++] = (byte) rest;
        return at;
    }

    private static final class Reader {
        final byte[] bytes;
        final int end;
        int at;

        Reader(byte[] bytes, int at, int end) {
            this.bytes = bytes;
            this.at = at;
            this.end = end;
        }

        long read() {
            long value = 0;
            for (int shift = 0; shift < 64; shift += 7) {
                if (at >= end) {
                    throw new IllegalArgumentException("sketch: breaks off after " + end + " bytes");
                }
                byte next = bytes[at++];
                value |= (next & 0x7FL) << shift;
                if (next >= 0) {
                    return value;
                }
            }
            throw new IllegalArgumentException("sketch: a number is longer than 64 bits");
        }
    }
}
