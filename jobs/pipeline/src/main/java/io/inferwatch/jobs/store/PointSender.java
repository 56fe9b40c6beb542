package io.inferwatch.jobs.store;

import io.inferwatch.influx.InfluxWriter.BatchReport;
import io.inferwatch.influx.InfluxWriter.Refusal;
import io.inferwatch.influx.WriteAnswer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds points and sends them from one thread of its own, one request in flight. A batch leaves when it is full, when its oldest point
 * has waited long enough, or when somebody waits for all; while a request is under way the next batch gathers. Of two held points of
 * one series and time the truer stays.
 *
 * <p>What can be tried again is tried again, with a wait that doubles up to a limit and differs by chance, so that many writers do not
 * come back at the same moment. Refused points are handed over and not sent again. The first obstacle that only a person can remove
 * ends the sender; every later call throws it.
 *
 * <p>{@link #add} waits while too many points are held. All waiting ends when the caller's thread is interrupted.
 */
final class PointSender implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PointSender.class);
    private static final long OBSTACLE_LOG_MILLIS = Duration.ofMinutes(1).toMillis();

    /** Conflicts are told once for each field; more different ones than this are a flood of another kind. */
    private static final int MAX_TOLD = 1_000;

    /** What sends lines to a retention policy: {@link io.inferwatch.influx.InfluxWriter#write}, or a script in tests. */
    interface Lines {
        BatchReport write(String policy, List<String> lines);
    }

    private final Lines lines;
    private final WriterSettings settings;
    private final WriterCounters counters;
    private final Thread thread;
    private final SplittableRandom random = new SplittableRandom();
    private final Set<String> told = new HashSet<>();

    private final Object lock = new Object();
    private final Map<String, StoredPoint> waiting = new LinkedHashMap<>();
    private long oldestNanos;
    private int inFlight;
    private boolean urgent;
    private boolean closed;
    private @Nullable RuntimeException failure;
    private volatile BiConsumer<StoredPoint, Refusal> onRefusal = (point, refusal) -> {};

    PointSender(Lines lines, WriterSettings settings, WriterCounters counters, String threadName) {
        this.lines = lines;
        this.settings = settings;
        this.counters = counters;
        this.thread = new Thread(this::run, threadName);
        this.thread.setDaemon(true);
    }

    /**
     * Starts sending.
     *
     * @param refusals is told, by the sending thread, each refused point before it counts as done
     */
    void start(BiConsumer<StoredPoint, Refusal> refusals) {
        onRefusal = refusals;
        thread.start();
    }

    /** Takes a point; waits while too many are held. */
    void add(StoredPoint point) throws InterruptedException {
        synchronized (lock) {
            while (failure == null && !closed && waiting.size() + inFlight >= settings.unacknowledgedPoints()) {
                lock.wait();
            }
            throwFailure();
            StoredPoint held = waiting.get(point.identity());
            if (held != null) {
                counters.replaced();
                if (point.supersedes(held)) {
                    waiting.put(point.identity(), point);
                }
                return;
            }
            if (waiting.isEmpty()) {
                oldestNanos = System.nanoTime();
            }
            waiting.put(point.identity(), point);
            if (waiting.size() == 1 || waiting.size() >= settings.batchPoints()) {
                lock.notifyAll();
            }
            counters.unacknowledged(waiting.size() + (long) inFlight);
        }
    }

    /** Returns when every point taken before is stored or handed over as refused. */
    void drain() throws InterruptedException {
        synchronized (lock) {
            urgent = true;
            lock.notifyAll();
            try {
                while (failure == null && !closed && (!waiting.isEmpty() || inFlight > 0)) {
                    lock.wait();
                }
            } finally {
                urgent = false;
            }
            throwFailure();
        }
    }

    /**
     * Stops sending and waits for the thread's end, unless interrupted. Points that are not stored by now are dropped, since the
     * checkpoint that they follow has them.
     */
    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            lock.notifyAll();
        }
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void throwFailure() {
        if (failure != null) {
            throw failure;
        }
    }

    private void run() {
        try {
            List<StoredPoint> batch = next();
            while (!batch.isEmpty()) {
                deliver(batch);
                synchronized (lock) {
                    inFlight = 0;
                    counters.unacknowledged(waiting.size());
                    lock.notifyAll();
                }
                batch = next();
            }
        } catch (InterruptedException e) {
            LOG.debug("sending was interrupted", e);
        } catch (RuntimeException e) {
            synchronized (lock) {
                failure = e;
                lock.notifyAll();
            }
        }
    }

    /** The next batch, taken out of those waiting; empty at the end. */
    private List<StoredPoint> next() throws InterruptedException {
        synchronized (lock) {
            while (!closed) {
                long restNanos = settings.linger().toNanos() - (System.nanoTime() - oldestNanos);
                if (waiting.isEmpty()) {
                    lock.wait();
                } else if (urgent || waiting.size() >= settings.batchPoints() || restNanos <= 0) {
                    return take();
                } else {
                    TimeUnit.NANOSECONDS.timedWait(lock, Math.max(restNanos, 1_000_000));
                }
            }
            return List.of();
        }
    }

    private List<StoredPoint> take() {
        List<StoredPoint> batch = new ArrayList<>();
        long bytes = 0;
        Iterator<StoredPoint> points = waiting.values().iterator();
        while (points.hasNext() && batch.size() < settings.batchPoints()) {
            StoredPoint point = points.next();
            bytes += point.line().length();
            if (!batch.isEmpty() && bytes > settings.batchBytes()) {
                break;
            }
            batch.add(point);
            points.remove();
        }
        inFlight = batch.size();
        return batch;
    }

    private void deliver(List<StoredPoint> batch) throws InterruptedException {
        Map<String, List<StoredPoint>> byPolicy = new LinkedHashMap<>();
        batch.forEach(point -> byPolicy.computeIfAbsent(point.policy(), policy -> new ArrayList<>())
                .add(point));
        for (Map.Entry<String, List<StoredPoint>> entry : byPolicy.entrySet()) {
            deliver(entry.getKey(), entry.getValue());
        }
    }

    private void deliver(String policy, List<StoredPoint> points) throws InterruptedException {
        List<StoredPoint> rest = points;
        Outage outage = null;
        while (!rest.isEmpty()) {
            long startedNanos = System.nanoTime();
            List<StoredPoint> sent = rest;
            BatchReport report =
                    lines.write(policy, sent.stream().map(StoredPoint::line).toList());
            report.refused().forEach(refusal -> refuse(sent.get(refusal.index()), refusal));
            rest = report.unsent().stream().map(sent::get).toList();
            int stored = sent.size() - report.refused().size() - rest.size();
            if (stored > 0) {
                counters.written(stored, (System.nanoTime() - startedNanos) / 1_000_000);
            }
            WriteAnswer obstacle = report.obstacle().orElse(null);
            if (obstacle instanceof WriteAnswer.Fatal fatal) {
                throw new UnwritableException(fatal.message());
            }
            if (obstacle instanceof WriteAnswer.Retryable retryable) {
                outage = outage == null ? new Outage(startedNanos) : outage;
                counters.retry();
                await(outage.next(retryable.message(), rest.size()));
            }
        }
        if (outage != null) {
            LOG.info("InfluxDB takes points again after {} s", outage.length().toSeconds());
        }
    }

    private void refuse(StoredPoint point, Refusal refusal) {
        counters.refused(refusal.reason());
        // The message without the point's own values: the same trouble is told once.
        String trouble = refusal.reason().label()
                + point.policy()
                + (refusal.message().contains("input field") ? refusal.message() : "");
        if (told.size() < MAX_TOLD && told.add(trouble)) {
            LOG.warn(
                    "InfluxDB refuses points ({}; the next of this kind are only counted): {}",
                    refusal.reason().label(),
                    refusal.message());
        }
        onRefusal.accept(point, refusal);
    }

    private void await(Duration pause) throws InterruptedException {
        long endNanos = System.nanoTime() + pause.toNanos();
        synchronized (lock) {
            long restNanos = pause.toNanos();
            while (!closed && restNanos > 0) {
                TimeUnit.NANOSECONDS.timedWait(lock, Math.max(restNanos, 1_000_000));
                restNanos = endNanos - System.nanoTime();
            }
            if (closed) {
                throw new InterruptedException("closed while waiting to send again");
            }
        }
    }

    /** InfluxDB does not take points for a while. */
    private final class Outage {
        private final long sinceNanos;
        private Duration backOff = settings.firstBackOff();
        private long toldMillis = Long.MIN_VALUE;

        Outage(long sinceNanos) {
            this.sinceNanos = sinceNanos;
        }

        /** How long to wait this time. */
        Duration next(String why, int points) {
            long elapsed = length().toMillis();
            if (toldMillis == Long.MIN_VALUE || elapsed - toldMillis >= OBSTACLE_LOG_MILLIS) {
                LOG.warn("{} points wait for InfluxDB, for {} s now: {}", points, elapsed / 1_000, why);
                toldMillis = elapsed;
            }
            Duration full = backOff;
            Duration doubled = full.multipliedBy(2);
            backOff = doubled.compareTo(settings.maxBackOff()) > 0 ? settings.maxBackOff() : doubled;
            return Duration.ofNanos((long) (full.toNanos() * (0.5 + random.nextDouble() / 2)));
        }

        Duration length() {
            return Duration.ofMillis((System.nanoTime() - sinceNanos) / 1_000_000);
        }
    }
}
