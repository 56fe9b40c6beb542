package io.inferwatch.analytics.cost;

import java.util.OptionalDouble;

/**
 * What work cost.
 *
 * @param dollars all of it
 * @param perThousandTokens at the effective throughput: what generating costs by itself; empty where that is not known
 * @param allInPerThousandTokens of tokens that somebody got, with all time; empty without any
 * @param perRequest of answered requests, with all time; empty without any
 * @param idleDollars for time without work
 * @param preemptedDollars for generating tokens that preemption lost
 * @param failedDollars for generating tokens of requests that failed
 */
public record DeviceCost(
        double dollars,
        OptionalDouble perThousandTokens,
        OptionalDouble allInPerThousandTokens,
        OptionalDouble perRequest,
        double idleDollars,
        double preemptedDollars,
        double failedDollars) {

    /** The cost of a window's work on devices of one price. */
    public static DeviceCost of(DeviceWork work, DevicePrice price) {
        double dollars = price.dollars(work.seconds());
        OptionalDouble effective = work.effectiveThroughput();
        OptionalDouble perThousand = effective.isPresent()
                ? OptionalDouble.of(price.perThousandTokens(effective.getAsDouble()))
                : OptionalDouble.empty();
        double perToken = perThousand.orElse(0) / 1_000;
        return new DeviceCost(
                dollars,
                perThousand,
                per(1_000 * dollars, work.usefulTokens()),
                per(dollars, work.requests()),
                price.dollars(Math.min(work.seconds(), work.idleSeconds())),
                perToken * work.preemptedTokens(),
                perToken * work.failedTokens());
    }

    /** What was for nothing. */
    public double wastedDollars() {
        return idleDollars + preemptedDollars + failedDollars;
    }

    private static OptionalDouble per(double dollars, long count) {
        return count > 0 ? OptionalDouble.of(dollars / count) : OptionalDouble.empty();
    }
}
