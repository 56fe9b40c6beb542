package io.inferwatch.probes.publish;

import io.inferwatch.probes.publish.DiskSpool.Spooled;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * What callers, the sender thread and Kafka's callbacks share: waiting entries, numbers, accounts. Every method holds the monitor for
 * microseconds and does no I/O; only the {@code await} methods wait, and they give the monitor back meanwhile.
 *
 * <p>An entry is waiting, under way, or settled: acknowledged, spooled or dropped. Until it is settled it is held, and what is held is
 * bounded in number and bytes. A record out of the spool is accounted for apart: it is not held.
 */
final class Outbox {
    /** Records out of the spool that may be under way together. */
    static final int DRAIN_EVENTS = 1_000;

    /** Bytes out of the spool that may be under way together. */
    static final long DRAIN_BYTES = 1 << 20;

    /** Half of Kafka's own buffer of 32 MiB, so that its client never waits for room. */
    private static final long IN_FLIGHT_BYTES = 16L << 20;

    private static final int ENTRY_OVERHEAD_BYTES = 100;

    private final PublisherSettings settings;
    private final EventCodec codec = new EventCodec();
    private final Map<StreamKey, EventStream> streams = new HashMap<>();
    private final Map<DropReason, Long> dropped = new EnumMap<>(DropReason.class);

    private final Deque<Entry> queue = new ArrayDeque<>();
    private final PriorityQueue<Entry> returned = new PriorityQueue<>(Comparator.comparingLong(Entry::ordinal));
    private long nextOrdinal;
    private long held;
    private long heldBytes;
    private int inFlight;
    private long inFlightBytes;

    private final Deque<Spooled> drainAgain = new ArrayDeque<>();
    private List<Spooled> drainSettled = new ArrayList<>();
    private int draining;
    private long drainingBytes;

    private final long recovered;
    private long published;
    private long acknowledged;
    private long retried;
    private long spooled;
    private long drained;
    private long inSpool;
    private long spoolBytes;
    private long heartbeatsSent;
    private long heartbeatsSkipped;

    private @Nullable Exception failure;
    private boolean answered;
    private @Nullable String warning;
    private boolean hasNews;
    private boolean closing;
    private boolean closed;

    private record StreamKey(Topic topic, String key) {}

    /** An encoded event or heartbeat; a heartbeat has no number. */
    record Entry(EventStream stream, long ordinal, long sequence, byte[] value) {
        static final long NO_NUMBER = -1;

        boolean isHeartbeat() {
            return sequence == NO_NUMBER;
        }

        private long bytes() {
            return (long) ENTRY_OVERHEAD_BYTES + stream.key().length + value.length;
        }
    }

    /**
     * What came back from Kafka since it was last asked.
     *
     * @param failure the latest failed delivery, if any
     * @param answered whether anything was acknowledged
     */
    record News(@Nullable Exception failure, boolean answered) {}

    /** An outbox of a publisher that found so much in its spool. */
    Outbox(PublisherSettings settings, long recovered, long spoolBytes) {
        this.settings = settings;
        this.recovered = recovered;
        this.inSpool = recovered;
        this.spoolBytes = spoolBytes;
    }

    // ---- for callers

    synchronized boolean publish(Topic topic, String key, SpecificRecord event) {
        EventStream stream = stream(topic, key);
        long sequence = stream.take();
        put(event, "stream", stream.id());
        put(event, "sequence", sequence);
        published++;
        if (closing) {
            return drop(stream, sequence, DropReason.CLOSED);
        }
        byte[] value;
        try {
            value = codec.encode(event);
        } catch (RuntimeException e) {
            // A probe must not fall over a request that it could not describe.
            warning = "event of " + stream.id() + " cannot be encoded: " + e;
            return drop(stream, sequence, DropReason.INCOMPLETE);
        }
        Entry entry = new Entry(stream, nextOrdinal++, sequence, value);
        if (held >= settings.maxEvents() || heldBytes + entry.bytes() > settings.maxBytes()) {
            return drop(stream, sequence, DropReason.MEMORY_FULL);
        }
        held++;
        heldBytes += entry.bytes();
        queue.addLast(entry);
        wakeSender();
        return true;
    }

    synchronized void heartbeat(ReplicaState replica) {
        if (closing) {
            heartbeatsSkipped++;
            return;
        }
        EventStream stream = stream(Topic.REQUESTS, replica.replica());
        byte[] value = codec.encode(heartbeatOf(replica, stream));
        queue.addLast(new Entry(stream, nextOrdinal++, Entry.NO_NUMBER, value));
        wakeSender();
    }

    synchronized void startStream(String replica, long firstSequence) {
        EventStream begun = streams.putIfAbsent(
                new StreamKey(Topic.REQUESTS, replica),
                new EventStream(Topic.REQUESTS, settings.instance(), replica, firstSequence));
        if (begun != null) {
            throw new IllegalStateException(
                    "stream " + begun.id() + ": must not have begun, found it at " + begun.next());
        }
    }

    synchronized long settledBelow(String replica) {
        EventStream stream = streams.get(new StreamKey(Topic.REQUESTS, replica));
        return stream == null ? 0 : stream.settledBelow();
    }

    boolean awaitRoom(Duration timeout) {
        return await(timeout, this::hasRoom);
    }

    boolean awaitEmpty(Duration timeout) {
        return await(timeout, this::isEmpty);
    }

    synchronized PublisherCounters counters(long clientRetries, long spoolCuts) {
        return new PublisherCounters(
                published,
                recovered,
                acknowledged,
                retried + clientRetries,
                spooled,
                drained,
                dropped,
                held,
                inSpool,
                spoolBytes,
                spoolCuts,
                heartbeatsSent,
                heartbeatsSkipped);
    }

    /** Takes no more events; false when it was closing already. */
    synchronized boolean beginClosing() {
        boolean first = !closing;
        closing = true;
        wakeSender();
        return first;
    }

    // ---- for the sender thread

    /** Waits until there is something to do, or for so long. */
    synchronized void awaitWork(long nanos) throws InterruptedException {
        long until = System.nanoTime() + nanos;
        for (long left = nanos; !hasNews && left > 0; left = until - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        hasNews = false;
    }

    synchronized News takeNews() {
        News news = new News(failure, answered);
        failure = null;
        answered = false;
        return news;
    }

    /** Whether a delivery has failed since {@link #takeNews}. */
    synchronized boolean hasFailed() {
        return failure != null;
    }

    /** The oldest waiting entries, which are under way from now on; none after a failure, or while much is under way. */
    synchronized List<Entry> take(int limit) {
        List<Entry> batch = new ArrayList<>();
        while (batch.size() < limit && inFlightBytes < IN_FLIGHT_BYTES && failure == null) {
            Entry entry = returned.isEmpty() ? queue.pollFirst() : returned.poll();
            if (entry == null) {
                break;
            }
            batch.add(entry);
            inFlight++;
            inFlightBytes += entry.bytes();
        }
        return batch;
    }

    /** Entries that were taken and not sent wait again, before all others. */
    synchronized void putBack(List<Entry> unsent) {
        for (Entry entry : unsent) {
            inFlight--;
            inFlightBytes -= entry.bytes();
            if (entry.isHeartbeat()) {
                heartbeatsSkipped++;
            } else {
                returned.add(entry);
            }
        }
    }

    /** Nothing is under way, neither new nor out of the spool. */
    synchronized boolean isIdle() {
        return inFlight == 0 && draining == 0;
    }

    /** Nothing is held, no heartbeat waits. */
    synchronized boolean isEmpty() {
        return queue.isEmpty() && returned.isEmpty() && inFlight == 0 && held == 0;
    }

    synchronized boolean isClosing() {
        return closing;
    }

    /** Heartbeats lapse while Kafka is away. */
    synchronized void skipHeartbeats() {
        queue.removeIf(entry -> {
            if (entry.isHeartbeat()) {
                heartbeatsSkipped++;
            }
            return entry.isHeartbeat();
        });
        if (isEmpty()) {
            notifyAll();
        }
    }

    /**
     * All that waits, in order, to be spooled. While older entries are under way nothing is taken, so that order is kept; unless memory is
     * half full, for losing order is better than losing events.
     */
    synchronized List<Entry> takeForSpool() {
        boolean pressing = held > settings.maxEvents() / 2 || heldBytes > settings.maxBytes() / 2;
        return inFlight > 0 && !pressing ? List.of() : takeWaiting();
    }

    /** Closes for good and gives all that still waits. */
    synchronized List<Entry> takeRest() {
        closed = true;
        skipHeartbeats();
        notifyAll();
        return takeWaiting();
    }

    synchronized void spooled(Entry entry) {
        release(entry);
        spooled++;
        inSpool++;
        entry.stream.settle(entry.sequence);
    }

    synchronized void lost(Entry entry, DropReason reason) {
        release(entry);
        drop(entry.stream, entry.sequence, reason);
    }

    /** Whether one more record may come out of the spool: new events go first. */
    synchronized boolean mayDrain() {
        return queue.isEmpty() && failure == null && !closing && draining < DRAIN_EVENTS && drainingBytes < DRAIN_BYTES;
    }

    /** The oldest record whose delivery failed, to be sent before others of the spool. */
    synchronized @Nullable Spooled takeDrainAgain() {
        return drainAgain.pollFirst();
    }

    synchronized void draining(Spooled record) {
        draining++;
        drainingBytes += record.value().length;
    }

    /** Records that need no second delivery, since it was last asked. */
    synchronized List<Spooled> takeDrainSettled() {
        List<Spooled> settled = drainSettled;
        drainSettled = new ArrayList<>();
        return settled;
    }

    synchronized void noteSpool(long bytes) {
        spoolBytes = bytes;
    }

    synchronized long inSpool() {
        return inSpool;
    }

    synchronized void warn(String text) {
        warning = text;
    }

    synchronized @Nullable String takeWarning() {
        String text = warning;
        warning = null;
        return text;
    }

    // ---- for Kafka's callbacks

    synchronized void completed(Entry entry, @Nullable Exception failed) {
        boolean wasFull = inFlightBytes >= IN_FLIGHT_BYTES;
        inFlight--;
        inFlightBytes -= entry.bytes();
        if (failed == null) {
            answered = true;
        } else if (isAway(failed)) {
            failure = failed;
        }
        if (entry.isHeartbeat()) {
            heartbeatsSent += failed == null ? 1 : 0;
            heartbeatsSkipped += failed == null ? 0 : 1;
        } else if (failed == null) {
            acknowledged++;
            entry.stream.settle(entry.sequence);
            release(entry);
        } else if (isAway(failed)) {
            returned.add(entry);
            retried++;
        } else {
            warning = "event of " + entry.stream.id() + " was refused by Kafka: " + failed;
            lost(entry, DropReason.REFUSED);
        }
        // Only when the sender has something to do: waking it for every answer would cost more than the answer.
        if (failed != null || inFlight == 0 || (wasFull && inFlightBytes < IN_FLIGHT_BYTES)) {
            wakeSender();
        }
        if (isEmpty()) {
            notifyAll();
        }
    }

    synchronized void drained(Spooled record, @Nullable Exception failed) {
        draining--;
        drainingBytes -= record.value().length;
        if (failed != null && isAway(failed)) {
            failure = failed;
            drainAgain.addLast(record);
            retried++;
        } else {
            inSpool--;
            drainSettled.add(record);
            if (failed == null) {
                answered = true;
                acknowledged++;
                drained++;
            } else {
                count(DropReason.REFUSED);
            }
        }
        if (failed != null || draining == 0 || drainSettled.size() >= DRAIN_EVENTS / 4) {
            wakeSender();
        }
    }

    // ---- within the monitor

    private static boolean isAway(Exception failed) {
        return DeliveryFailure.of(failed) == DeliveryFailure.AWAY;
    }

    private EventStream stream(Topic topic, String key) {
        return streams.computeIfAbsent(
                new StreamKey(topic, key), named -> new EventStream(topic, settings.instance(), key, 0));
    }

    private List<Entry> takeWaiting() {
        List<Entry> waiting = new ArrayList<>();
        for (Entry entry = returned.poll(); entry != null; entry = returned.poll()) {
            waiting.add(entry);
        }
        waiting.addAll(queue);
        queue.clear();
        return waiting;
    }

    private synchronized boolean hasRoom() {
        return held * 10L <= settings.maxEvents() * 9L && heldBytes <= settings.maxBytes() / 10 * 9;
    }

    private void release(Entry entry) {
        boolean hadRoom = hasRoom();
        held--;
        heldBytes -= entry.bytes();
        if (held == 0 || (!hadRoom && hasRoom())) {
            notifyAll();
        }
    }

    private boolean drop(EventStream stream, long sequence, DropReason reason) {
        stream.settle(sequence);
        count(reason);
        return false;
    }

    private void count(DropReason reason) {
        long total = dropped.merge(reason, 1L, Long::sum);
        if (reason != DropReason.REFUSED && reason != DropReason.INCOMPLETE) {
            warning = total + " events dropped so far: " + reason;
        }
    }

    private void wakeSender() {
        if (!hasNews) {
            hasNews = true;
            notifyAll();
        }
    }

    private synchronized boolean await(Duration timeout, BooleanSupplier holds) {
        long deadline = System.nanoTime() + timeout.toNanos();
        try {
            while (!holds.getAsBoolean()) {
                long left = deadline - System.nanoTime();
                if (left <= 0 || closed) {
                    return false;
                }
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Results have neither: whoever reads them knows them by what they are of. */
    private static void put(SpecificRecord event, String name, Object value) {
        Schema.Field field = event.getSchema().getField(name);
        if (field != null) {
            event.put(field.pos(), value);
        }
    }

    private Heartbeat heartbeatOf(ReplicaState replica, EventStream stream) {
        Instant now = Instant.now();
        long nowMicros = TimeUnit.SECONDS.toMicros(now.getEpochSecond()) + now.getNano() / 1_000;
        Heartbeat heartbeat = new Heartbeat();
        heartbeat.setStream(stream.id());
        heartbeat.setNextSequence(stream.next());
        heartbeat.setEventTimeMicros(replica.eventTimeMicros() == null ? nowMicros : replica.eventTimeMicros());
        heartbeat.setEmittedAtMicros(nowMicros);
        heartbeat.setReplica(replica.replica());
        heartbeat.setNode(replica.placement().node());
        heartbeat.setPod(replica.placement().pod());
        heartbeat.setRegion(replica.placement().region());
        heartbeat.setPool(replica.placement().pool());
        heartbeat.setModel(replica.placement().model());
        heartbeat.setVersion(replica.placement().version());
        heartbeat.setSource(replica.source());
        heartbeat.setIntervalMicros(settings.heartbeatInterval().toNanos() / 1_000);
        heartbeat.setOpenRequests(replica.openRequests());
        heartbeat.setAwaitingFirstToken(replica.awaitingFirstToken());
        heartbeat.setOldestOpenMicros(replica.oldestOpenMicros());
        heartbeat.setStartedTotal(replica.startedTotal());
        heartbeat.setCompletedTotal(replica.completedTotal());
        heartbeat.setFailedTotal(replica.failedTotal());
        heartbeat.setCancelledTotal(replica.cancelledTotal());
        heartbeat.setDroppedTotal(
                dropped.values().stream().mapToLong(Long::longValue).sum());
        heartbeat.setSpooledEvents(inSpool);
        return heartbeat;
    }
}
