package io.inferwatch.simulation.engine;

import java.util.Comparator;
import java.util.OptionalLong;
import java.util.PriorityQueue;

/**
 * Virtual time in nanoseconds from 0: actions run in the order of the moments at which they are due and, at one moment, in the order in
 * which they were asked for, so that a simulation is the same in every run. Who drives it decides how fast it passes. Not thread safe.
 */
public final class Timeline {
    private record Entry(long dueNanos, long order, Runnable action) {}

    private final PriorityQueue<Entry> queue =
            new PriorityQueue<>(Comparator.comparingLong(Entry::dueNanos).thenComparingLong(Entry::order));
    private long nowNanos;
    private long nextOrder;

    /** The present moment. */
    public long nowNanos() {
        return nowNanos;
    }

    /** Has an action run at a moment; at the present one when that moment is past. */
    public void at(long dueNanos, Runnable action) {
        queue.add(new Entry(Math.max(dueNanos, nowNanos), nextOrder++, action));
    }

    /** Has an action run after a while. */
    public void after(long delayNanos, Runnable action) {
        at(nowNanos + delayNanos, action);
    }

    /** When the next action is due; empty when none is. */
    public OptionalLong nextNanos() {
        Entry next = queue.peek();
        return next == null ? OptionalLong.empty() : OptionalLong.of(next.dueNanos);
    }

    /** Runs all that is due until a moment, that included, also what those actions ask for; it is the present one then. */
    public void runUntil(long nanos) {
        for (Entry next = queue.peek(); next != null && next.dueNanos <= nanos; next = queue.peek()) {
            queue.remove();
            nowNanos = next.dueNanos;
            next.action.run();
        }
        nowNanos = Math.max(nowNanos, nanos);
    }
}
