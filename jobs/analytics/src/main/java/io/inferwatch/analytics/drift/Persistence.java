package io.inferwatch.analytics.drift;

/**
 * Whether drift has lasted: it is confirmed with two windows of the last three that show it, and over when none of the last three does.
 * What lies between changes nothing, so that a verdict that comes and goes does not open and close an alert. A window without a verdict
 * (inconclusive, not estimable) counts as one that shows no drift, since a key with little traffic would never recover otherwise; a window
 * that never came does not count.
 *
 * <p>Immutable; one byte of state a key.
 */
public record Persistence(int recent, boolean confirmed) {
    /** Before the first window. */
    public static final Persistence NONE = new Persistence(0, false);

    private static final int LAST_THREE = 0b111;
    private static final int CONFIRMED = 0b1000;

    /**
     * Checks the state.
     *
     * @param recent the last three windows that showed drift, as bits, the latest lowest
     * @param confirmed whether drift is confirmed and not over
     */
    public Persistence {
        boolean reachable = confirmed ? recent != 0 : Integer.bitCount(recent) < 2;
        if (recent < 0 || recent > LAST_THREE || !reachable) {
            throw new IllegalArgumentException(
                    "persistence: must be a state that windows lead to, found " + recent + ", " + confirmed);
        }
    }

    /** The state after one more window. */
    public Persistence after(Verdict verdict) {
        int next = (recent << 1 | (verdict == Verdict.DRIFT ? 1 : 0)) & LAST_THREE;
        return new Persistence(next, Integer.bitCount(next) >= 2 || (confirmed && next != 0));
    }

    /** The state as a byte. */
    public byte toByte() {
        return (byte) (recent | (confirmed ? CONFIRMED : 0));
    }

    /**
     * The state of a byte.
     *
     * @throws IllegalArgumentException when {@link #toByte} gives no such byte
     */
    public static Persistence ofByte(byte state) {
        return new Persistence(state & ~CONFIRMED, (state & CONFIRMED) != 0);
    }
}
