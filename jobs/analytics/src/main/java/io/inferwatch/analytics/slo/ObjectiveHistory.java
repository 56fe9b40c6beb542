package io.inferwatch.analytics.slo;

import io.inferwatch.analytics.slo.ConditionStatus.Phase;
import io.inferwatch.analytics.state.StateReader;
import io.inferwatch.analytics.state.StateWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * All that is remembered of one objective of one series: minutes are observed, and every minute it is asked how the objective stands.
 *
 * <ul>
 *   <li>A minute that was observed without requests is known to have had none; one that was not is missing. Five missing minutes are
 *       {@link SloState#NO_DATA}, in which no condition changes.
 *   <li>A minute can be observed again with more requests for a quarter of an hour after its slice; budgets then change by the difference. What
 *       comes later is refused.
 *   <li>Before its first observation an objective has burnt nothing, so that a young one stands as an old one that was kept.
 *   <li>Windows up to six hours are summed by the minute, up to four days by five minutes, the period by half hours; a slice that a window's
 *       beginning parts is left out.
 * </ul>
 *
 * <p>State: {@link #toBytes}, some 10 kB for 30 days. What counts does not depend on when minutes were observed: a lost history is rebuilt from its
 * windows. Not thread safe.
 */
public final class ObjectiveHistory {
    private static final int VERSION = 1;
    private static final long NEVER = Ledger.NEVER;
    private static final Duration NO_DATA_AFTER = Duration.ofMinutes(5);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final double WHOLE = 0.9;

    private final Objective objective;
    private final Ledger ledger;
    private final Map<String, ConditionState> states = new HashMap<>();
    private long evaluatedMicros = NEVER;

    /** Before the first minute. */
    public ObjectiveHistory(Objective objective) {
        this.objective = objective;
        ledger = new Ledger(objective.counting(), objective.period());
    }

    /**
     * Takes in a minute, once more where more of its requests are known now.
     *
     * @param endMicros its end, exclusive, epoch microseconds
     * @return whether it was taken; not when it comes too late
     */
    public boolean observe(long endMicros, Tally tally) {
        return ledger.observe(endMicros, tally);
    }

    /**
     * How the objective stands. Conditions go on by one evaluation each time that the instant is later than ever before; ask at the end of each
     * minute.
     *
     * @param nowMicros epoch microseconds; what ends later is left out
     */
    public ObjectiveStatus evaluate(long nowMicros) {
        boolean hasData = ledger.minutesIn(NO_DATA_AFTER, nowMicros) > 0;
        boolean isStep = nowMicros > evaluatedMicros;
        evaluatedMicros = Math.max(evaluatedMicros, nowMicros);
        Tally inPeriod = ledger.since(objective.period().startMicros(nowMicros), nowMicros);
        List<ConditionStatus> conditions = new ArrayList<>();
        for (BurnCondition condition : objective.conditions()) {
            conditions.add(evaluate(condition, inPeriod, nowMicros, isStep && hasData));
        }
        Tally hour = ledger.in(HOUR, nowMicros);
        OptionalDouble left = inPeriod.total() == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of(1 - inPeriod.bad() / allowed(inPeriod, nowMicros));
        boolean isBreach = conditions.stream().anyMatch(condition -> condition.phase() == Phase.FIRING)
                || (left.isPresent() && left.getAsDouble() <= 0);
        return new ObjectiveStatus(
                hasData ? state(isBreach, nowMicros) : SloState.NO_DATA,
                nowMicros,
                inPeriod,
                BurnCondition.burn(hour, objective.target()),
                left,
                inPeriod.total() == 0 ? OptionalLong.empty() : exhaustedIn(inPeriod, hour, nowMicros),
                ledger.newestMicros() == NEVER ? OptionalLong.empty() : OptionalLong.of(ledger.newestMicros()),
                conditions);
    }

    private SloState state(boolean isBreach, long nowMicros) {
        if (isBreach) {
            return SloState.BREACH;
        }
        double expected = HOUR.toMinutes() * elapsed(HOUR, nowMicros);
        return ledger.minutesIn(HOUR, nowMicros) >= WHOLE * expected ? SloState.OK : SloState.PARTIAL;
    }

    private ConditionStatus evaluate(BurnCondition condition, Tally inPeriod, long nowMicros, boolean isStep) {
        boolean isOfPeriod = condition.longWindow().equals(objective.period().longest());
        Tally longTally = isOfPeriod ? inPeriod : ledger.in(condition.longWindow(), nowMicros);
        Tally shortTally = recent(condition, nowMicros);
        double target = objective.target();
        ConditionState before = states.getOrDefault(condition.name(), ConditionState.NONE);
        ConditionState after = before;
        if (isStep) {
            boolean isBurning = condition.isBurning(longTally, elapsed(condition.longWindow(), nowMicros), target)
                    && condition.isStillBurning(shortTally, target);
            after = before.after(
                    nowMicros, condition, isBurning, condition.isClear(shortTally, target), shortTally.total() > 0);
            states.put(condition.name(), after);
        }
        return new ConditionStatus(
                condition,
                BurnCondition.burn(longTally, target),
                BurnCondition.burn(shortTally, target),
                ConditionStatus.phase(after),
                after.sinceMicros() == NEVER ? OptionalLong.empty() : OptionalLong.of(after.sinceMicros()),
                ConditionStatus.phase(after) != ConditionStatus.phase(before));
    }

    private Tally recent(BurnCondition condition, long nowMicros) {
        Duration window = condition.shortWindow();
        Tally tally = ledger.in(window, nowMicros);
        while (tally.total() < BurnCondition.LEAST_REQUESTS && window.compareTo(condition.longWindow()) < 0) {
            Duration twice = window.multipliedBy(2);
            window = twice.compareTo(condition.longWindow()) < 0 ? twice : condition.longWindow();
            tally = ledger.in(window, nowMicros);
        }
        return tally;
    }

    /** Time since the first observation as a share of a window, at most 1. */
    private double elapsed(Duration window, long nowMicros) {
        return Math.min(1, (nowMicros - ledger.firstMicros()) / (window.toNanos() / 1e3));
    }

    /** Bad ones that the whole period may have, if all of it is as what counted so far. */
    private double allowed(Tally inPeriod, long nowMicros) {
        BudgetPeriod period = objective.period();
        long start = period.startMicros(nowMicros);
        double whole = period.endMicros(nowMicros) - (double) (period.isRolling() ? nowMicros : start);
        return objective.budget() * inPeriod.total() * whole / (nowMicros - Math.max(start, ledger.firstMicros()));
    }

    private OptionalLong exhaustedIn(Tally inPeriod, Tally hour, long nowMicros) {
        double left = allowed(inPeriod, nowMicros) - inPeriod.bad();
        if (left <= 0) {
            return OptionalLong.of(0);
        }
        double hourMicros = HOUR.toNanos() / 1e3 * elapsed(HOUR, nowMicros);
        double micros = left / hour.bad() * hourMicros;
        return micros <= objective.period().endMicros(nowMicros) - nowMicros
                ? OptionalLong.of(Math.round(micros))
                : OptionalLong.empty();
    }

    /** The state's bytes; the objective is not among them. */
    public byte[] toBytes() {
        StateWriter out = new StateWriter();
        out.octet(VERSION);
        out.signed(evaluatedMicros);
        out.number(states.size());
        for (Map.Entry<String, ConditionState> state : new TreeMap<>(states).entrySet()) {
            out.part(state.getKey().getBytes(StandardCharsets.UTF_8));
            state.getValue().write(out);
        }
        ledger.write(out);
        return out.toBytes();
    }

    /**
     * The history that those bytes hold, of an objective that counts in slices as long as the one did that they were written for. Its target and
     * conditions may be others: conditions of the same name go on as they were.
     *
     * @throws IllegalArgumentException when another version wrote them, or slices were of another length
     */
    public static ObjectiveHistory ofBytes(Objective objective, byte[] bytes) {
        StateReader in = new StateReader(bytes);
        int version = in.octet();
        if (version != VERSION) {
            throw new IllegalArgumentException("objective history: version must be " + VERSION + ", found " + version);
        }
        ObjectiveHistory history = new ObjectiveHistory(objective);
        history.evaluatedMicros = in.signed();
        for (long left = in.number(); left > 0; left--) {
            String name = new String(in.part(), StandardCharsets.UTF_8);
            ConditionState state = ConditionState.read(in);
            if (objective.conditions().stream()
                    .anyMatch(condition -> condition.name().equals(name))) {
                history.states.put(name, state);
            }
        }
        history.ledger.read(in);
        return history;
    }
}
