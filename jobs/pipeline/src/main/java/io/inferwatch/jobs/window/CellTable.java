package io.inferwatch.jobs.window;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The cells of one pane by key: an open-addressing table over the keys' numbers, so that no key object is made for an event. */
final class CellTable {
    private final int width;
    private int[] keys;
    private @Nullable WindowContent[] contents;
    private int size;
    private int[] buckets = new int[256];

    CellTable(int width) {
        this.width = width;
        this.keys = new int[64 * width];
        this.contents = new WindowContent[64];
    }

    int size() {
        return size;
    }

    /** All keys, one after the other. */
    int[] keys() {
        return keys;
    }

    WindowContent content(int cell) {
        WindowContent content = contents[cell];
        if (content == null) {
            throw new IndexOutOfBoundsException(cell);
        }
        return content;
    }

    /** The number of the cell with that key, made when there is none. */
    int cell(int[] key, MetricLayout metrics) {
        int mask = buckets.length - 1;
        int bucket = hash(key, 0) & mask;
        while (true) {
            int cell = buckets[bucket] - 1;
            if (cell < 0) {
                return add(key, metrics);
            }
            int at = cell * width;
            if (Arrays.equals(keys, at, at + width, key, 0, width)) {
                return cell;
            }
            bucket = (bucket + 1) & mask;
        }
    }

    private int add(int[] key, MetricLayout metrics) {
        if (size == contents.length) {
            contents = Arrays.copyOf(contents, 2 * size);
            keys = Arrays.copyOf(keys, 2 * size * width);
        }
        System.arraycopy(key, 0, keys, size * width, width);
        contents[size] = new WindowContent(metrics);
        size++;
        if (2 * size > buckets.length) {
            buckets = new int[4 * buckets.length];
            for (int cell = 0; cell < size - 1; cell++) {
                place(cell);
            }
        }
        place(size - 1);
        return size - 1;
    }

    private void place(int cell) {
        int mask = buckets.length - 1;
        int bucket = hash(keys, cell * width) & mask;
        while (buckets[bucket] != 0) {
            bucket = (bucket + 1) & mask;
        }
        buckets[bucket] = cell + 1;
    }

    private int hash(int[] source, int at) {
        long hash = 0;
        for (int i = at; i < at + width; i++) {
            hash = (hash ^ source[i]) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 32;
        }
        return (int) hash;
    }
}
