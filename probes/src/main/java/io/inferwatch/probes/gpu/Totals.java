package io.inferwatch.probes.gpu;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Totals of one device that only grow, out of counters that may begin anew: with a new driver, a reset device, a process that is another. Each counter counts from its
 * first reading; one that falls began anew at 0. A total may be the sum of several counters, whose coming and going does not change it.
 */
final class Totals {
    private final Map<String, Long> totals = new HashMap<>();
    private final Map<String, Map<String, Long>> last = new HashMap<>();

    /** The total after a counter's reading. */
    long grow(String total, long reading) {
        return grow(total, "", reading);
    }

    /** The total after the reading of one of its counters. */
    long grow(String total, String counter, long reading) {
        Long before = last.computeIfAbsent(total, name -> new HashMap<>()).put(counter, reading);
        long growth = before == null ? 0 : reading < before ? reading : reading - before;
        return totals.merge(total, growth, Long::sum);
    }

    /** Forgets the readings of all counters of a total but these: those that are gone. */
    void keepOnly(String total, Set<String> counters) {
        Map<String, Long> known = last.get(total);
        if (known != null) {
            known.keySet().retainAll(counters);
        }
    }
}
