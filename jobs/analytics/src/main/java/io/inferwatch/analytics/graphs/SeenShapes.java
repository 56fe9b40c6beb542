package io.inferwatch.analytics.graphs;

import java.util.BitSet;

/**
 * The shapes that a replica has run since it started, so that the first time of each is known: what is captured lazily is captured then.
 * One bit a shape, 8 KiB at most; not thread safe.
 */
public final class SeenShapes {
    private static final int MOST = 65_536;

    private final BitSet seen;

    /** None. */
    public SeenShapes() {
        this(new BitSet());
    }

    private SeenShapes(BitSet seen) {
        this.seen = seen;
    }

    /** What {@link #toBytes} has written. */
    public static SeenShapes ofBytes(byte[] bytes) {
        return new SeenShapes(BitSet.valueOf(bytes));
    }

    /** All shapes, as bytes. */
    public byte[] toBytes() {
        return seen.toByteArray();
    }

    /** Takes note of a shape and tells whether it is the first time. Shapes of {@value #MOST} and more are one. */
    public boolean isFirst(int shape) {
        if (shape < 1) {
            throw new IllegalArgumentException("shape: must be at least 1, found " + shape);
        }
        int bit = Math.min(shape, MOST);
        boolean isFirst = !seen.get(bit);
        seen.set(bit);
        return isFirst;
    }

    /** Different shapes so far. */
    public int count() {
        return seen.cardinality();
    }
}
