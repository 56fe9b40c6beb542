package io.inferwatch.analytics.kernel;

import io.inferwatch.analytics.drift.Moments;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a kernel or stage as one source timed them.
 *
 * @param calls at least 1
 * @param totalNanos over all calls, at least 0
 * @param moments of the calls' nanoseconds, where the source tells each; null where it tells the total alone
 */
public record CallTimes(
        long calls, long totalNanos, @Nullable Moments moments) {
    /** Checks the numbers. */
    public CallTimes {
        if (calls < 1 || totalNanos < 0) {
            throw new IllegalArgumentException(
                    "calls, totalNanos: must be at least 1 and 0, found " + calls + " and " + totalNanos);
        }
    }

    /** Nanoseconds of a call. */
    public double meanNanos() {
        return (double) totalNanos / calls;
    }
}
