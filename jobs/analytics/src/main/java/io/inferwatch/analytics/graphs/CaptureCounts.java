package io.inferwatch.analytics.graphs;

import io.inferwatch.analytics.shape.Estimate;
import io.inferwatch.analytics.shape.Proportion;
import java.util.Optional;

/**
 * Captures of CUDA graphs.
 *
 * @param attempts at least 0
 * @param failures from 0 to attempts
 */
public record CaptureCounts(long attempts, long failures) {
    /** No captures. */
    public static final CaptureCounts NONE = new CaptureCounts(0, 0);

    /** Checks the numbers. */
    public CaptureCounts {
        if (failures < 0 || failures > attempts) {
            throw new IllegalArgumentException(
                    "failures: must be from 0 to the " + attempts + " attempts, found " + failures);
        }
    }

    /** Both together. */
    public CaptureCounts plus(CaptureCounts other) {
        return new CaptureCounts(attempts + other.attempts, failures + other.failures);
    }

    /** The share that failed, with the exact limits of attempts that do not hang together; empty without attempts. */
    public Optional<Estimate> failureShare() {
        return Proportion.of(failures, attempts);
    }
}
