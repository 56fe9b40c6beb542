package io.inferwatch.analytics.contention;

import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;

/**
 * How many units are busy at once, by time, and how long each is busy alone and with others. A sampling window counts whole for every unit that
 * was busy in it, so that windows must be short beside what they sample: two units that take turns within one look as if they were busy at
 * once. Exact, and merging is the same as adding; a few longs a unit; not thread safe.
 */
public final class BusyUnits {
    private final Map<String, Time> byUnit = new TreeMap<>();
    private final Map<Integer, Long> micros = new TreeMap<>();

    /**
     * How long a unit was busy.
     *
     * @param aloneMicros with no other
     * @param sharedMicros with others
     */
    public record Time(long aloneMicros, long sharedMicros) {
        Time plus(Time other) {
            return new Time(aloneMicros + other.aloneMicros, sharedMicros + other.sharedMicros);
        }
    }

    /** Adds a sampling window of so many microseconds in which these units were busy; none is a window too. */
    public void add(Set<String> busy, long windowMicros) {
        if (windowMicros <= 0) {
            throw new IllegalArgumentException("windowMicros: must be above 0, found " + windowMicros);
        }
        micros.merge(busy.size(), windowMicros, Long::sum);
        Time time = busy.size() > 1 ? new Time(0, windowMicros) : new Time(windowMicros, 0);
        busy.forEach(unit -> byUnit.merge(unit, time, Time::plus));
    }

    /** Adds all windows of another. */
    public void merge(BusyUnits other) {
        other.micros.forEach((units, time) -> micros.merge(units, time, Long::sum));
        other.byUnit.forEach((unit, time) -> byUnit.merge(unit, time, Time::plus));
    }

    /** The time of each unit that was ever busy, by name. */
    public Map<String, Time> byUnit() {
        return Map.copyOf(byUnit);
    }

    /** The share of time in which at least so many units were busy; empty without time. */
    public OptionalDouble share(int atLeast) {
        long all = 0;
        long busy = 0;
        for (Map.Entry<Integer, Long> entry : micros.entrySet()) {
            all += entry.getValue();
            busy += entry.getKey() >= atLeast ? entry.getValue() : 0;
        }
        return all == 0 ? OptionalDouble.empty() : OptionalDouble.of((double) busy / all);
    }

    /** Units busy at once, on average over time; empty without time. */
    public OptionalDouble mean() {
        double all = 0;
        double busy = 0;
        for (Map.Entry<Integer, Long> entry : micros.entrySet()) {
            all += entry.getValue();
            busy += (double) entry.getKey() * entry.getValue();
        }
        return all == 0 ? OptionalDouble.empty() : OptionalDouble.of(busy / all);
    }
}
