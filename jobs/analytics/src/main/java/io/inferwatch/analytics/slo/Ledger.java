package io.inferwatch.analytics.slo;

import io.inferwatch.analytics.state.StateReader;
import io.inferwatch.analytics.state.StateWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What was observed minute by minute, as it counts: windows up to six hours are summed by the minute, up to four days by five minutes, longer ones by
 * half hours, each without the slice that its beginning parts. A minute can be observed again, with more requests, for a quarter of an hour after
 * its slice. Not thread safe.
 */
final class Ledger {
    static final long NEVER = Long.MIN_VALUE;
    static final long MINUTE_MICROS = 60_000_000;

    private static final long REVISABLE_MICROS = 15 * MINUTE_MICROS;
    private static final Duration BY_MINUTE = Duration.ofHours(6);

    private final Counting counting;
    private final long sliceMicros;
    private final Slices minutes = new Slices(Duration.ofMinutes(1), BY_MINUTE);
    private final Slices fives = new Slices(Duration.ofMinutes(5), Objective.MAX_WINDOW);
    private final Slices halves;

    /** What was observed of minutes that may be observed again, by their end. */
    private final TreeMap<Long, Tally> observed = new TreeMap<>();

    /** What slices of such minutes have counted for so far, by their end. */
    private final TreeMap<Long, Tally> counted = new TreeMap<>();

    private long firstMicros = NEVER;
    private long newestMicros = NEVER;

    Ledger(Counting counting, BudgetPeriod period) {
        this.counting = counting;
        sliceMicros = counting.slice().toNanos() / 1_000;
        halves = new Slices(Duration.ofMinutes(30), period.longest());
    }

    /** Beginning of the first minute that was observed. */
    long firstMicros() {
        return firstMicros;
    }

    /** End of the latest minute that was observed. */
    long newestMicros() {
        return newestMicros;
    }

    /** Takes in a minute; false when it comes too late. */
    boolean observe(long endMicros, Tally tally) {
        if (endMicros % MINUTE_MICROS != 0) {
            throw new IllegalArgumentException("endMicros: must be the end of a minute, found " + endMicros);
        }
        if (newestMicros != NEVER && sliceEnd(endMicros) <= newestMicros - REVISABLE_MICROS) {
            return false;
        }
        Tally before = observed.get(endMicros);
        if (before != null && before.total() >= tally.total()) {
            return true;
        }
        observed.put(endMicros, tally);
        long beginMicros = endMicros - MINUTE_MICROS;
        firstMicros = firstMicros == NEVER ? beginMicros : Math.min(firstMicros, beginMicros);
        newestMicros = Math.max(newestMicros, endMicros);
        if (before == null) {
            add(endMicros, Tally.NONE, Tally.NONE, 1);
        }
        count();
        return true;
    }

    /** Counts slices anew that are complete, and forgets those that nothing can change any more. */
    private void count() {
        TreeMap<Long, Tally> slices = new TreeMap<>();
        observed.forEach((end, tally) -> slices.merge(sliceEnd(end), tally, Tally::plus));
        slices.headMap(newestMicros, true).forEach((end, tally) -> {
            Tally now = counting.count(tally);
            Tally before = counted.put(end, now);
            add(end, before == null ? Tally.NONE : before, now, 0);
        });
        counted.headMap(newestMicros - REVISABLE_MICROS, true).clear();
        while (!observed.isEmpty() && sliceEnd(observed.firstKey()) <= newestMicros - REVISABLE_MICROS) {
            observed.pollFirstEntry();
        }
    }

    private void add(long endMicros, Tally before, Tally now, int newMinutes) {
        for (Slices tier : List.of(minutes, fives, halves)) {
            tier.add(endMicros, now.total() - before.total(), now.bad() - before.bad(), newMinutes);
        }
    }

    private long sliceEnd(long endMicros) {
        return -Math.floorDiv(-endMicros, sliceMicros) * sliceMicros;
    }

    /** What counted in a window up to an instant. */
    Tally in(Duration window, long nowMicros) {
        Slices tier = window.compareTo(BY_MINUTE) <= 0
                ? minutes
                : window.compareTo(Objective.MAX_WINDOW) <= 0 ? fives : halves;
        return tier.sum(nowMicros - window.toNanos() / 1_000, nowMicros).tally();
    }

    /** What counted from an instant on, by half hours. */
    Tally since(long startMicros, long nowMicros) {
        return halves.sum(startMicros, nowMicros).tally();
    }

    /** How many minutes were observed of a window of up to six hours. */
    long minutesIn(Duration window, long nowMicros) {
        return minutes.sum(nowMicros - window.toNanos() / 1_000, nowMicros).minutes();
    }

    void write(StateWriter out) {
        out.number(sliceMicros);
        out.signed(firstMicros);
        out.signed(newestMicros);
        write(observed, out);
        write(counted, out);
        minutes.write(out);
        fives.write(out);
        halves.write(out);
    }

    void read(StateReader in) {
        long slice = in.number();
        if (slice != sliceMicros) {
            throw new IllegalArgumentException(
                    "objective history: slices must be of " + sliceMicros + " microseconds, found " + slice);
        }
        firstMicros = in.signed();
        newestMicros = in.signed();
        read(observed, in);
        read(counted, in);
        minutes.read(in);
        fives.read(in);
        halves.read(in);
    }

    private static void write(SortedMap<Long, Tally> tallies, StateWriter out) {
        out.number(tallies.size());
        tallies.forEach((end, tally) -> {
            out.signed(end);
            out.number(tally.total());
            out.number(tally.bad());
        });
    }

    private static void read(Map<Long, Tally> tallies, StateReader in) {
        for (long left = in.number(); left > 0; left--) {
            long end = in.signed();
            long total = in.number();
            tallies.put(end, new Tally(total - in.number(), total));
        }
    }
}
