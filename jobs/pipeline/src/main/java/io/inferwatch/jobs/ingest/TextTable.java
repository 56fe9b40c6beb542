package io.inferwatch.jobs.ingest;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Numbers the texts that events bring, straight from their UTF-8 bytes, so that no string is made for an event whose texts were seen
 * before. When it holds {@value #MAX_TEXTS} texts it starts anew under the next generation: numbers of an earlier generation mean
 * nothing any more. Not thread safe.
 */
public final class TextTable {
    private static final int MAX_TEXTS = 200_000;
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private byte[][] bytes = new byte[1024][];
    private String[] texts = new String[1024];
    private int size;
    private int[] buckets = new int[4096];
    private int generation;

    /** The number of the text that stands in a part of the array; from 0. */
    int number(byte[] source, int offset, int length) {
        int mask = buckets.length - 1;
        int bucket = hash(source, offset, length) & mask;
        while (true) {
            int number = buckets[bucket] - 1;
            if (number < 0) {
                return add(source, offset, length);
            }
            byte[] candidate = bytes[number];
            if (candidate.length == length && Arrays.equals(candidate, 0, length, source, offset, offset + length)) {
                return number;
            }
            bucket = (bucket + 1) & mask;
        }
    }

    /** Starts the next generation when the table is full; called between events. */
    void renewWhenFull() {
        if (size >= MAX_TEXTS) {
            bytes = new byte[1024][];
            texts = new String[1024];
            buckets = new int[4096];
            size = 0;
            generation++;
        }
    }

    /** The text of that number in this generation. */
    public String text(int number) {
        return texts[number];
    }

    /** Counts the times that the table was emptied. */
    public int generation() {
        return generation;
    }

    private int add(byte[] source, int offset, int length) {
        if (size == bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * size);
            texts = Arrays.copyOf(texts, 2 * size);
        }
        bytes[size] = Arrays.copyOfRange(source, offset, offset + length);
        texts[size] = new String(source, offset, length, StandardCharsets.UTF_8);
        size++;
        if (4 * size > buckets.length) {
            buckets = new int[2 * buckets.length];
            for (int number = 0; number < size - 1; number++) {
                place(number);
            }
        }
        place(size - 1);
        return size - 1;
    }

    private void place(int number) {
        byte[] text = bytes[number];
        int mask = buckets.length - 1;
        int bucket = hash(text, 0, text.length) & mask;
        while (buckets[bucket] != 0) {
            bucket = (bucket + 1) & mask;
        }
        buckets[bucket] = number + 1;
    }

    private static int hash(byte[] source, int offset, int length) {
        long hash = length * 0x9E3779B97F4A7C15L;
        int at = offset;
        int end = offset + length;
        while (end - at >= Long.BYTES) {
            hash = (hash ^ (long) LONG.get(source, at)) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 29;
            at += Long.BYTES;
        }
        while (at < end) {
            hash = (hash ^ source[at++]) * 0xC2B2AE3D27D4EB4FL;
        }
        return (int) (hash ^ (hash >>> 32));
    }
}
