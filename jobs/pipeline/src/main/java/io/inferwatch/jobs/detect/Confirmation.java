package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.drift.Persistence;
import io.inferwatch.schemas.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * Whether what windows show has lasted, and since when, as three numbers of state.
 *
 * @param sinceMicros begin of the first window that showed it; {@link #NEVER} while none of the last three did
 * @param lastEndMicros end of the last window; {@link #NEVER} before the first
 */
record Confirmation(Persistence persistence, long sinceMicros, long lastEndMicros) {
    static final long NEVER = Long.MIN_VALUE;

    static Confirmation of(long @Nullable [] state) {
        return state == null
                ? new Confirmation(Persistence.NONE, NEVER, NEVER)
                : new Confirmation(Persistence.ofByte((byte) state[0]), state[1], state[2]);
    }

    long[] toState() {
        return new long[] {persistence.toByte(), sinceMicros, lastEndMicros};
    }

    /**
     * After the verdict of a look.
     *
     * @param units how much was looked at: see {@link Persistence#after(io.inferwatch.analytics.drift.Verdict, int)}
     */
    Confirmation after(Verdict verdict, int units, long beginMicros, long endMicros) {
        return after(
                persistence.after(io.inferwatch.analytics.drift.Verdict.valueOf(verdict.name()), units),
                beginMicros,
                endMicros);
    }

    /** After a window that shows it, or does not. */
    Confirmation after(boolean isShown, long beginMicros, long endMicros) {
        return after(isShown ? Verdict.DRIFT : Verdict.NO_DRIFT, 1, beginMicros, endMicros);
    }

    /** After a window with which all begins anew. */
    Confirmation forgiven(long endMicros) {
        return after(Persistence.NONE, NEVER, endMicros);
    }

    private Confirmation after(Persistence next, long beginMicros, long endMicros) {
        long since = next.recent() == 0 ? NEVER : sinceMicros == NEVER ? beginMicros : sinceMicros;
        return new Confirmation(next, since, endMicros);
    }

    boolean isConfirmed() {
        return persistence.confirmed();
    }
}
