package io.inferwatch.analytics.drift;

/**
 * Whether drift has lasted: it is confirmed with two looks of the last three that show it, and over when none of the last three does.
 * What lies between changes nothing, so that a verdict that comes and goes does not open and close an alert. A look without a verdict
 * (inconclusive, not estimable) counts as one that shows no drift, since a key with little traffic would never recover otherwise; but not
 * while it has fewer units than drift was shown by, since it could not have shown it. A window that never came does not count.
 *
 * <p>Immutable; one byte of state a key.
 *
 * @param recent the last three looks that showed drift, as bits, the latest lowest
 * @param confirmed whether drift is confirmed and not over
 * @param units how many units the latest look that showed drift had, a power of two; 1 where none did
 */
public record Persistence(int recent, boolean confirmed, int units) {
    /** Before the first window. */
    public static final Persistence NONE = new Persistence(0, false, 1);

    private static final int LAST_THREE = 0b111;
    private static final int CONFIRMED = 0b1000;
    private static final int UNITS_SHIFT = 4;
    private static final int MAX_UNITS = 1 << 7;

    /** Checks the state. */
    public Persistence {
        boolean reachable = confirmed ? recent != 0 : Integer.bitCount(recent) < 2;
        boolean sized = units >= 1 && units <= MAX_UNITS && Integer.bitCount(units) == 1 && (recent != 0 || units == 1);
        if (recent < 0 || recent > LAST_THREE || !reachable || !sized) {
            throw new IllegalArgumentException("persistence: must be a state that windows lead to, found " + recent
                    + ", " + confirmed + ", " + units);
        }
    }

    /** The state after one more look at one unit. */
    public Persistence after(Verdict verdict) {
        return after(verdict, 1);
    }

    /**
     * The state after one more look.
     *
     * @param lookUnits how many units it was at, a power of two up to 128
     */
    public Persistence after(Verdict verdict, int lookUnits) {
        boolean isDrift = verdict == Verdict.DRIFT;
        if (!isDrift && verdict != Verdict.NO_DRIFT && lookUnits < units) {
            return this;
        }
        int next = (recent << 1 | (isDrift ? 1 : 0)) & LAST_THREE;
        int nextUnits = isDrift ? lookUnits : next == 0 ? 1 : units;
        return new Persistence(next, Integer.bitCount(next) >= 2 || (confirmed && next != 0), nextUnits);
    }

    /** The state as a byte. */
    public byte toByte() {
        return (byte) (recent | (confirmed ? CONFIRMED : 0) | Integer.numberOfTrailingZeros(units) << UNITS_SHIFT);
    }

    /**
     * The state of a byte.
     *
     * @throws IllegalArgumentException when {@link #toByte} gives no such byte
     */
    public static Persistence ofByte(byte state) {
        if (state < 0) {
            throw new IllegalArgumentException("persistence: must be a state that windows lead to, found " + state);
        }
        return new Persistence(state & LAST_THREE, (state & CONFIRMED) != 0, 1 << (state >> UNITS_SHIFT));
    }
}
