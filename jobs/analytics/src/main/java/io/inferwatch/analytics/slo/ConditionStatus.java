package io.inferwatch.analytics.slo;

import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * How a condition stands.
 *
 * @param longBurn how fast the budget burns over the long window; empty without requests
 * @param shortBurn the same over the short one
 * @param phase where it stands
 * @param sinceMicros when it began to hold, epoch microseconds; empty where it does not
 * @param isChange whether the phase is another than at the evaluation before
 */
public record ConditionStatus(
        BurnCondition condition,
        OptionalDouble longBurn,
        OptionalDouble shortBurn,
        Phase phase,
        OptionalLong sinceMicros,
        boolean isChange) {
    /** Where a condition stands. */
    public enum Phase {
        /** It does not hold. */
        QUIET,
        /** It holds, not yet for long enough. */
        PENDING,
        /** Somebody is to hear of it. */
        FIRING
    }

    /** Whether it has just stopped to fire. */
    public boolean isResolved() {
        return isChange && phase == Phase.QUIET;
    }

    static Phase phase(ConditionState state) {
        return state.isFiring()
                ? Phase.FIRING
                : state.sinceMicros() == ConditionState.NEVER ? Phase.QUIET : Phase.PENDING;
    }
}
