package io.inferwatch.analytics.quantile;

import java.util.Arrays;
import java.util.Objects;

/**
 * The bytes of a {@link QuantileSketch}, the same on Kafka, in state and in InfluxDB: version 1; n, zeros, sum, and, when n is not 0,
 * min and max - min; then the occupied buckets in groups, rising. A group is 2 d + 1 and its length when it has several buckets, else
 * 2 d, where d is the number of empty buckets before it; then the count of each of its buckets. A group ends where two or more empty
 * buckets follow, so that a count within it may be 0. All numbers are unsigned LEB128 below 2^63. Sketches of the same values have the same bytes, in whatever order they were added or merged.
 * Decoding takes only bytes that encoding can have written, and allocates no more than the buckets that there are.
 */
public final class SketchEncoding {
    private static final int VERSION = 1;
    private static final int MAX_VARINT_BYTES = 9;

    /** Beyond it counts would no longer be exact as floating-point ranks. */
    private static final long MAX_N = 1L << 53;

    private SketchEncoding() {}

    /** The sketch's bytes. */
    public static byte[] encode(QuantileSketch sketch) {
        Writer writer = new Writer(sketch.isList() ? 256 : 2048);
        writer.bytes[writer.at++] = VERSION;
        writer.write(sketch.n());
        writer.write(sketch.zeros());
        writer.write(sketch.sum());
        if (sketch.n() > 0) {
            writer.write(sketch.min());
            writer.write(sketch.max() - sketch.min());
        }
        if (sketch.isList()) {
            writeList(writer, sketch.sortedList());
        } else {
            writeCounts(writer, sketch.firstBucket(), sketch.countsView());
        }
        return Arrays.copyOf(writer.bytes, writer.at);
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
     * @throws IndexOutOfBoundsException when the bytes have no such part
     */
    public static QuantileSketch decode(byte[] bytes, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        Reader reader = new Reader(bytes, offset, offset + length);
        int version = length == 0 ? -1 : bytes[reader.at++];
        if (version != VERSION) {
            throw new IllegalArgumentException(
                    "sketch version: must be " + VERSION + ", found " + (length == 0 ? "nothing" : version));
        }
        QuantileSketch.Totals totals = readTotals(reader);
        long positive = totals.n() - totals.zeros();
        if (positive == 0) {
            if (reader.at != reader.end) {
                throw new IllegalArgumentException("sketch: " + (reader.end - reader.at) + " bytes are left over");
            }
            return QuantileSketch.ofList(totals, new short[0]);
        }
        int last = LogBuckets.index(totals.max());
        return positive <= QuantileSketch.LIST_CAPACITY
                ? QuantileSketch.ofList(totals, readList(new Buckets(reader, positive, last, totals), (int) positive))
                : readCounts(new Buckets(reader, positive, last, totals), totals, last);
    }

    private static QuantileSketch.Totals readTotals(Reader reader) {
        long n = reader.read();
        long zeros = reader.read();
        long sum = reader.read();
        if (n > MAX_N || zeros > n) {
            throw new IllegalArgumentException(
                    "sketch n: must be at most 2^53 and not below its zeros, found " + n + " and " + zeros);
        }
        if (n == 0) {
            if (sum != 0) {
                throw new IllegalArgumentException("sketch sum: must be 0 when n is, found " + sum);
            }
            return new QuantileSketch.Totals(0, 0, 0, Long.MAX_VALUE, Long.MIN_VALUE);
        }
        long min = reader.read();
        long max = min + reader.read();
        boolean zeroAgrees = (min == 0) == (zeros > 0) && (max == 0) == (zeros == n);
        if (max < min || !zeroAgrees || sum < max) {
            throw new IllegalArgumentException("sketch totals: must agree, found n " + n + ", zeros " + zeros + ", sum "
                    + sum + ", min " + min + ", max " + max);
        }
        return new QuantileSketch.Totals(n, zeros, sum, min, max);
    }

    private static short[] readList(Buckets buckets, int positive) {
        short[] list = new short[positive];
        int listed = 0;
        while (buckets.next()) {
            Arrays.fill(list, listed, listed + (int) buckets.count, (short) buckets.index);
            listed += (int) buckets.count;
        }
        return list;
    }

    private static QuantileSketch readCounts(Buckets buckets, QuantileSketch.Totals totals, int last) {
        buckets.next();
        int first = buckets.index;
        long[] counts = new long[last - first + 1];
        do {
            counts[buckets.index - first] = buckets.count;
        } while (buckets.next());
        return QuantileSketch.ofCounts(totals, first, counts);
    }

    /** The occupied buckets of encoded bytes, one after the other, each checked. */
    private static final class Buckets {
        private final Reader reader;
        private final int last;
        private final QuantileSketch.Totals totals;
        private long rest;
        private int inGroup;
        private boolean first = true;

        int index = -1;
        long count;

        Buckets(Reader reader, long positive, int last, QuantileSketch.Totals totals) {
            this.reader = reader;
            this.rest = positive;
            this.last = last;
            this.totals = totals;
        }

        boolean next() {
            if (rest == 0) {
                requireEnd();
                return false;
            }
            if (inGroup == 0) {
                beginGroup();
                nextCount();
                requireOccupied();
            } else {
                nextCount();
                if (count == 0 && inGroup > 0) {
                    nextCount();
                }
                requireOccupied();
            }
            rest -= count;
            if (first && totals.zeros() == 0 && index != LogBuckets.index(totals.min())) {
                throw disagreement(index + " as the first");
            }
            first = false;
            return true;
        }

        private void beginGroup() {
            long head = reader.read();
            long length = (head & 1) == 0 ? 1 : reader.read();
            long empty = head >>> 1;
            if (length < 1 || length > LogBuckets.COUNT || empty > last || index + empty + length > last) {
                throw new IllegalArgumentException("sketch bucket: must be at most the greatest value's " + last
                        + ", found a group of " + length + " after " + empty + " empty ones from " + (index + 1));
            }
            index += (int) empty;
            inGroup = (int) length;
        }

        private void nextCount() {
            count = reader.read();
            index++;
            inGroup--;
        }

        private void requireOccupied() {
            if (count < 1 || count > rest) {
                throw new IllegalArgumentException(
                        "sketch count: must be from 1 to the " + rest + " values that are left, found " + count);
            }
        }

        private void requireEnd() {
            if (index != last) {
                throw disagreement(index + " as the last");
            }
            if (inGroup > 0 || reader.at != reader.end) {
                throw new IllegalArgumentException("sketch: " + (reader.end - reader.at) + " bytes are left over");
            }
        }

        private IllegalArgumentException disagreement(String found) {
            return new IllegalArgumentException("sketch buckets: must reach from least to greatest value "
                    + totals.min() + " to " + totals.max() + ", found bucket " + found);
        }
    }

    private static void writeList(Writer writer, short[] sorted) {
        int written = 0;
        int i = 0;
        while (i < sorted.length) {
            int first = sorted[i];
            int last = first;
            for (int j = i; j < sorted.length && sorted[j] - last <= 2; j++) {
                last = sorted[j];
            }
            writer.beginGroup(first - written, last - first + 1);
            for (int index = first; index <= last; index++) {
                int count = 0;
                while (i < sorted.length && sorted[i] == index) {
                    count++;
                    i++;
                }
                writer.write(count);
            }
            written = last + 1;
        }
    }

    private static void writeCounts(Writer writer, int firstBucket, long[] counts) {
        int written = 0;
        int i = 0;
        while (true) {
            while (i < counts.length && counts[i] == 0) {
                i++;
            }
            if (i == counts.length) {
                return;
            }
            int end = i + 1;
            for (int j = end; j < counts.length && j <= end + 1; j++) {
                if (counts[j] != 0) {
                    end = j + 1;
                }
            }
            writer.beginGroup(firstBucket + i - written, end - i);
            for (int j = i; j < end; j++) {
                writer.write(counts[j]);
            }
            written = firstBucket + end;
            i = end;
        }
    }

    private static final class Writer {
        byte[] bytes;
        int at;

        Writer(int capacity) {
            bytes = new byte[capacity];
        }

        void beginGroup(int empty, int length) {
            int most = (2 + length) * MAX_VARINT_BYTES;
            if (bytes.length - at < most) {
                bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, at + most));
            }
            if (length == 1) {
                write(2L * empty);
            } else {
                write(2L * empty + 1);
                write(length);
            }
        }

        void write(long value) {
            long rest = value;
            while ((rest & ~0x7FL) != 0) {
                bytes[at++] = (byte) (rest | 0x80);
                rest >>>= 7;
            }
            bytes[at++] = (byte) rest;
        }
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
            for (int shift = 0; shift < 63; shift += 7) {
                if (at >= end) {
                    throw new IllegalArgumentException("sketch: breaks off within its numbers");
                }
                byte next = bytes[at++];
                value |= (next & 0x7FL) << shift;
                if (next >= 0) {
                    return value;
                }
            }
            throw new IllegalArgumentException("sketch: a number has more than 63 bits");
        }
    }
}
