package io.inferwatch.jobs.window;

import java.util.Arrays;

/**
 * Observations by the buckets of an engine's own histogram. Counts of different grids are merged on the bounds that both have, which is exact and loses
 * resolution only.
 *
 * @param boundsMicros upper bounds, inclusive, rising, microseconds
 * @param counts observations of each bucket, one more than bounds: the last has no upper bound
 * @param sumMicros sum of the observations, microseconds; 0 where the engine does not tell
 */
record BucketCounts(long[] boundsMicros, long[] counts, long sumMicros) {
    BucketCounts {
        if (counts.length != boundsMicros.length + 1) {
            throw new IllegalArgumentException("histogram: must have one count more than its " + boundsMicros.length
                    + " bounds, found " + counts.length);
        }
    }

    /** Observations. */
    long n() {
        return Arrays.stream(counts).sum();
    }

    BucketCounts merge(BucketCounts other) {
        long[] common = Arrays.equals(boundsMicros, other.boundsMicros)
                ? boundsMicros
                : Arrays.stream(boundsMicros)
                        .filter(bound -> Arrays.binarySearch(other.boundsMicros, bound) >= 0)
                        .toArray();
        long[] merged = new long[common.length + 1];
        addOn(common, merged);
        other.addOn(common, merged);
        return new BucketCounts(common, merged, sumMicros + other.sumMicros);
    }

    /** Adds the counts to those of a grid whose bounds are some of ours. */
    private void addOn(long[] grid, long[] sums) {
        int bucket = 0;
        for (int i = 0; i < counts.length; i++) {
            sums[bucket] += counts[i];
            if (i < boundsMicros.length && bucket < grid.length && boundsMicros[i] == grid[bucket]) {
                bucket++;
            }
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof BucketCounts that
                && Arrays.equals(boundsMicros, that.boundsMicros)
                && Arrays.equals(counts, that.counts)
                && sumMicros == that.sumMicros;
    }

    @Override
    public int hashCode() {
        return 31 * (31 * Arrays.hashCode(boundsMicros) + Arrays.hashCode(counts)) + Long.hashCode(sumMicros);
    }

    @Override
    public String toString() {
        return Arrays.toString(counts) + " by " + Arrays.toString(boundsMicros);
    }
}
