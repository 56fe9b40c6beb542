package io.inferwatch.jobs.detect;

import org.jspecify.annotations.Nullable;

/**
 * When the objectives of a series are looked at, as four numbers of state. Times are epoch milliseconds of event time.
 *
 * @param nextMillis when they will be; {@link #NEVER} while nothing is awaited
 * @param judgedMillis when they were last; {@link #NEVER} before
 * @param seenMillis {@code judgedMillis} at the last check whether event time passes
 * @param standing checks running at which it did not; {@link #UNCHECKED} while nobody checks
 */
record SloClock(long nextMillis, long judgedMillis, long seenMillis, long standing) {
    static final long NEVER = Long.MIN_VALUE;
    static final long UNCHECKED = -1;

    static SloClock of(long @Nullable [] state) {
        return state == null
                ? new SloClock(NEVER, NEVER, NEVER, UNCHECKED)
                : new SloClock(state[0], state[1], state[2], state[3]);
    }

    long[] toState() {
        return new long[] {nextMillis, judgedMillis, seenMillis, standing};
    }

    SloClock next(long atMillis) {
        return new SloClock(atMillis, judgedMillis, seenMillis, standing);
    }

    /** Judged, with nothing awaited. */
    SloClock judged(long atMillis) {
        return new SloClock(NEVER, atMillis, seenMillis, standing);
    }

    /** After a check, the first one where nobody checked. */
    SloClock checked() {
        boolean stands = standing != UNCHECKED && judgedMillis == seenMillis;
        return new SloClock(nextMillis, judgedMillis, judgedMillis, stands ? standing + 1 : 0);
    }

    /** With nobody checking. */
    SloClock unchecked() {
        return new SloClock(nextMillis, judgedMillis, NEVER, UNCHECKED);
    }
}
