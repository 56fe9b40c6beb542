package io.inferwatch.probes.replay;

import io.inferwatch.probes.publish.EventPublisher;
import io.inferwatch.probes.publish.ReplicaState;
import io.inferwatch.schemas.RequestEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Sends a trace as if it happened now: rows in the order in which they ended, each once; where it goes on after a crash, what was not
 * acknowledged once more, under the same numbers. While it runs, heartbeats say for each replica how far event time has come and which
 * requests are open. It waits rather than drop when the publisher's memory is full.
 *
 * <p>The publisher stays open, and is the caller's to close: afterwards {@link #heartbeat} can push event time on, so that the last windows
 * end. One thread runs a replay; {@link #stop} and {@link #replicas} may be called from any.
 */
public final class Replay {
    private static final Duration TICK = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(200);

    /** A broker that is restarted is back within half a minute. */
    private static final Duration STALL_LIMIT = Duration.ofMinutes(2);

    private final ReplayPlan plan;
    private final Trace trace;
    private final Timeline timeline;
    private final EventPublisher publisher;
    private final ReplayClock clock;
    private final List<ReplicaHistory> histories = new ArrayList<>();
    private final Map<String, Long> sentEarlier = new TreeMap<>();
    private final int[] sequences;
    private final long rowsSentEarlier;

    private volatile int next;
    private volatile boolean stopped;
    private volatile long heartbeatMicros = Long.MIN_VALUE;

    private long rowsSent;
    private long tickedAtMicros;
    private long rowsAtTick;
    private long settledAtProgress = -1;
    private long progressAtMicros;

    /** A replay on this machine's clock; the publisher's instance must be the plan's. */
    public Replay(ReplayPlan plan, EventPublisher publisher) {
        this(plan, publisher, ReplayClock.system());
    }

    Replay(ReplayPlan plan, EventPublisher publisher, ReplayClock clock) {
        this.plan = plan;
        this.trace = plan.trace();
        this.timeline = plan.timeline();
        this.publisher = publisher;
        this.clock = clock;
        this.sequences = new int[trace.size()];
        Map<String, List<Integer>> rows = new LinkedHashMap<>();
        for (int i = 0; i < trace.size(); i++) {
            List<Integer> ofReplica =
                    rows.computeIfAbsent(trace.events().get(i).getReplica(), name -> new ArrayList<>());
            sequences[i] = ofReplica.size();
            ofReplica.add(i);
        }
        rows.forEach((replica, indexes) -> {
            histories.add(new ReplicaHistory(
                    trace, replica, indexes.stream().mapToInt(Integer::intValue).toArray()));
            long earlier = Math.min(indexes.size(), plan.acknowledged().getOrDefault(replica, 0L));
            sentEarlier.put(replica, earlier);
            publisher.startStream(replica, earlier);
        });
        this.rowsSentEarlier =
                sentEarlier.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Sends all rows and waits until Kafka has acknowledged them. */
    public ReplayReport run(ReplayListener listener) {
        long startedAt = nowMicros();
        tickedAtMicros = startedAt;
        progressAtMicros = startedAt;
        plan.save(settled());
        publisher.heartbeats(this::replicas);
        boolean stalled = false;
        try {
            for (int i = 0; i < trace.size() && !stopped && !stalled; i++) {
                if (sequences[i]
                        < sentEarlier.getOrDefault(trace.events().get(i).getReplica(), 0L)) {
                    next = i + 1;
                    continue;
                }
                awaitDue(timeline.dueMicros(trace.completedMicros(i)), listener);
                stalled = !awaitRoom(listener);
                if (stopped || stalled) {
                    break;
                }
                publisher.publish(shifted(trace.events().get(i), timeline.eventTimeMicros(trace.completedMicros(i))));
                rowsSent++;
                next = i + 1;
                tick(listener);
            }
            boolean flushed = !stalled && flush(listener);
            if (flushed && !stopped) {
                replicas().forEach(publisher::heartbeat);
                flushed = flush(listener);
            }
            stalled = !flushed;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            stopped = true;
        }
        plan.save(settled());
        listener.progress(progress(0));
        return report(stalled, Duration.ofNanos((nowMicros() - startedAt) * 1_000));
    }

    /** Ends {@link #run} soon; what was sent is still waited for. */
    public void stop() {
        stopped = true;
    }

    /**
     * Sends a heartbeat for each replica now. Event time never goes back: this and later ones carry at least the time given here, once all
     * rows are sent.
     */
    public void heartbeat(Instant eventTime) {
        heartbeatMicros = Math.max(heartbeatMicros, Timeline.micros(eventTime));
        replicas().forEach(publisher::heartbeat);
    }

    /** The present state of all replicas, on the trace's clock. */
    public List<ReplicaState> replicas() {
        // Read once: rows before this one were handed over before it was written.
        int reached = next;
        long moment;
        long eventTime;
        if (reached == trace.size()) {
            moment = timeline.lastMicros();
            eventTime = Math.max(timeline.endMicros(), heartbeatMicros);
        } else {
            // The next row may end in a microsecond; until then its time has not come, however far the clock is.
            long before = trace.completedMicros(reached) - 1;
            long since = reached == 0 ? timeline.firstMicros() - 1 : trace.completedMicros(reached - 1);
            moment = Math.max(since, Math.min(before, timeline.positionMicros(nowMicros())));
            // Strictly before the next row's, also where compression makes one instant of both.
            eventTime = Math.min(
                    timeline.eventTimeMicros(moment), timeline.eventTimeMicros(trace.completedMicros(reached)) - 1);
        }
        return histories.stream()
                .map(history -> history.at(reached, moment, eventTime))
                .toList();
    }

    private void awaitDue(long dueMicros, ReplayListener listener) throws InterruptedException {
        for (long left = dueMicros - nowMicros(); left > 0 && !stopped; left = dueMicros - nowMicros()) {
            clock.pause(Duration.ofNanos(Math.min(left * 1_000, LONGEST_PAUSE.toNanos())));
            tick(listener);
        }
    }

    private boolean awaitRoom(ReplayListener listener) {
        noteProgress();
        while (!stopped && !publisher.awaitRoom(LONGEST_PAUSE)) {
            tick(listener);
            if (isStalled()) {
                return false;
            }
        }
        return true;
    }

    private boolean flush(ReplayListener listener) {
        noteProgress();
        while (!publisher.flush(LONGEST_PAUSE)) {
            tick(listener);
            if (isStalled()) {
                return false;
            }
        }
        return true;
    }

    private void noteProgress() {
        progressAtMicros = nowMicros();
    }

    private boolean isStalled() {
        long settled = settled().values().stream().mapToLong(Long::longValue).sum();
        if (settled != settledAtProgress) {
            settledAtProgress = settled;
            noteProgress();
        }
        return nowMicros() - progressAtMicros > STALL_LIMIT.toNanos() / 1_000;
    }

    private void tick(ReplayListener listener) {
        long now = nowMicros();
        if (now - tickedAtMicros < TICK.toNanos() / 1_000) {
            return;
        }
        plan.save(settled());
        listener.progress(progress((rowsSent - rowsAtTick) * 1e6 / (now - tickedAtMicros)));
        tickedAtMicros = now;
        rowsAtTick = rowsSent;
    }

    private ReplayProgress progress(double ratePerSecond) {
        int reached = next;
        long eventTime = reached == 0
                ? timeline.eventTimeMicros(timeline.firstMicros())
                : timeline.eventTimeMicros(trace.completedMicros(reached - 1));
        Optional<Duration> remaining = Optional.empty();
        if (timeline.speedup().isPresent()) {
            long left = timeline.dueMicros(timeline.lastMicros()) - nowMicros();
            remaining = Optional.of(Duration.ofNanos(Math.max(0, left) * 1_000));
        } else if (ratePerSecond > 0) {
            remaining = Optional.of(Duration.ofMillis((long) ((trace.size() - reached) / ratePerSecond * 1_000)));
        }
        return new ReplayProgress(
                rowsSentEarlier + rowsSent,
                trace.size(),
                acknowledged(),
                publisher.counters().droppedTotal(),
                ratePerSecond,
                Timeline.instant(eventTime),
                remaining);
    }

    private ReplayReport report(boolean stalled, Duration elapsed) {
        ReplayReport.End end = stalled
                ? ReplayReport.End.STALLED
                : next < trace.size() ? ReplayReport.End.STOPPED : ReplayReport.End.COMPLETE;
        return new ReplayReport(
                trace.summary(),
                end,
                rowsSentEarlier,
                rowsSent,
                acknowledged(),
                publisher.counters().droppedTotal(),
                Timeline.instant(timeline.eventTimeMicros(timeline.firstMicros())),
                Timeline.instant(timeline.endMicros()),
                elapsed);
    }

    private long acknowledged() {
        return rowsSentEarlier + publisher.counters().acknowledged();
    }

    private Map<String, Long> settled() {
        Map<String, Long> settled = new TreeMap<>();
        for (ReplicaHistory history : histories) {
            settled.put(history.replica(), publisher.settledBelow(history.replica()));
        }
        return settled;
    }

    /** Moves all instants of the event by the same distance, so that its durations stay as recorded. */
    private static RequestEvent shifted(RequestEvent event, long completedAtMicros) {
        long distance = completedAtMicros - event.getCompletedAtMicros();
        event.setCompletedAtMicros(completedAtMicros);
        event.setStartedAtMicros(event.getStartedAtMicros() + distance);
        if (event.getScheduledAtMicros() != null) {
            event.setScheduledAtMicros(event.getScheduledAtMicros() + distance);
        }
        if (event.getSentAtMicros() != null) {
            event.setSentAtMicros(event.getSentAtMicros() + distance);
        }
        return event;
    }

    private long nowMicros() {
        return Timeline.micros(clock.instant());
    }
}
