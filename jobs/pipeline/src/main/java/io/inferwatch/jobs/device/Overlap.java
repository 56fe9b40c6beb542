package io.inferwatch.jobs.device;

import io.inferwatch.analytics.contention.BusyUnits;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Operations on one device beside each other: which met an operation of another unit, and how many units were busy at once. As beginnings and
 * ends are known, times are exact to the microsecond and need no sampling.
 *
 * @param shared the operations that met another unit's
 * @param busy by time, what passed between the operations included
 */
record Overlap(Set<UnitOperation> shared, BusyUnits busy) {

    /**
     * Operations that ended within some time.
     *
     * @param wholeMicros that time, at least as long as all of them together took
     */
    static Overlap of(Collection<UnitOperation> operations, long wholeMicros) {
        List<UnitOperation> byStart = new ArrayList<>(operations);
        byStart.sort(Comparator.comparingLong(UnitOperation::startNanos));
        Set<UnitOperation> shared = new HashSet<>();
        Set<UnitOperation> open = new HashSet<>();
        TreeMap<Long, List<UnitOperation>> starts = new TreeMap<>();
        TreeMap<Long, List<UnitOperation>> ends = new TreeMap<>();
        for (UnitOperation operation : byStart) {
            open.removeIf(other -> other.endNanos() <= operation.startNanos());
            for (UnitOperation other : open) {
                if (!other.unit().equals(operation.unit())) {
                    shared.add(other);
                    shared.add(operation);
                }
            }
            open.add(operation);
            starts.computeIfAbsent(operation.startNanos() / 1_000, at -> new ArrayList<>())
                    .add(operation);
            ends.computeIfAbsent(operation.endNanos() / 1_000, at -> new ArrayList<>())
                    .add(operation);
        }
        return new Overlap(shared, busy(starts, ends, wholeMicros));
    }

    private static BusyUnits busy(
            Map<Long, List<UnitOperation>> starts, Map<Long, List<UnitOperation>> ends, long wholeMicros) {
        BusyUnits busy = new BusyUnits();
        Map<String, Integer> running = new TreeMap<>();
        Set<Long> moments = new TreeSet<>(starts.keySet());
        moments.addAll(ends.keySet());
        long before = 0;
        long told = 0;
        for (long moment : moments) {
            if (!running.isEmpty()) {
                busy.add(running.keySet(), moment - before);
                told += moment - before;
            }
            starts.getOrDefault(moment, List.of()).forEach(one -> running.merge(one.unit(), 1, Integer::sum));
            ends.getOrDefault(moment, List.of())
                    .forEach(one -> running.computeIfPresent(one.unit(), (unit, n) -> n == 1 ? null : n - 1));
            before = moment;
        }
        if (told < wholeMicros) {
            busy.add(Set.of(), wholeMicros - told);
        }
        return busy;
    }
}
