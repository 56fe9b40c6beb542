package io.inferwatch.analytics.slo;

import io.inferwatch.analytics.state.StateReader;
import io.inferwatch.analytics.state.StateWriter;
import java.time.Duration;

/**
 * Tallies of the latest slices of equal length, in a ring: 24 bytes a slice, as state 1 byte for an empty one and typically 4 for another.
 */
final class Slices {
    private static final long NEVER = Long.MIN_VALUE;

    private final long sliceMicros;
    private final long[] total;
    private final long[] bad;
    private final long[] minutes;

    /** Number of the newest slice since the epoch. */
    private long newest = NEVER;

    Slices(Duration slice, Duration kept) {
        this.sliceMicros = slice.toNanos() / 1_000;
        // One more for a window that does not begin with a slice.
        int capacity = (int) (kept.dividedBy(slice) + 2);
        total = new long[capacity];
        bad = new long[capacity];
        minutes = new long[capacity];
    }

    /**
     * What lies in a window.
     *
     * @param minutes that were observed
     */
    record Sum(Tally tally, long minutes) {}

    /** Adds, or takes away, at the minute that ends then; nothing where that is forgotten. */
    void add(long endMicros, long totalMore, long badMore, long minutesMore) {
        long index = Math.floorDiv(endMicros - 1, sliceMicros);
        if (newest == NEVER) {
            newest = index;
        }
        if (index <= newest - total.length) {
            return;
        }
        for (long cleared = Math.max(newest, index - total.length) + 1; cleared <= index; cleared++) {
            set(cleared, 0, 0, 0);
        }
        newest = Math.max(newest, index);
        int at = at(index);
        set(index, total[at] + totalMore, bad[at] + badMore, minutes[at] + minutesMore);
    }

    /** All slices that begin in a window. */
    Sum sum(long fromMicros, long toMicros) {
        long totals = 0;
        long bads = 0;
        long seen = 0;
        if (newest != NEVER) {
            long first = Math.max(-Math.floorDiv(-fromMicros, sliceMicros), newest - total.length + 1);
            long last = Math.min(newest, Math.floorDiv(toMicros - 1, sliceMicros));
            for (long index = first; index <= last; index++) {
                int at = at(index);
                totals += total[at];
                bads += bad[at];
                seen += minutes[at];
            }
        }
        return new Sum(new Tally(totals - bads, totals), seen);
    }

    void write(StateWriter out) {
        out.signed(newest);
        if (newest == NEVER) {
            return;
        }
        long index = newest - total.length + 1;
        while (index < newest && total[at(index)] == 0 && minutes[at(index)] == 0) {
            index++;
        }
        out.number(newest - index + 1);
        for (; index <= newest; index++) {
            int at = at(index);
            out.number(2 * minutes[at] + (total[at] > 0 ? 1 : 0));
            if (total[at] > 0) {
                out.number(total[at]);
                out.number(bad[at]);
            }
        }
    }

    void read(StateReader in) {
        newest = in.signed();
        if (newest == NEVER) {
            return;
        }
        for (long index = newest - in.number() + 1; index <= newest; index++) {
            long head = in.number();
            boolean isCounted = (head & 1) == 1;
            long totals = isCounted ? in.number() : 0;
            set(index, totals, isCounted ? in.number() : 0, head >> 1);
        }
    }

    private void set(long index, long totals, long bads, long seen) {
        int at = at(index);
        total[at] = totals;
        bad[at] = bads;
        minutes[at] = seen;
    }

    private int at(long index) {
        return (int) Math.floorMod(index, (long) total.length);
    }
}
