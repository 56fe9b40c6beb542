package io.inferwatch.analytics.change;

/**
 * A figure of one run.
 *
 * @param endAtMicros when it ended
 * @param commit or version and configuration that it ran; runs of the same are repeats
 * @param value finite
 */
public record Run(long endAtMicros, String commit, double value) {
    /** Checks the value. */
    public Run {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException("value: must be finite, found " + value);
        }
    }
}
