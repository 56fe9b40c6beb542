package io.inferwatch.analytics.slo;

import io.inferwatch.analytics.state.StateReader;
import io.inferwatch.analytics.state.StateWriter;

/**
 * Whether a condition fires: once it has held for its time, until the short window was clear three times running. A window without requests says
 * neither.
 *
 * @param sinceMicros when it began to hold; {@link #NEVER} while it does not
 * @param clear evaluations running that were clear while it fires
 */
record ConditionState(long sinceMicros, boolean isFiring, int clear) {
    static final long NEVER = Ledger.NEVER;
    static final ConditionState NONE = new ConditionState(NEVER, false, 0);

    private static final int CLEAR_FOR = 3;

    /** The state after one more evaluation. */
    ConditionState after(long nowMicros, BurnCondition condition, boolean isBurning, boolean isClear, boolean isKnown) {
        if (isFiring) {
            int nextClear = isClear ? clear + 1 : isKnown ? 0 : clear;
            return nextClear >= CLEAR_FOR ? NONE : new ConditionState(sinceMicros, true, nextClear);
        }
        if (!isBurning) {
            return NONE;
        }
        long since = sinceMicros == NEVER ? nowMicros : sinceMicros;
        return new ConditionState(
                since, nowMicros - since >= condition.alertAfter().toNanos() / 1_000, 0);
    }

    void write(StateWriter out) {
        out.signed(sinceMicros);
        out.number(2L * clear + (isFiring ? 1 : 0));
    }

    static ConditionState read(StateReader in) {
        long since = in.signed();
        long rest = in.number();
        return new ConditionState(since, (rest & 1) == 1, (int) (rest >> 1));
    }
}
