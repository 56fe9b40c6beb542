package io.inferwatch.jobs.ingest;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Numbers the texts that events bring, straight from their UTF-8 bytes, so that no string is made for an event whose texts were seen
 * before. When it holds {@value #MAX_TEXTS} texts it starts anew under the next generation: numbers of an earlier generation mean
 * nothing any more. All bytes lie in one array and a bucket holds part of the hash, so that a lookup touches few cache lines: an event brings a dozen texts. Not thread safe.
 */
public final class TextTable {
    private static final int MAX_TEXTS = 200_000;
    private static final int FIRST_SIZE = 1024;
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** The texts' bytes, one after the other; text i begins at starts[i] and ends at starts[i + 1]. */
    private byte[] bytes = new byte[FIRST_SIZE * 16];

    private int[] starts = new int[FIRST_SIZE + 1];
    private String[] texts = new String[FIRST_SIZE];
    private int size;

    /** Hash in the upper half, number + 1 in the lower; 0 is free. */
    private long[] buckets = new long[4 * FIRST_SIZE];

    private int generation;

    /** The number of the text that stands in a part of the array; from 0. */
    int number(byte[] source, int offset, int length) {
        int hash = hash(source, offset, length);
        int mask = buckets.length - 1;
        int bucket = hash & mask;
        while (true) {
            long entry = buckets[bucket];
            if (entry == 0) {
                return add(source, offset, length, hash);
            }
            if ((int) (entry >>> 32) == hash) {
                int number = (int) entry - 1;
                int start = starts[number];
                int end = starts[number + 1];
                if (end - start == length && Arrays.equals(bytes, start, end, source, offset, offset + length)) {
                    return number;
                }
            }
            bucket = (bucket + 1) & mask;
        }
    }

    /** Starts the next generation when the table is full; called between events. */
    void renewWhenFull() {
        if (size >= MAX_TEXTS) {
            bytes = new byte[FIRST_SIZE * 16];
            starts = new int[FIRST_SIZE + 1];
            texts = new String[FIRST_SIZE];
            buckets = new long[4 * FIRST_SIZE];
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

    private int add(byte[] source, int offset, int length, int hash) {
        if (size == texts.length) {
            starts = Arrays.copyOf(starts, 2 * size + 1);
            texts = Arrays.copyOf(texts, 2 * size);
        }
        int start = starts[size];
        if (bytes.length - start < length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, start + length));
        }
        System.arraycopy(source, offset, bytes, start, length);
        starts[size + 1] = start + length;
        texts[size] = new String(source, offset, length, StandardCharsets.UTF_8);
        size++;
        if (4 * size > buckets.length) {
            long[] old = buckets;
            buckets = new long[2 * old.length];
            for (long entry : old) {
                if (entry != 0) {
                    place(entry);
                }
            }
        }
        place((long) hash << 32 | size);
        return size - 1;
    }

    private void place(long entry) {
        int mask = buckets.length - 1;
        int bucket = (int) (entry >>> 32) & mask;
        while (buckets[bucket] != 0) {
            bucket = (bucket + 1) & mask;
        }
        buckets[bucket] = entry;
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
