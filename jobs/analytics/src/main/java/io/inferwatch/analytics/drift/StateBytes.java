package io.inferwatch.analytics.drift;

import io.inferwatch.analytics.drift.Sample.Counts;
import io.inferwatch.analytics.drift.Sample.Values;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** The bytes of state: whole numbers as LEB128, signed ones zigzagged, parts with their length before them. */
final class StateBytes {
    private StateBytes() {}

    static final class Writer {
        private byte[] bytes = new byte[1024];
        private int length;

        void octet(int value) {
            if (length == bytes.length) {
                bytes = Arrays.copyOf(bytes, 2 * length);
            }
            bytes[length++] = (byte) value;
        }

        void number(long value) {
            long rest = value;
            while ((rest & ~0x7FL) != 0) {
                octet((int) (rest | 0x80));
                rest >>>= 7;
            }
            octet((int) rest);
        }

        void signed(long value) {
            number((value << 1) ^ (value >> 63));
        }

        void numbers(long[] values) {
            number(values.length);
            for (long value : values) {
                number(value);
            }
        }

        void real(double value) {
            long bits = Double.doubleToLongBits(value);
            for (int shift = 56; shift >= 0; shift -= 8) {
                octet((int) (bits >>> shift));
            }
        }

        void part(byte[] part) {
            number(part.length);
            while (bytes.length - length < part.length) {
                bytes = Arrays.copyOf(bytes, 2 * bytes.length);
            }
            System.arraycopy(part, 0, bytes, length, part.length);
            length += part.length;
        }

        byte[] toBytes() {
            return Arrays.copyOf(bytes, length);
        }
    }

    static final class Reader {
        private final byte[] bytes;
        private int at;

        Reader(byte[] bytes) {
            this.bytes = bytes;
        }

        int octet() {
            return bytes[at++];
        }

        long number() {
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

        long signed() {
            long zigzag = number();
            return (zigzag >>> 1) ^ -(zigzag & 1);
        }

        double real() {
            long bits = 0;
            for (int i = 0; i < Long.BYTES; i++) {
                bits = bits << 8 | (bytes[at++] & 0xFF);
            }
            return Double.longBitsToDouble(bits);
        }

        long[] numbers() {
            long[] values = new long[(int) number()];
            Arrays.setAll(values, i -> number());
            return values;
        }

        byte[] part() {
            int length = (int) number();
            at += length;
            return Arrays.copyOfRange(bytes, at - length, at);
        }
    }

    static byte[] encode(Sample sample) {
        Writer out = new Writer();
        if (sample instanceof Counts counts) {
            out.octet(0);
            out.number(counts.events());
            out.number(counts.of());
        } else if (sample instanceof Values values) {
            out.octet(1);
            out.number(values.byBucket().size());
            values.byBucket().forEach((bucket, sketch) -> {
                out.part(bucket.getBytes(StandardCharsets.UTF_8));
                out.part(SketchEncoding.encode(sketch));
            });
        }
        return out.toBytes();
    }

    static Sample decode(byte[] bytes) {
        Reader in = new Reader(bytes);
        if (in.octet() == 0) {
            long events = in.number();
            return new Counts(events, in.number());
        }
        Map<String, QuantileSketch> byBucket = new TreeMap<>();
        for (long left = in.number(); left > 0; left--) {
            String bucket = new String(in.part(), StandardCharsets.UTF_8);
            byBucket.put(bucket, SketchEncoding.decode(in.part()));
        }
        return new Values(byBucket);
    }
}
