package io.inferwatch.analytics.kernel;

import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * The mean over time of what profiles tell as a rate alone. For instructions per cycle that is the ratio of sums, as long as the clock stays;
 * for hits of the first-level cache, whose requests are not told, it is the nearest that can be had.
 *
 * @param nanos time for which the rate is known
 * @param weightedPpm the rates, in millionths, times their nanoseconds
 * @param leftOut kernels without a rate or a time
 */
public record MeanOverTime(long nanos, double weightedPpm, long leftOut) {
    /** No kernels. */
    public static final MeanOverTime NONE = new MeanOverTime(0, 0, 0);

    /** A kernel over all its calls. */
    public static MeanOverTime of(@Nullable Long nanos, @Nullable Long ratePpm) {
        return nanos == null || ratePpm == null
                ? new MeanOverTime(0, 0, 1)
                : new MeanOverTime(nanos, (double) nanos * ratePpm, 0);
    }

    /** Both together. */
    public MeanOverTime plus(MeanOverTime other) {
        return new MeanOverTime(nanos + other.nanos, weightedPpm + other.weightedPpm, leftOut + other.leftOut);
    }

    /** The rate, where 1 is a million millionths; empty without time. */
    public OptionalDouble rate() {
        return nanos == 0 ? OptionalDouble.empty() : OptionalDouble.of(weightedPpm / nanos / 1e6);
    }
}
