package io.inferwatch.probes.load;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/** Lets so many in at once and has the others wait in the order in which they came. Whoever leaves lets the next in, at once and by the same thread. Thread safe. */
final class Gate {
    private final int room;
    private final Queue<Entry> waiting = new ArrayDeque<>();
    private int inside;

    /** Who wants to be let in. */
    interface Entry {
        /**
         * There is room.
         *
         * @param hasWaited whether there was none when it came
         */
        void admitted(boolean hasWaited);
    }

    /** Room for so many; {@link Integer#MAX_VALUE} for all. */
    Gate(int room) {
        this.room = room;
    }

    /** Lets it in when there is room: now, or by the one who makes room. */
    void enter(Entry entry) {
        synchronized (this) {
            if (inside >= room) {
                waiting.add(entry);
                return;
            }
            inside++;
        }
        entry.admitted(false);
    }

    /** One has left. */
    void leave() {
        Entry next;
        synchronized (this) {
            next = waiting.poll();
            if (next == null) {
                inside--;
            }
            notifyAll();
        }
        if (next != null) {
            next.admitted(true);
        }
    }

    /** Lets nobody in any more who is waiting; returns how many these were. */
    synchronized int dismiss() {
        int dismissed = waiting.size();
        waiting.clear();
        notifyAll();
        return dismissed;
    }

    /** Waits until fewer than so many wait, or for so long. */
    synchronized void awaitFewer(int limit, Duration longest) throws InterruptedException {
        long endNanos = System.nanoTime() + longest.toNanos();
        long leftNanos = longest.toNanos();
        while (waiting.size() >= limit && leftNanos > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, leftNanos);
            leftNanos = endNanos - System.nanoTime();
        }
    }

    synchronized int waiting() {
        return waiting.size();
    }
}
