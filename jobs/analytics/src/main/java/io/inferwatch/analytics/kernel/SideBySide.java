package io.inferwatch.analytics.kernel;

import io.inferwatch.analytics.drift.Comparison;
import io.inferwatch.analytics.drift.DriftRule;
import io.inferwatch.analytics.drift.MeanComparison;
import io.inferwatch.analytics.drift.Moments;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A kernel or stage as several sources timed it. Their means differ by nature: a tracer slows, a profiler holds clocks fast and runs kernels
 * alone. So no mean of them is made; what is told is each, and how far they are apart.
 *
 * @param times by source
 */
public record SideBySide(Map<TimingSource, CallTimes> times) {
    /** A copy of its own. */
    public SideBySide {
        times = Map.copyOf(times);
    }

    /** By how much the longest mean exceeds the shortest, as a share of the shortest; empty with fewer than two sources, or a mean of zero. */
    public OptionalDouble disagreement() {
        double least =
                times.values().stream().mapToDouble(CallTimes::meanNanos).min().orElse(0);
        double most =
                times.values().stream().mapToDouble(CallTimes::meanNanos).max().orElse(0);
        return times.size() < 2 || least == 0 ? OptionalDouble.empty() : OptionalDouble.of(most / least - 1);
    }

    /**
     * A source against another with its 95 % limits, as means of calls; empty unless both tell their calls one by one.
     *
     * @param baseline what is compared with, usually {@link TimingSource#CUDA_EVENTS}
     */
    public Optional<Comparison> compare(TimingSource baseline, TimingSource other) {
        CallTimes one = times.get(baseline);
        CallTimes two = times.get(other);
        if (one == null || two == null) {
            return Optional.empty();
        }
        Moments before = one.moments();
        Moments now = two.moments();
        return before == null || now == null
                ? Optional.empty()
                : Optional.of(MeanComparison.of(before, now, DriftRule.SLOWER));
    }
}
