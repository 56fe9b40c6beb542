package io.inferwatch.analytics.quantile;

import java.util.Arrays;

/**
 * A distribution of non-negative whole numbers (microseconds, nanoseconds, tokens) that merges exactly: counts per bucket of
 * {@link LogBuckets}, zeros apart, and exact n, sum, least and greatest value. A quantile is within 0.37 % of the order statistic,
 * whatever the order of adding and merging.
 *
 * <p>Memory: 2 bytes a value up to {@value #LIST_CAPACITY} values, after that 256 bytes and 8 for each bucket between the least and the
 * greatest. Values from {@link LogBuckets#MAX_VALUE} on share the last bucket, so that only min and max tell them apart. The sum stops
 * at {@link Long#MAX_VALUE}. Not thread safe; reading may rearrange memory too.
 */
public final class QuantileSketch {
    static final int LIST_CAPACITY = 128;

    private static final short[] NO_LIST = {};
    private static final long[] NO_COUNTS = {};

    private long n;
    private long zeros;
    private long sum;
    private long min = Long.MAX_VALUE;
    private long max = Long.MIN_VALUE;

    /**
     * Indexes of the latest single values, and of all while there are few. A job adds to thousands of sketches in turn: writing to the
     * end of a list stays in the processor's caches where counting in every bucket would not.
     */
    private short[] list = NO_LIST;

    private int listed;

    /** Counts of buckets from firstBucket on, without what is listed; empty while the list has held everything. */
    private long[] counts = NO_COUNTS;

    private int firstBucket;

    /** An empty sketch. */
    public QuantileSketch() {}

    /**
     * Adds one value.
     *
     * @param value at least 0
     */
    public void add(long value) {
        if (value <= 0) {
            addZero(value, 1);
            return;
        }
        note(value, 1);
        if (listed == list.length) {
            makeRoom();
        }
        list[listed++] = (short) LogBuckets.index(value);
    }

    /**
     * Adds a value several times.
     *
     * @param value at least 0
     * @param times at least 1
     */
    public void add(long value, long times) {
        if (times == 1) {
            add(value);
            return;
        }
        if (times < 1) {
            throw new IllegalArgumentException("times: must be at least 1, found " + times);
        }
        if (value <= 0) {
            addZero(value, times);
            return;
        }
        note(value, times);
        count(LogBuckets.index(value), times);
    }

    /** Adds all that another sketch holds, which stays as it is. */
    public void merge(QuantileSketch other) {
        if (other == this) {
            throw new IllegalArgumentException("other: must be another sketch, found the same");
        }
        if (other.n == 0) {
            return;
        }
        n += other.n;
        zeros += other.zeros;
        sum = saturated(sum + other.sum);
        min = Math.min(min, other.min);
        max = Math.max(max, other.max);
        if (other.counts.length > 0) {
            mergeCounts(other);
        }
        if (listed + other.listed > LIST_CAPACITY) {
            settle();
        }
        if (listed + other.listed > list.length) {
            list = Arrays.copyOf(list, Math.min(LIST_CAPACITY, Math.max(listed + other.listed, 2 * listed)));
        }
        System.arraycopy(other.list, 0, list, listed, other.listed);
        listed += other.listed;
    }

    private void mergeCounts(QuantileSketch other) {
        if (counts.length == 0) {
            firstBucket = other.firstBucket;
            counts = other.counts.clone();
            return;
        }
        ensure(other.firstBucket);
        ensure(other.firstBucket + other.counts.length - 1);
        int shift = other.firstBucket - firstBucket;
        for (int i = 0; i < other.counts.length; i++) {
            counts[i + shift] += other.counts[i];
        }
    }

    /** Number of values. */
    public long n() {
        return n;
    }

    /** Exact sum of the values; {@link Long#MAX_VALUE} when it is greater than that. */
    public long sum() {
        return sum;
    }

    /**
     * Exact least value.
     *
     * @throws IllegalStateException when empty
     */
    public long min() {
        requireValues();
        return min;
    }

    /**
     * Exact greatest value.
     *
     * @throws IllegalStateException when empty
     */
    public long max() {
        requireValues();
        return max;
    }

    /**
     * Exact mean up to rounding.
     *
     * @throws IllegalStateException when empty
     */
    public double mean() {
        requireValues();
        return (double) sum / n;
    }

    /**
     * The quantile, within 0.37 % of the order statistic of rank ceil(q n), and never outside least and greatest value. Rises with q.
     *
     * @param q from 0 to 1
     * @throws IllegalStateException when empty
     */
    public double quantile(double q) {
        if (!(q >= 0 && q <= 1)) {
            throw new IllegalArgumentException("q: must be from 0 to 1, found " + q);
        }
        requireValues();
        return atRank(rankOf(q));
    }

    /**
     * Several quantiles in one pass.
     *
     * @param q rising, each from 0 to 1
     */
    public double[] quantiles(double... q) {
        requireValues();
        double[] values = new double[q.length];
        long[] buckets = countsView();
        int bucket = 0;
        long cumulated = zeros;
        for (int i = 0; i < q.length; i++) {
            if (!(q[i] >= 0 && q[i] <= 1) || (i > 0 && q[i] < q[i - 1])) {
                throw new IllegalArgumentException("q: must rise from 0 to 1, found " + Arrays.toString(q));
            }
            long rank = rankOf(q[i]);
            while (cumulated < rank) {
                cumulated += buckets[bucket++];
            }
            values[i] = rank <= zeros ? 0 : clamp(LogBuckets.representative(firstBucket() + bucket - 1));
        }
        return values;
    }

    /**
     * The value of the given rank, within 0.37 %.
     *
     * @param rank from 1 to n
     */
    public double atRank(long rank) {
        if (rank <= zeros) {
            requireRank(rank);
            return 0;
        }
        return clamp(LogBuckets.representative(bucketOfRank(rank)));
    }

    /** The greatest value that the order statistic of that rank can not be below: its bucket's lower bound. */
    public double lowerBoundOfRank(long rank) {
        if (rank <= zeros) {
            requireRank(rank);
            return 0;
        }
        return Math.max((double) min, LogBuckets.lowerBound(bucketOfRank(rank)));
    }

    /** The least value that the order statistic of that rank can not exceed: its bucket's upper bound. */
    public double upperBoundOfRank(long rank) {
        if (rank <= zeros) {
            requireRank(rank);
            return 0;
        }
        int bucket = bucketOfRank(rank);
        return bucket == LogBuckets.COUNT - 1 ? (double) max : Math.min((double) max, LogBuckets.upperBound(bucket));
    }

    /** How many values lie in buckets above the given one; zeros lie below all. */
    public long countAbove(int bucket) {
        long above = 0;
        long[] buckets = countsView();
        for (int i = Math.max(0, bucket + 1 - firstBucket()); i < buckets.length; i++) {
            above += buckets[i];
        }
        return above;
    }

    /**
     * The bucket that holds the value of the given rank; -1 when that value is zero.
     *
     * @param rank from 1 to n
     */
    public int bucketOfRank(long rank) {
        requireRank(rank);
        long cumulated = zeros;
        if (rank <= cumulated) {
            return -1;
        }
        long[] buckets = countsView();
        int i = -1;
        while (cumulated < rank) {
            cumulated += buckets[++i];
        }
        return firstBucket() + i;
    }

    /** Shows every bucket that holds values, rising; bucket -1 holds the zeros. */
    public void forEachBucket(BucketVisitor visitor) {
        if (zeros > 0) {
            visitor.visit(-1, zeros);
        }
        long[] buckets = countsView();
        for (int i = 0; i < buckets.length; i++) {
            if (buckets[i] > 0) {
                visitor.visit(firstBucket + i, buckets[i]);
            }
        }
    }

    /** Sees the buckets of a sketch. */
    @FunctionalInterface
    public interface BucketVisitor {
        /**
         * Takes one bucket.
         *
         * @param bucket index of {@link LogBuckets}; -1 for zeros
         * @param count how many values lie in it, at least 1
         */
        void visit(int bucket, long count);
    }

    /** The rank whose value is the quantile: ceil(q n), at least 1. */
    public long rankOf(double q) {
        // A product such as 0.99 * 100 may come out a hair above the whole number that it is.
        return Math.min(n, Math.max(1, (long) Math.ceil(q * n * (1 - 1e-12))));
    }

    /** Makes the sketch empty, for use again; the memory of few values is kept. */
    public void clear() {
        n = 0;
        zeros = 0;
        sum = 0;
        min = Long.MAX_VALUE;
        max = Long.MIN_VALUE;
        listed = 0;
        counts = NO_COUNTS;
    }

    /** Values that are zero. */
    long zeros() {
        return zeros;
    }

    /** The first bucket of {@link #countsView()}. */
    int firstBucket() {
        settle();
        return firstBucket;
    }

    /** Counts of neighbouring buckets, the first of which is {@link #firstBucket()}; not to be written to. */
    long[] countsView() {
        settle();
        return counts;
    }

    /** Whether single indexes are kept instead of counts. */
    boolean isList() {
        return counts.length == 0;
    }

    /** The indexes of a list, rising. */
    short[] sortedList() {
        short[] sorted = Arrays.copyOf(list, listed);
        Arrays.sort(sorted);
        return sorted;
    }

    /** Takes over the totals and indexes of an encoded sketch. */
    static QuantileSketch ofList(Totals totals, short[] list) {
        QuantileSketch sketch = new QuantileSketch();
        sketch.take(totals);
        sketch.list = list;
        sketch.listed = list.length;
        return sketch;
    }

    /** Takes over the totals and counts of an encoded sketch. */
    static QuantileSketch ofCounts(Totals totals, int firstBucket, long[] counts) {
        QuantileSketch sketch = new QuantileSketch();
        sketch.take(totals);
        sketch.firstBucket = firstBucket;
        sketch.counts = counts;
        return sketch;
    }

    /** All of a sketch but its buckets. */
    record Totals(long n, long zeros, long sum, long min, long max) {}

    private void take(Totals totals) {
        n = totals.n;
        zeros = totals.zeros;
        sum = totals.sum;
        min = totals.min;
        max = totals.max;
    }

    private void addZero(long value, long times) {
        if (value < 0) {
            throw new IllegalArgumentException("value: must be at least 0, found " + value);
        }
        note(0, times);
        zeros += times;
    }

    private void note(long value, long times) {
        n += times;
        sum = saturated(sum + (times == 1 ? value : product(value, times)));
        if (value < min) {
            min = value;
        }
        if (value > max) {
            max = value;
        }
    }

    /** What two numbers from 0 on add up to, which is negative where it is too great for a long. */
    private static long saturated(long total) {
        return total < 0 ? Long.MAX_VALUE : total;
    }

    private static long product(long value, long times) {
        return value > Long.MAX_VALUE / times ? Long.MAX_VALUE : value * times;
    }

    private void makeRoom() {
        if (listed < LIST_CAPACITY) {
            list = Arrays.copyOf(list, Math.min(LIST_CAPACITY, Math.max(8, 2 * listed)));
        } else {
            settle();
        }
    }

    /** Counts what is listed. */
    private void settle() {
        if (listed == 0) {
            return;
        }
        int least = Integer.MAX_VALUE;
        int greatest = -1;
        for (int i = 0; i < listed; i++) {
            least = Math.min(least, list[i]);
            greatest = Math.max(greatest, list[i]);
        }
        if (counts.length == 0) {
            firstBucket = least;
            counts = new long[greatest - least + 1];
        } else {
            ensure(least);
            ensure(greatest);
        }
        for (int i = 0; i < listed; i++) {
            counts[list[i] - firstBucket]++;
        }
        listed = 0;
    }

    private void count(int index, long times) {
        ensure(index);
        counts[index - firstBucket] += times;
    }

    private void ensure(int index) {
        if (counts.length == 0) {
            firstBucket = index;
            counts = new long[1];
            return;
        }
        if (index < firstBucket) {
            int spare = Math.min(index, counts.length / 2);
            int first = index - spare;
            long[] grown = new long[firstBucket + counts.length - first];
            System.arraycopy(counts, 0, grown, firstBucket - first, counts.length);
            counts = grown;
            firstBucket = first;
        } else if (index >= firstBucket + counts.length) {
            int needed = index - firstBucket + 1;
            int size = Math.min(LogBuckets.COUNT - firstBucket, needed + counts.length / 2);
            counts = Arrays.copyOf(counts, Math.max(needed, size));
        }
    }

    private double clamp(double value) {
        return Math.min((double) max, Math.max((double) min, value));
    }

    private void requireValues() {
        if (n == 0) {
            throw new IllegalStateException("an empty sketch has no values");
        }
    }

    private void requireRank(long rank) {
        if (rank < 1 || rank > n) {
            throw new IllegalArgumentException("rank: must be from 1 to " + n + ", found " + rank);
        }
    }
}
