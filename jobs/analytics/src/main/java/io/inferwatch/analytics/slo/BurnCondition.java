package io.inferwatch.analytics.slo;

import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Stream;
import org.apache.commons.statistics.distribution.BetaDistribution;

/**
 * When a budget burns too fast: as fast as {@code factor} or faster over a long window, so that it matters, and over a short one, so that it
 * still does.
 *
 * <p>A burn of 1 spends the budget in exactly its period. Over the long window chance must not do it: of fewer than 100 bad requests at least 5
 * must be there, and the error share must be above the limit with 95 % certainty (Beta(good + 1/2, bad + 1/2)). A short window with fewer than
 * 5 requests reaches back twice as far, up to the long one, since no requests are no recovery.
 *
 * @param name within its objective
 * @param tier who is to hear of it
 * @param factor how many times as fast as the budget allows, above 0
 * @param alertAfter how long it must hold
 */
public record BurnCondition(
        String name, Tier tier, double factor, Duration longWindow, Duration shortWindow, Duration alertAfter) {
    /** Of as many bad requests the share is told by itself. */
    static final long MANY_BAD = 100;

    static final long LEAST_BAD = 5;
    static final long LEAST_REQUESTS = 5;

    private static final double DOUBT = 0.05;
    private static final double CLEAR_BELOW = 0.8;
    private static final double ROUNDING = 1e-9;

    /** Checks the numbers. */
    public BurnCondition {
        if (!(factor > 0 && Double.isFinite(factor))) {
            throw new IllegalArgumentException("factor: must be above 0 and finite, found " + factor);
        }
        if (shortWindow.compareTo(Duration.ofMinutes(1)) < 0 || longWindow.compareTo(shortWindow) < 0) {
            throw new IllegalArgumentException(
                    "shortWindow: must be from a minute to " + longWindow + ", found " + shortWindow);
        }
        if (alertAfter.isNegative()) {
            throw new IllegalArgumentException("alertAfter: must not be negative, found " + alertAfter);
        }
    }

    /** Who is to hear of it. */
    public enum Tier {
        /** Somebody, now. */
        PAGE,
        /** Somebody, when there is time. */
        TICKET
    }

    /**
     * The usual ones: pages at 2 % of the budget in an hour and 5 % in six, tickets at 10 % in a day and in three, of 30 days 14.4, 6, 3 and 1 times; of
     * shorter periods only those that would spend the budget. And a ticket for a budget that is spent where three days have too few requests to tell.
     */
    public static List<BurnCondition> standard(Duration period) {
        return Stream.of(
                        share("page-1h", Tier.PAGE, 0.02, period, Duration.ofHours(1)),
                        share("page-6h", Tier.PAGE, 0.05, period, Duration.ofHours(6)),
                        share("ticket-1d", Tier.TICKET, 0.1, period, Duration.ofDays(1)),
                        share("ticket-3d", Tier.TICKET, 0.1, period, Duration.ofDays(3)),
                        new BurnCondition("spent", Tier.TICKET, 1, period, period.dividedBy(10), Duration.ZERO))
                .filter(condition -> condition.factor >= 1 - ROUNDING)
                .toList();
    }

    private static BurnCondition share(String name, Tier tier, double share, Duration period, Duration longWindow) {
        double factor = share * period.toSeconds() / longWindow.toSeconds();
        return new BurnCondition(name, tier, factor, longWindow, longWindow.dividedBy(12), Duration.ZERO);
    }

    /** Whether a total outage would be enough; a condition for which it is not can never fire. */
    public boolean isReachable(double target) {
        return factor * (1 - target) < 1;
    }

    /** How fast a budget burns; empty where nothing was counted. */
    static OptionalDouble burn(Tally tally, double target) {
        OptionalDouble share = tally.errorShare();
        return share.isPresent() ? OptionalDouble.of(share.getAsDouble() / (1 - target)) : OptionalDouble.empty();
    }

    /**
     * Whether the budget burns too fast over the long window.
     *
     * @param observed the share of the window since the first observation: before it there was nothing to burn
     */
    boolean isBurning(Tally longTally, double observed, double target) {
        double limit = factor * (1 - target) / observed;
        if (longTally.bad() < LEAST_BAD || longTally.bad() < limit * longTally.total() * (1 - ROUNDING)) {
            return false;
        }
        return longTally.bad() >= MANY_BAD
                || BetaDistribution.of(longTally.bad() + 0.5, longTally.good() + 0.5)
                                .inverseCumulativeProbability(DOUBT)
                        > limit;
    }

    /** Whether it still does, by the short window. */
    boolean isStillBurning(Tally shortTally, double target) {
        return shortTally.total() > 0
                && shortTally.bad() >= factor * (1 - target) * shortTally.total() * (1 - ROUNDING);
    }

    /** Whether it is over, by the short window: not just below the limit, so that the alert does not flap. */
    boolean isClear(Tally shortTally, double target) {
        return shortTally.total() > 0 && shortTally.bad() < CLEAR_BELOW * factor * (1 - target) * shortTally.total();
    }
}
