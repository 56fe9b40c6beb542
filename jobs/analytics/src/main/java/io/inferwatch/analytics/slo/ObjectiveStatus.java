package io.inferwatch.analytics.slo;

import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * How an objective stands at an instant.
 *
 * @param atMicros the instant, epoch microseconds
 * @param counted what counted in the period so far
 * @param burn how fast the last hour burns the budget; empty where nothing counted in it
 * @param budgetLeft share of the period's budget that is left, with the requests so far taken for the whole period; negative where more than all is
 *     spent, empty where nothing counted
 * @param exhaustedInMicros when it is spent if the last hour goes on; 0 where it is, empty where it will not be before the period ends (a rolling
 *     one: before the present has left it)
 * @param lastDataMicros end of the last minute that was observed, epoch microseconds; empty before the first
 * @param conditions in the objective's order
 */
public record ObjectiveStatus(
        SloState state,
        long atMicros,
        Tally counted,
        OptionalDouble burn,
        OptionalDouble budgetLeft,
        OptionalLong exhaustedInMicros,
        OptionalLong lastDataMicros,
        List<ConditionStatus> conditions) {

    /** A status with an unmodifiable list. */
    public ObjectiveStatus {
        conditions = List.copyOf(conditions);
    }

    /** The share that was good in the period so far; empty where nothing counted. */
    public OptionalDouble attained() {
        return counted.total() == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of((double) counted.good() / counted.total());
    }
}
