package io.inferwatch.analytics.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;

/**
 * Sizes that lengths, or batches, are padded to: each to the least that it fits in.
 *
 * @param sizes rising, the first at least 1
 */
public record Boundaries(List<Long> sizes) {
    /** Checks the order. */
    public Boundaries {
        sizes = List.copyOf(sizes);
        if (sizes.isEmpty()) {
            throw new IllegalArgumentException("sizes: must be at least one, found none");
        }
        long before = 0;
        for (long size : sizes) {
            if (size <= before) {
                throw new IllegalArgumentException("sizes: must be at least 1 and rise, found " + sizes);
            }
            before = size;
        }
    }

    /**
     * Sizes at equal ratios; fewer where neighbours would be the same.
     *
     * @param least where ratios begin; no boundary of its own
     * @param greatest the last boundary
     */
    public static Boundaries geometric(long least, long greatest, int count) {
        return between(least, greatest, count, i -> least * Math.pow((double) greatest / least, (double) i / count));
    }

    /** Sizes at equal distances, otherwise as {@link #geometric}. */
    public static Boundaries uniform(long least, long greatest, int count) {
        return between(least, greatest, count, i -> least + (double) (greatest - least) * i / count);
    }

    private static Boundaries between(long least, long greatest, int count, IntToDoubleFunction size) {
        Amounts.requireAtLeast(1, "least", least);
        Amounts.requireAtLeast(least, "greatest", greatest);
        Amounts.requireAtLeast(1, "count", count);
        List<Long> sizes = new ArrayList<>();
        long before = 0;
        for (int i = 1; i < count; i++) {
            long next = Math.round(size.applyAsDouble(i));
            if (next > before && next < greatest) {
                sizes.add(next);
                before = next;
            }
        }
        sizes.add(greatest);
        return new Boundaries(sizes);
    }

    /** The greatest size. */
    public long limit() {
        return sizes.get(sizes.size() - 1);
    }

    /** What padding to these sizes takes. */
    public Padding padding(LengthHistogram lengths) {
        double padded = 0;
        double tokens = lengths.tokens();
        double beyond = 0;
        int size = 0;
        for (int cell = 0; cell < lengths.cells(); cell++) {
            double perLength = (double) lengths.count(cell) / lengths.width(cell);
            long from = lengths.least(cell);
            while (from <= lengths.greatest(cell) && size < sizes.size()) {
                long boundary = sizes.get(size);
                if (boundary >= from) {
                    long to = Math.min(boundary, lengths.greatest(cell));
                    padded += perLength * (to - from + 1) * boundary;
                    from = to + 1;
                }
                if (boundary < from) {
                    size++;
                }
            }
            if (from <= lengths.greatest(cell)) {
                double without = perLength * (lengths.greatest(cell) - from + 1);
                beyond += without;
                tokens -= without * (from + lengths.greatest(cell)) / 2.0;
            }
        }
        return new Padding(padded, tokens, beyond);
    }
}
