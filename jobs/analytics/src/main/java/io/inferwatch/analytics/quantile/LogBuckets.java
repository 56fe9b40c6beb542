package io.inferwatch.analytics.quantile;

import com.datadoghq.sketch.ddsketch.mapping.LogarithmicMapping;

/**
 * Logarithmic buckets over positive whole numbers: bucket i holds [gamma^i, gamma^(i+1)) with gamma = 1.03^(1/4), so that a change of
 * 3 % is exactly four buckets and a bucket's representative is within 0.37 % of all that it holds.
 *
 * <p>The buckets are those of sketches-java's {@code LogarithmicMapping}. Their lower bounds are computed from it once; an index is then
 * found from the number's leading bits and one comparison, without a logarithm, and is the same for every value.
 */
public final class LogBuckets {
    /** Ratio of neighbouring bounds. */
    public static final double GAMMA = Math.pow(1.03, 0.25);

    /** The greatest value that is told apart: an hour in nanoseconds. Greater ones share the last bucket. */
    public static final long MAX_VALUE = 3_600_000_000_000L;

    private static final LogarithmicMapping MAPPING = new LogarithmicMapping(GAMMA, 0);

    /** Number of buckets; indexes run from 0. */
    public static final int COUNT = MAPPING.index((double) MAX_VALUE) + 1;

    /** FIRST_VALUE[i] is the least whole number whose index is i or more; one entry beyond the last bucket. */
    private static final long[] FIRST_VALUE = firstValues();

    /** Numbers that agree in so many bits after the highest differ by 0.4 % at most: less than a bucket, so that one bound may part them. */
    private static final int LEADING_BITS = 8;

    private static final int CELLS = 1 << LEADING_BITS;

    /** For a value's highest bit and the LEADING_BITS after it, the index of the least such value. */
    private static final short[] START = starts();

    private LogBuckets() {}

    /**
     * The index of a value's bucket.
     *
     * @param value at least 1
     */
    public static int index(long value) {
        if (value >= MAX_VALUE) {
            return COUNT - 1;
        }
        int exponent = 63 - Long.numberOfLeadingZeros(value);
        int cell = (int) (((value << (63 - exponent)) >>> (63 - LEADING_BITS)) & (CELLS - 1));
        int index = START[exponent * CELLS + cell];
        return value >= FIRST_VALUE[index + 1] ? index + 1 : index;
    }

    /** The least whole number in a bucket; in the next one that holds any where this holds none. */
    public static long leastValue(int index) {
        return FIRST_VALUE[index];
    }

    /** The inclusive lower bound of a bucket. */
    public static double lowerBound(int index) {
        return MAPPING.lowerBound(index);
    }

    /** The exclusive upper bound of a bucket. */
    public static double upperBound(int index) {
        return MAPPING.upperBound(index);
    }

    /** The value that stands for a bucket's: its relative distance to both bounds is the same, 0.37 %. */
    public static double representative(int index) {
        return MAPPING.value(index);
    }

    private static long[] firstValues() {
        long[] first = new long[COUNT + 1];
        for (int index = 0; index <= COUNT; index++) {
            long value = Math.max(1, (long) Math.floor(MAPPING.lowerBound(index)) - 1);
            while (MAPPING.index((double) value) < index) {
                value++;
            }
            first[index] = value;
        }
        return first;
    }

    private static short[] starts() {
        short[] start = new short[64 * CELLS];
        for (int exponent = 0; exponent < 63; exponent++) {
            for (int cell = 0; cell < CELLS; cell++) {
                long value = (1L << exponent) | shift((long) cell, exponent - LEADING_BITS);
                start[exponent * CELLS + cell] =
                        (short) (value >= MAX_VALUE ? COUNT - 1 : MAPPING.index((double) value));
            }
        }
        return start;
    }

    private static long shift(long bits, int left) {
        return left >= 0 ? bits << left : bits >>> -left;
    }
}
