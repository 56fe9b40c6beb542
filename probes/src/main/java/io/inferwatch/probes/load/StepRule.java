package io.inferwatch.probes.load;

import io.inferwatch.analytics.slo.LoadLimit;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * When a step of the load is over the limit: P99 over any sliding window of 60 s, moved by a second, in which at least so many requests a second came.
 *
 * @param latency whose P99
 * @param limit above which it is a breach
 * @param breaker above which the load is cut off
 * @param leastRate requests a second below which nothing is a breach
 */
record StepRule(Latency latency, Duration limit, Duration breaker, double leastRate) {
    static final int WINDOW_SECONDS = 60;
    /** Below, P99 has no upper limit at 95 % confidence. */
    static final int LEAST_REQUESTS = 368;

    private static final Duration SECOND = Duration.ofSeconds(1);

    /** What is limited; from the schedule. */
    enum Latency {
        TTFT,
        E2E;

        @Nullable
        Long micros(FinishedRequest request) {
            return this == TTFT ? request.ttftMicros() : request.e2eMicros();
        }
    }

    StepRule {
        if (limit.isNegative() || limit.isZero()) {
            throw new IllegalArgumentException("limit: must be above 0, found " + limit);
        }
        if (breaker.compareTo(limit) < 0) {
            throw new IllegalArgumentException(
                    "breaker: must be at least the limit of " + limit + ", found " + breaker);
        }
    }

    /** The same for a step of so many seconds, of which one that is shorter than a window is a window: above the breaker's limit the load is cut off at once. */
    LoadLimit limit(int seconds) {
        return new LoadLimit(
                0.99,
                limitMicros(),
                leastRate,
                Duration.ofSeconds(Math.min(WINDOW_SECONDS, seconds)),
                SECOND,
                breakerMicros() / (double) limitMicros(),
                SECOND);
    }

    long limitMicros() {
        return limit.toNanos() / 1_000;
    }

    long breakerMicros() {
        return breaker.toNanos() / 1_000;
    }
}
