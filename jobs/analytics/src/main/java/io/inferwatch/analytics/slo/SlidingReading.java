package io.inferwatch.analytics.slo;

import java.util.OptionalDouble;

/**
 * The quantile over a window that ends at an instant and lies wholly within one load step.
 *
 * @param endMicros end of the window, exclusive, epoch microseconds
 * @param n requests that ended in it
 * @param micros the quantile; infinite where more requests failed than it leaves out, empty with too few requests
 */
public record SlidingReading(long endMicros, long n, OptionalDouble micros) {
    /** Whether the quantile is known and above a limit. */
    boolean exceeds(double limitMicros) {
        return micros.isPresent() && micros.getAsDouble() > limitMicros;
    }
}
