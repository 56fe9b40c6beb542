package io.inferwatch.analytics.slo;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What is promised: the share that is to be good over a period, and when somebody is to hear that the rest burns too fast.
 *
 * @param target from 0, below 1
 * @param conditions of different names, none with a window beyond four days but the period's own
 */
public record Objective(double target, Counting counting, BudgetPeriod period, List<BurnCondition> conditions) {
    /** The longest window of a condition, other than the whole period. */
    public static final Duration MAX_WINDOW = Duration.ofDays(4);

    /** Checks the target, and that every condition can fire. */
    public Objective {
        if (!(target >= 0 && target < 1)) {
            throw new IllegalArgumentException("target: must be from 0 and below 1, found " + target);
        }
        conditions = List.copyOf(conditions);
        Set<String> names = new HashSet<>();
        for (BurnCondition condition : conditions) {
            if (!names.add(condition.name())) {
                throw new IllegalArgumentException(
                        "conditions: must have different names, found '" + condition.name() + "' twice");
            }
            if (!condition.isReachable(target)) {
                throw new IllegalArgumentException("condition " + condition.name()
                        + ": must be below " + 1 / (1 - target)
                        + " times, which is how fast a total outage burns, found "
                        + condition.factor());
            }
            if (condition.longWindow().compareTo(MAX_WINDOW) > 0
                    && !condition.longWindow().equals(period.longest())) {
                throw new IllegalArgumentException("condition " + condition.name() + ": window must be at most "
                        + MAX_WINDOW + " or the period, found " + condition.longWindow());
            }
        }
    }

    /** The share that need not be good. */
    public double budget() {
        return 1 - target;
    }
}
