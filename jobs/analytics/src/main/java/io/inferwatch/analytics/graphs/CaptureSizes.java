package io.inferwatch.analytics.graphs;

import java.util.List;

/**
 * The batch sizes that an engine has graphs for. A batch runs as the least of them that holds it, its other places padded; one beyond the
 * greatest runs without a graph.
 *
 * @param sizes rising, each above 0; none where every batch is a shape of its own
 */
public record CaptureSizes(List<Integer> sizes) {
    /** No padding: every size is captured by itself when it first comes. */
    public static final CaptureSizes EXACT = new CaptureSizes(List.of());

    /** Checks the sizes. */
    public CaptureSizes {
        sizes = List.copyOf(sizes);
        int before = 0;
        for (int size : sizes) {
            if (size <= before) {
                throw new IllegalArgumentException("sizes: must rise from 1, found " + sizes);
            }
            before = size;
        }
    }

    /** The size that a batch runs as. */
    public int padded(int batch) {
        for (int size : sizes) {
            if (size >= batch) {
                return size;
            }
        }
        return batch;
    }
}
