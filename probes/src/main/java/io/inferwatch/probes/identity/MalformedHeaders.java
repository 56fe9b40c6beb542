package io.inferwatch.probes.identity;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** How often a header's value could not be used, by what it was to say. Thread safe. */
public final class MalformedHeaders {
    private final Map<IdentityField, LongAdder> counts = new EnumMap<>(IdentityField.class);

    MalformedHeaders() {
        for (IdentityField field : IdentityField.values()) {
            counts.put(field, new LongAdder());
        }
    }

    void count(IdentityField field) {
        LongAdder count = counts.get(field);
        if (count != null) {
            count.increment();
        }
    }

    /** The counts since the start, zeros included. */
    public Map<IdentityField, Long> counts() {
        Map<IdentityField, Long> now = new EnumMap<>(IdentityField.class);
        counts.forEach((field, count) -> now.put(field, count.sum()));
        return now;
    }
}
