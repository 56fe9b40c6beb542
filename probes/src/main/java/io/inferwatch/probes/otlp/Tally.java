package io.inferwatch.probes.otlp;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** One counter for each constant of an enum. Thread safe. */
final class Tally<E extends Enum<E>> {
    private final Class<E> type;
    private final Map<E, LongAdder> counts;

    Tally(Class<E> type) {
        this.type = type;
        counts = new EnumMap<>(type);
        for (E constant : type.getEnumConstants()) {
            counts.put(constant, new LongAdder());
        }
    }

    void add(E constant) {
        add(constant, 1);
    }

    void add(E constant, long n) {
        LongAdder count = counts.get(constant);
        if (count != null) {
            count.add(n);
        }
    }

    /** All counts as they are now, zeros included. */
    Map<E, Long> counts() {
        Map<E, Long> now = new EnumMap<>(type);
        counts.forEach((constant, count) -> now.put(constant, count.sum()));
        return now;
    }
}
