package io.inferwatch.analytics.slo;

import io.inferwatch.analytics.quantile.QuantileInterval;
import java.time.Duration;

/**
 * A limit of latency that holds from a load on: "P99 at most 200 ms while there are 800 requests a second or more".
 *
 * @param quantile that is limited, above 0 and below 1
 * @param limitMicros that it may reach
 * @param leastPerSecond the load from which on it may not exceed it
 * @param window over which the quantile is taken, whole panes
 * @param pane length of a pane, and from one reading to the next
 * @param breakerFactor at how many times the limit requests are better turned away than served
 * @param breakerAfter how long it must last until a circuit breaker is recommended
 */
public record LoadLimit(
        double quantile,
        long limitMicros,
        double leastPerSecond,
        Duration window,
        Duration pane,
        double breakerFactor,
        Duration breakerAfter) {

    /** P99 over 60 seconds, each second; a circuit breaker where it is one and a half times the limit for half a minute. */
    public static LoadLimit p99(Duration limit, double leastPerSecond) {
        return new LoadLimit(
                0.99,
                limit.toNanos() / 1_000,
                leastPerSecond,
                Duration.ofSeconds(60),
                Duration.ofSeconds(1),
                1.5,
                Duration.ofSeconds(30));
    }

    /** Checks the numbers. */
    public LoadLimit {
        if (!(quantile > 0 && quantile < 1)) {
            throw new IllegalArgumentException("quantile: must be above 0 and below 1, found " + quantile);
        }
        if (limitMicros < 1) {
            throw new IllegalArgumentException("limitMicros: must be at least 1, found " + limitMicros);
        }
        if (!(leastPerSecond >= 0 && Double.isFinite(leastPerSecond))) {
            throw new IllegalArgumentException(
                    "leastPerSecond: must be at least 0 and finite, found " + leastPerSecond);
        }
        if (pane.toNanos() < 1_000 || window.compareTo(pane) < 0 || window.toNanos() % pane.toNanos() != 0) {
            throw new IllegalArgumentException("window: must be whole panes of " + pane + ", found " + window);
        }
        if (!(breakerFactor >= 1)) {
            throw new IllegalArgumentException("breakerFactor: must be at least 1, found " + breakerFactor);
        }
        if (breakerAfter.compareTo(pane) < 0) {
            throw new IllegalArgumentException(
                    "breakerAfter: must be at least a pane of " + pane + ", found " + breakerAfter);
        }
    }

    /** Requests that a reading needs: with fewer the quantile has no upper limit at 95 %. */
    long minimumN() {
        return QuantileInterval.minimumN(quantile, 0.95);
    }

    long paneMicros() {
        return pane.toNanos() / 1_000;
    }

    int panesOfWindow() {
        return (int) (window.toNanos() / pane.toNanos());
    }

    int readingsToBreaker() {
        return (int) -Math.floorDiv(-breakerAfter.toNanos(), pane.toNanos());
    }
}
