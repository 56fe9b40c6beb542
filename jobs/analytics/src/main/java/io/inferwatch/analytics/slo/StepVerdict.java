package io.inferwatch.analytics.slo;

import io.inferwatch.analytics.quantile.QuantileInterval;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Load, latency and quantile of one load step, judged together.
 *
 * @param step the load
 * @param requests that arrived in its panes
 * @param failed of those that ended in its panes
 * @param perSecond requests a second as measured; empty without panes
 * @param micros the quantile over all of it; infinite where more failed than it leaves out, empty with too few requests
 * @param limits of that quantile at 95 %; empty where requests failed, whose latency nobody knows, or are too few
 * @param worstMicros the greatest reading; empty where there is none
 * @param exceededMicros for how long readings exceeded the limit
 * @param longestMicros the longest stretch of that
 * @param verdict what is said
 * @param readings the sliding quantile, rising in time
 */
public record StepVerdict(
        LoadStep step,
        long requests,
        long failed,
        OptionalDouble perSecond,
        OptionalDouble micros,
        Optional<QuantileInterval> limits,
        OptionalDouble worstMicros,
        long exceededMicros,
        long longestMicros,
        LoadVerdict verdict,
        List<SlidingReading> readings) {

    /** A verdict with an unmodifiable list. */
    public StepVerdict {
        readings = List.copyOf(readings);
    }

    /** By how much the greatest reading exceeds the limit; negative where it leaves room, empty where there is none. */
    public OptionalDouble excessMicros(LoadLimit limit) {
        return worstMicros.isPresent()
                ? OptionalDouble.of(worstMicros.getAsDouble() - limit.limitMicros())
                : OptionalDouble.empty();
    }
}
