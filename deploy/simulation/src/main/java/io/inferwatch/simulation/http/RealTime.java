package io.inferwatch.simulation.http;

import io.inferwatch.simulation.engine.Timeline;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a timeline pass at the pace of the clock, on a thread of its own. What is due runs some ten microseconds late, more on a busy
 * machine, and the schedule does not shift by that: what follows is due when it would have been.
 */
final class RealTime implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RealTime.class);
    private static final long IDLE_NANOS = 1_000_000_000;

    private final Timeline timeline = new Timeline();
    private final Histogram lateness = new Histogram(.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, 1);
    private final Queue<Runnable> asked = new ConcurrentLinkedQueue<>();
    private final long beginNanos = System.nanoTime();
    private final Thread thread = new Thread(this::pass, "inferwatch-simulation");
    private volatile boolean isClosed;

    /** By how much what was due was late, in seconds. Belongs to the timeline's thread. */
    Histogram lateness() {
        return lateness;
    }

    /** Time stands still until {@link #start()}. */
    RealTime() {
        thread.setDaemon(true);
    }

    /** Belongs to this thread alone once it has started. */
    Timeline timeline() {
        return timeline;
    }

    void start() {
        thread.start();
    }

    /** Has an action run now, on the timeline's thread. From any thread. */
    void run(Runnable action) {
        asked.add(action);
        LockSupport.unpark(thread);
    }

    @Override
    public void close() {
        isClosed = true;
        LockSupport.unpark(thread);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void pass() {
        while (!isClosed) {
            try {
                for (Runnable action = asked.poll(); action != null; action = asked.poll()) {
                    // Not before it was asked for.
                    catchUp();
                    action.run();
                }
                catchUp();
            } catch (RuntimeException e) {
                LOG.error("simulation: an action failed, going on", e);
            }
            long wait = timeline.nextNanos().orElse(Long.MAX_VALUE) - nowNanos();
            if (wait > 0 && asked.isEmpty()) {
                LockSupport.parkNanos(this, Math.min(wait, IDLE_NANOS));
            }
        }
    }

    private void catchUp() {
        long nowNanos = nowNanos();
        OptionalLong due = timeline.nextNanos();
        if (due.isPresent() && due.getAsLong() <= nowNanos) {
            lateness.add((nowNanos - due.getAsLong()) / 1e9);
        }
        timeline.runUntil(nowNanos);
    }

    private long nowNanos() {
        return System.nanoTime() - beginNanos;
    }
}
