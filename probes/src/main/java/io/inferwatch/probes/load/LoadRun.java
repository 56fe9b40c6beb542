package io.inferwatch.probes.load;

import io.inferwatch.probes.load.PlannedRequest.FollowUp;
import io.inferwatch.probes.proxy.Transport;
import io.inferwatch.probes.proxy.measure.Ending;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Sends the requests of workloads when they are due, whatever the server does, and tells of each one that ended. A request is made half a second before it is due and sent by a timer of its event loop; nothing
 * but the limit of open requests holds it back. planned = sent + unsent, sent = ended + open at any moment.
 *
 * <p>One thread runs phases, one after the other; any thread may stop it and read its counts.
 */
final class LoadRun implements AutoCloseable {
    private static final long AHEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    /** Requests without a time that wait at the gate, made already. */
    private static final int READY = 64;

    private static final Duration GLANCE = Duration.ofMillis(100);

    private final LoadSettings settings;
    private final RunClock clock = RunClock.start();
    private final MultiThreadIoEventLoopGroup group;
    private final List<EventLoop> loops = new ArrayList<>();
    private final Map<EventLoop, LoadConnections> connections = new ConcurrentHashMap<>();
    private final RequestBodies bodies;
    private final RunListener listener;
    private final Set<Exchange> open = ConcurrentHashMap.newKeySet();
    private final AtomicLong conversations = new AtomicLong();
    private final LongAdder planned = new LongAdder();
    private final LongAdder sent = new LongAdder();
    private final LongAdder unsent = new LongAdder();
    private final LongAdder ended = new LongAdder();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile @Nullable String stopReason;

    /** What all requests of a phase have in common. */
    record Context(
            Target target, String run, int phase, RunClock clock, Duration requestTimeout, boolean keepsChunks) {}

    /** Counts of requests. */
    record Counts(long planned, long sent, long unsent, long ended) {
        long open() {
            return sent - ended;
        }
    }

    /**
     * A generator that is ready.
     *
     * @param listener told of each request, mostly on event loops; must not wait
     */
    LoadRun(LoadSettings settings, RunListener listener) {
        this.settings = settings;
        this.listener = listener;
        this.bodies = new RequestBodies(settings.target());
        Transport transport = Transport.best();
        group = new MultiThreadIoEventLoopGroup(
                settings.loops(), new DefaultThreadFactory("inferwatch-load", true), transport.handlers());
        for (int i = 0; i < settings.loops(); i++) {
            EventLoop loop = group.next();
            loops.add(loop);
            connections.put(
                    loop,
                    new LoadConnections(
                            loop,
                            transport,
                            settings.sources(),
                            settings.target().tls()));
        }
    }

    RunClock clock() {
        return clock;
    }

    Counts counts() {
        // Ended first, so that never more have ended than were sent.
        long endedNow = ended.sum();
        return new Counts(planned.sum(), sent.sum(), unsent.sum(), endedNow);
    }

    /** Why the run ended early; null when it did not. */
    @Nullable
    String stopReason() {
        return stopReason;
    }

    /** Sends no more; what is open may go on for a while. The first reason counts. */
    void stop(String reason) {
        synchronized (this) {
            if (stopReason == null) {
                stopReason = reason;
            }
        }
        stopped.countDown();
    }

    /**
     * Sends a workload and waits for the answers.
     *
     * @param phase number that its results carry
     * @param longest after which no more is sent; what was not sent then does not belong to the load
     */
    void run(int phase, Workload workload, Duration longest) throws InterruptedException {
        Gate entrance = new Gate(settings.maxOpen());
        Context context = new Context(
                settings.target(), settings.run(), phase, clock, settings.requestTimeout(), settings.keepsChunks());
        Phase running = new Phase(context, entrance, System.nanoTime() + LEAD_NANOS, longest);
        running.dispatch(workload);
        running.await();
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private final class Phase {
        private final Context context;
        private final Gate entrance;
        private final long beginNanos;
        private final long endNanos;
        private volatile boolean isOver;

        private Phase(Context context, Gate entrance, long beginNanos, Duration longest) {
            this.context = context;
            this.entrance = entrance;
            this.beginNanos = beginNanos;
            this.endNanos = longest.toSeconds() > Integer.MAX_VALUE ? Long.MAX_VALUE : beginNanos + longest.toNanos();
        }

        private void dispatch(Workload workload) throws InterruptedException {
            PlannedRequest next = isStopped() ? null : workload.next();
            while (next != null) {
                Long afterNanos = next.afterNanos();
                boolean isGo = afterNanos == null ? awaitRoom() : awaitTime(beginNanos + afterNanos);
                if (!isGo) {
                    break;
                }
                planned.increment();
                conversations.incrementAndGet();
                begin(next, afterNanos == null ? null : (Long) (beginNanos + afterNanos));
                next = workload.next();
            }
        }

        /** Until few are waiting; false when there is no more time. */
        private boolean awaitRoom() throws InterruptedException {
            while (!isStopped() && System.nanoTime() < endNanos && entrance.waiting() >= READY) {
                entrance.awaitFewer(READY, GLANCE);
            }
            return !isStopped() && System.nanoTime() < endNanos;
        }

        /** Until it is due soon; false when that is after the end. */
        private boolean awaitTime(long dueNanos) throws InterruptedException {
            if (dueNanos >= endNanos) {
                return false;
            }
            return !stopped.await(dueNanos - AHEAD_NANOS - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        private void begin(PlannedRequest request, @Nullable Long dueNanos) {
            EventLoop loop = loops.get((int) (request.number() % loops.size()));
            Exchange exchange = new Exchange(request, context, loop, bodies.of(request), dueNanos, this::ended);
            if (dueNanos == null) {
                entrance.enter(hasWaited -> admitted(exchange, hasWaited));
            } else {
                listener.due(request, clock.atMicros(dueNanos));
                var unused = loop.schedule(
                        () -> entrance.enter(hasWaited -> admitted(exchange, hasWaited)),
                        dueNanos - System.nanoTime(),
                        TimeUnit.NANOSECONDS);
            }
        }

        private void admitted(Exchange exchange, boolean hasWaited) {
            exchange.released(hasWaited);
            // Who was waited for is not to run all who waited, one within the other.
            if (!hasWaited && exchange.loop().inEventLoop()) {
                send(exchange);
            } else {
                exchange.loop().execute(() -> send(exchange));
            }
        }

        private void send(Exchange exchange) {
            if (isStopped() || isOver) {
                unsent.increment();
                conversationEnded();
                return;
            }
            LoadConnections own = connections.get(exchange.loop());
            if (own == null) {
                throw new IllegalStateException("an event loop of another run");
            }
            sent.increment();
            open.add(exchange);
            exchange.send(own);
            if (!exchange.isScheduled()) {
                listener.due(exchange.planned(), clock.atMicros(System.nanoTime()));
            }
        }

        private void ended(Exchange exchange, FinishedRequest finished) {
            listener.ended(finished);
            open.remove(exchange);
            ended.increment();
            FollowUp followUp = exchange.planned().followUp();
            if (followUp == null || !finished.isGood() || isStopped()) {
                conversationEnded();
                return;
            }
            planned.increment();
            long dueNanos = System.nanoTime() + followUp.thinkNanos();
            Exchange next = new Exchange(
                    followUp.request(), context, exchange.loop(), bodies.of(followUp.request()), dueNanos, this::ended);
            next.released(false);
            var unused = exchange.loop().schedule(() -> send(next), dueNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        private void conversationEnded() {
            entrance.leave();
            if (conversations.decrementAndGet() == 0) {
                synchronized (conversations) {
                    conversations.notifyAll();
                }
            }
        }

        /** Until all have ended, or a stop has given them time enough. */
        private void await() throws InterruptedException {
            long giveUpNanos = Long.MAX_VALUE;
            while (conversations.get() > 0) {
                boolean isLate = System.nanoTime() >= endNanos || isStopped();
                if (isLate && giveUpNanos == Long.MAX_VALUE) {
                    isOver = true;
                    int dismissed = entrance.dismiss();
                    unsent.add(dismissed);
                    conversations.addAndGet(-dismissed);
                    giveUpNanos = System.nanoTime() + settings.drain().toNanos();
                }
                if (System.nanoTime() >= giveUpNanos) {
                    open.forEach(exchange -> exchange.loop().execute(() -> exchange.end(Ending.CLIENT_CLOSED)));
                }
                synchronized (conversations) {
                    if (conversations.get() > 0) {
                        conversations.wait(GLANCE.toMillis());
                    }
                }
            }
        }
    }

    private boolean isStopped() {
        return stopped.getCount() == 0;
    }
}
