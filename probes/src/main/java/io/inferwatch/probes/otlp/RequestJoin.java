package io.inferwatch.probes.otlp;

import io.inferwatch.schemas.RequestEvent;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes one event of a request that two sides saw: who measured it from outside (the proxy, or a client's span) and who told of it from inside
 * (the engine's span). What was measured stays; what only the engine knows is added. The sides meet by the {@code traceparent} on the wire,
 * then by request ids, where their times overlap; of several, one with the same id first, then the one that started nearest.
 *
 * <p>Whoever comes first waits, for a bounded time; then it is published alone. Nobody waits who has nothing to be found by, nor for a side that
 * was not heard of for 10 minutes. When more wait than there is room for, the oldest is published alone at once. Of those that share an id or a
 * trace, {@value #MAX_SHARING} can be found by it. Once a request is joined, further spans of its engine (one for each of n choices) are taken as
 * told, and counted. Every event comes out exactly once or is counted as absorbed.
 *
 * <p>Thread safe; callers are held for microseconds. {@link #expire} has to be called every now and then.
 */
public final class RequestJoin implements AutoCloseable {
    private static final long SLACK_MICROS = 2_000_000;

    /** An id that a client gives to all its requests must not make every one search through all others. */
    private static final int MAX_SHARING = 64;

    private static final Duration FORGET_SIDE = Duration.ofMinutes(10);

    private final Consumer<RequestEvent> publish;
    private final long patienceNanos;
    private final int capacity;
    private final LongSupplier nanoClock;
    private final Map<String, List<Seen>> byKey = new HashMap<>();
    private final ArrayDeque<Seen> inOrder = new ArrayDeque<>();
    private final long[] heardAtNanos = new long[Side.values().length];
    private final Tally<Fate> fates = new Tally<>(Fate.class);
    private int waiting;
    private boolean closed;

    /** Who saw a request. */
    public enum Side {
        /** From outside. */
        MEASURED,
        /** From inside: the engine. */
        TOLD
    }

    /** What became of what was offered. */
    public enum Fate {
        /** Two became one event. */
        JOINED,
        /** A further span of a joined request. */
        ABSORBED,
        /** Published alone: nothing to be found by, or the other side is silent. */
        NOT_AWAITED,
        /** Published alone: the other side did not come in time. */
        TIMED_OUT,
        /** Published alone: too many were waiting. */
        EVICTED
    }

    private static final class Seen {
        private final Side side;
        private final RequestEvent event;
        private final List<String> keys;
        private final long deadlineNanos;
        private boolean waits = true;

        Seen(Side side, RequestEvent event, List<String> keys, long deadlineNanos) {
            this.side = side;
            this.event = event;
            this.keys = keys;
            this.deadlineNanos = deadlineNanos;
        }
    }

    /**
     * A join.
     *
     * @param publish takes the events; must return at once
     * @param patience how long one side waits for the other
     * @param capacity how many may wait
     * @param nanoClock monotonic
     */
    public RequestJoin(Consumer<RequestEvent> publish, Duration patience, int capacity, LongSupplier nanoClock) {
        this.publish = publish;
        this.patienceNanos = patience.toNanos();
        this.capacity = capacity;
        this.nanoClock = nanoClock;
        for (Side side : Side.values()) {
            heardAtNanos[side.ordinal()] = nanoClock.getAsLong();
        }
    }

    /** Takes a complete event, which is the join's from now on. */
    public void offer(Side side, RequestEvent event) {
        for (RequestEvent ready : meet(side, event)) {
            publish.accept(ready);
        }
    }

    /** Publishes what has waited long enough. */
    public void expire() {
        List<RequestEvent> ready = new ArrayList<>();
        synchronized (this) {
            long now = nanoClock.getAsLong();
            for (Seen oldest = inOrder.peek();
                    oldest != null && oldest.deadlineNanos - now <= 0;
                    oldest = inOrder.peek()) {
                release(inOrder.remove(), Fate.TIMED_OUT, ready);
            }
        }
        ready.forEach(publish);
    }

    /** Publishes all that waits; what is offered later does not wait any more. */
    @Override
    public void close() {
        List<RequestEvent> ready = new ArrayList<>();
        synchronized (this) {
            closed = true;
            while (!inOrder.isEmpty()) {
                release(inOrder.remove(), Fate.TIMED_OUT, ready);
            }
        }
        ready.forEach(publish);
    }

    /** How often each became of what was offered. */
    public Map<Fate, Long> fates() {
        return fates.counts();
    }

    /** Events that wait for the other side. */
    public synchronized int waiting() {
        return waiting;
    }

    private synchronized List<RequestEvent> meet(Side side, RequestEvent event) {
        long now = nanoClock.getAsLong();
        heardAtNanos[side.ordinal()] = now;
        List<String> keys = JoinKeys.of(event);
        Seen partner = partner(side, event, keys);
        if (partner != null) {
            take(partner, Fate.JOINED);
            RequestEvent measured = side == Side.MEASURED ? event : partner.event;
            ToldFacts.complete(measured, side == Side.MEASURED ? partner.event : event);
            if (side == Side.MEASURED) {
                Seen joined = new Seen(side, event, keys, now + patienceNanos);
                siblings(joined, true).forEach(sibling -> take(sibling, Fate.ABSORBED));
                // Spans that are still to come look for it.
                remember(joined, false);
            }
            return List.of(measured);
        }
        Seen seen = new Seen(side, event, keys, now + patienceNanos);
        if (side == Side.TOLD && !siblings(seen, false).isEmpty()) {
            fates.add(Fate.ABSORBED);
            return List.of();
        }
        Side other = side == Side.MEASURED ? Side.TOLD : Side.MEASURED;
        if (closed || keys.isEmpty() || now - heardAtNanos[other.ordinal()] > FORGET_SIDE.toNanos()) {
            fates.add(Fate.NOT_AWAITED);
            return List.of(event);
        }
        remember(seen, true);
        List<RequestEvent> evicted = new ArrayList<>();
        while (inOrder.size() > capacity) {
            release(inOrder.remove(), Fate.EVICTED, evicted);
        }
        return evicted;
    }

    private void remember(Seen seen, boolean waits) {
        seen.waits = waits;
        waiting += waits ? 1 : 0;
        inOrder.add(seen);
        for (String key : seen.keys) {
            List<Seen> sharing = byKey.computeIfAbsent(key, absent -> new ArrayList<>(1));
            if (sharing.size() < MAX_SHARING) {
                sharing.add(seen);
            }
        }
    }

    private void release(Seen seen, Fate fate, List<RequestEvent> ready) {
        for (String key : seen.keys) {
            List<Seen> sharing = byKey.get(key);
            if (sharing != null) {
                sharing.remove(seen);
                if (sharing.isEmpty()) {
                    byKey.remove(key);
                }
            }
        }
        if (seen.waits) {
            waiting--;
            fates.add(fate);
            ready.add(seen.event);
        }
    }

    private void take(Seen seen, Fate fate) {
        seen.waits = false;
        waiting--;
        fates.add(fate);
    }

    /** The best fitting of the other side that wait. */
    private @Nullable Seen partner(Side side, RequestEvent event, List<String> keys) {
        Seen best = null;
        int bestShared = 0;
        long bestDistance = 0;
        for (String key : keys) {
            for (Seen candidate : byKey.getOrDefault(key, List.of())) {
                if (candidate.side == side || !candidate.waits || !overlap(candidate.event, event)) {
                    continue;
                }
                int shared = JoinKeys.sharedIds(candidate.keys, keys);
                long distance = Math.abs(candidate.event.getStartedAtMicros() - event.getStartedAtMicros());
                if (best == null || shared > bestShared || (shared == bestShared && distance < bestDistance)) {
                    best = candidate;
                    bestShared = shared;
                    bestDistance = distance;
                }
            }
        }
        return best;
    }

    /** Those of the other side that saw the same request, waiting or joined already; different ids are different requests. */
    private List<Seen> siblings(Seen seen, boolean waits) {
        List<Seen> siblings = new ArrayList<>();
        for (String key : seen.keys) {
            for (Seen candidate : byKey.getOrDefault(key, List.of())) {
                if (candidate.side != seen.side
                        && candidate.waits == waits
                        && overlap(candidate.event, seen.event)
                        && !JoinKeys.haveDifferentIds(candidate.keys, seen.keys)
                        && !siblings.contains(candidate)) {
                    siblings.add(candidate);
                }
            }
        }
        return siblings;
    }

    private static boolean overlap(RequestEvent a, RequestEvent b) {
        return a.getStartedAtMicros() <= b.getCompletedAtMicros() + SLACK_MICROS
                && b.getStartedAtMicros() <= a.getCompletedAtMicros() + SLACK_MICROS;
    }
}
