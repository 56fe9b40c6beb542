package io.inferwatch.probes.publish;

import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.io.IOException;
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
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes to Kafka: idempotent, compressed, acknowledged by all in-sync replicas, keyed by replica.
 *
 * <p>A caller stamps, encodes and queues its event under a lock held for microseconds; one thread of the publisher's hands the queue to
 * Kafka's client, whose waits (metadata, full buffers) therefore never reach a caller. Memory is bounded in events and bytes, those under
 * way included.
 *
 * <p>When a delivery fails, Kafka counts as away. With a spool, what is in memory and what comes goes to disk in order; without, it waits
 * in memory. One event at a time tries whether Kafka is back. Then new events go first, and the spool drains beside them, oldest first,
 * with at most {@value #DRAIN_EVENTS} events and {@value #DRAIN_BYTES} bytes under way. An event whose delivery failed may have arrived
 * all the same and comes again: (stream, sequence) tells. Within a stream, spooled events keep their order, and so do live ones.
 *
 * <p>A process that is killed loses what was neither acknowledged nor spooled: while Kafka answers, the last few milliseconds; at the
 * moment when it goes away, up to the delivery timeout of 5 s.
 */
public final class KafkaPublisher implements EventPublisher {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaPublisher.class);

    private static final int DRAIN_EVENTS = 1_000;
    private static final long DRAIN_BYTES = 1 << 20;

    /** Half of Kafka's own buffer of 32 MiB, so that its client never waits for room. */
    private static final long IN_FLIGHT_BYTES = 16L << 20;

    private static final int BATCH = 256;
    private static final int ENTRY_OVERHEAD_BYTES = 100;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration PROBE_PAUSE = Duration.ofMillis(200);
    private static final Duration PRODUCER_PAUSE = Duration.ofSeconds(5);
    private static final Duration IDLE = Duration.ofSeconds(1);
    private static final Duration LOG_PAUSE = Duration.ofSeconds(10);

    private final PublisherSettings settings;
    private final @Nullable DiskSpool spool;
    private final ScheduledExecutorService heartbeatTimer;
    private final Thread sender;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final Condition progress = lock.newCondition();

    // Guarded by the lock.
    private final EventCodec codec = new EventCodec();
    private final Map<String, ReplicaStream> streams = new HashMap<>();
    private final Deque<Entry> queue = new ArrayDeque<>();
    private final PriorityQueue<Entry> returned = new PriorityQueue<>(Comparator.comparingLong(entry -> entry.ordinal));
    private final Deque<DiskSpool.Spooled> drainReturned = new ArrayDeque<>();
    private List<DiskSpool.Spooled> drainSettled = new ArrayList<>();
    private final Map<DropReason, Long> dropped = new EnumMap<>(DropReason.class);
    private long ordinal;
    private long held;
    private long heldBytes;
    private int inFlight;
    private long inFlightBytes;
    private int draining;
    private long drainingBytes;
    private long published;
    private long recovered;
    private long acknowledged;
    private long retried;
    private long retriedByEarlierProducers;
    private long spooled;
    private long drained;
    private long inSpool;
    private long spoolBytes;
    private long heartbeatsSent;
    private long heartbeatsSkipped;
    private @Nullable Exception failure;
    private @Nullable String warning;
    private boolean answered;
    private boolean signalled;
    private boolean closing;
    private boolean closed;
    private long closeAtNanos;

    // Of the sender thread.
    private volatile @Nullable Producer<byte[], byte[]> producer;
    private boolean away;
    private long tryAtNanos;
    private Duration tryPause = PROBE_PAUSE;
    private long warnAtNanos = System.nanoTime();

    private static final class Entry {
        private final ReplicaStream stream;
        private final long ordinal;
        private final long sequence;
        private final byte[] value;

        private Entry(ReplicaStream stream, long ordinal, long sequence, byte[] value) {
            this.stream = stream;
            this.ordinal = ordinal;
            this.sequence = sequence;
            this.value = value;
        }

        private boolean isHeartbeat() {
            return sequence < 0;
        }

        private long bytes() {
            return (long) ENTRY_OVERHEAD_BYTES + stream.key().length + value.length;
        }
    }

    /**
     * Starts a publisher. Kafka need not be there.
     *
     * @throws InvalidSettingsException when the spool's directory cannot be used
     */
    public KafkaPublisher(PublisherSettings settings) {
        this.settings = settings;
        this.spool = settings.spool().map(KafkaPublisher::open).orElse(null);
        if (spool != null) {
            recovered = spool.events();
            inSpool = spool.events();
            spoolBytes = spool.bytes();
        }
        this.heartbeatTimer = Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "inferwatch-heartbeats"));
        this.sender = daemon(this::run, "inferwatch-publisher");
        this.sender.start();
    }

    @Override
    public boolean publish(RequestEvent event) {
        lock.lock();
        try {
            ReplicaStream stream = stream(event.getReplica());
            event.setStream(stream.id());
            event.setSequence(stream.take());
            published++;
            if (closing) {
                drop(stream, event.getSequence(), DropReason.CLOSED);
                return false;
            }
            byte[] value;
            try {
                value = codec.encode(event);
            } catch (RuntimeException e) {
                // A probe must not fall over a request that it could not describe.
                warning = "event of " + stream.id() + " cannot be encoded: " + e;
                drop(stream, event.getSequence(), DropReason.INCOMPLETE);
                return false;
            }
            Entry entry = new Entry(stream, ordinal++, event.getSequence(), value);
            if (held >= settings.maxEvents() || heldBytes + entry.bytes() > settings.maxBytes()) {
                drop(stream, event.getSequence(), DropReason.MEMORY_FULL);
                return false;
            }
            held++;
            heldBytes += entry.bytes();
            queue.addLast(entry);
            wakeSender();
            return true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void heartbeat(ReplicaState replica) {
        lock.lock();
        try {
            if (closing) {
                heartbeatsSkipped++;
                return;
            }
            ReplicaStream stream = stream(replica.replica());
            queue.addLast(new Entry(stream, ordinal++, -1, codec.encode(heartbeatOf(replica, stream))));
            wakeSender();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void heartbeats(Supplier<List<ReplicaState>> replicas) {
        long intervalNanos = settings.heartbeatInterval().toNanos();
        var unused = heartbeatTimer.scheduleAtFixedRate(
                () -> {
                    try {
                        replicas.get().forEach(this::heartbeat);
                    } catch (RuntimeException e) {
                        // One bad reading must not end all later heartbeats.
                        LOG.warn("no heartbeat: the probe's state could not be read", e);
                    }
                },
                intervalNanos,
                intervalNanos,
                TimeUnit.NANOSECONDS);
    }

    @Override
    public void startStream(String replica, long firstSequence) {
        lock.lock();
        try {
            if (streams.containsKey(replica)) {
                throw new IllegalStateException("stream of replica '" + replica + "': must not have begun, found it at "
                        + stream(replica).next());
            }
            streams.put(replica, new ReplicaStream(settings.instance(), replica, firstSequence));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long settledBelow(String replica) {
        lock.lock();
        try {
            ReplicaStream stream = streams.get(replica);
            return stream == null ? 0 : stream.settledBelow();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean awaitRoom(Duration timeout) {
        return await(timeout, this::hasRoom);
    }

    @Override
    public boolean flush(Duration timeout) {
        return await(timeout, this::isMemoryEmpty);
    }

    @Override
    public PublisherCounters counters() {
        lock.lock();
        try {
            Producer<byte[], byte[]> current = producer;
            return new PublisherCounters(
                    published,
                    recovered,
                    acknowledged,
                    retried + retriedByEarlierProducers + (current == null ? 0 : retriesOf(current)),
                    spooled,
                    drained,
                    dropped,
                    held,
                    inSpool,
                    spoolBytes,
                    spool == null ? 0 : spool.cuts(),
                    heartbeatsSent,
                    heartbeatsSkipped);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        heartbeatTimer.shutdownNow();
        lock.lock();
        try {
            if (!closing) {
                closing = true;
                closeAtNanos = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
                wakeSender();
            }
        } finally {
            lock.unlock();
        }
        // The sender ends a little after the timeout at the latest: nothing that it waits for is unbounded.
        boolean interrupted = false;
        while (sender.isAlive()) {
            try {
                sender.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- the sender thread

    private void run() {
        while (true) {
            try {
                if (!step()) {
                    return;
                }
            } catch (RuntimeException e) {
                LOG.error("publisher: unexpected failure, going on", e);
                awaitWork();
            }
        }
    }

    /** One round; false when everything is over. */
    private boolean step() {
        removeSettled();
        noteFailureOrAnswer();
        if (away) {
            putAside();
            tryAgain();
        } else {
            sendWaiting();
            drain();
        }
        if (spool != null) {
            try {
                spool.syncIfDue();
            } catch (IOException e) {
                complain("spool: cannot force bytes to the disk: " + e);
            }
        }
        warn();
        if (isOver()) {
            finish();
            return false;
        }
        awaitWork();
        return true;
    }

    private boolean isOver() {
        lock.lock();
        try {
            progress.signalAll();
            boolean done = (isMemoryEmpty() && draining == 0) || (away && spool != null);
            return closing && (done || System.nanoTime() - closeAtNanos >= 0);
        } finally {
            lock.unlock();
        }
    }

    private void awaitWork() {
        long until = System.nanoTime() + idleNanos();
        lock.lock();
        try {
            for (long left = until - System.nanoTime(); !signalled && left > 0; left = until - System.nanoTime()) {
                var unused = work.awaitNanos(left);
            }
            signalled = false;
        } catch (InterruptedException e) {
            // Nobody interrupts this thread; if somebody does, the next round finds nothing wrong.
            LOG.warn("publisher: interrupted, going on");
        } finally {
            lock.unlock();
        }
    }

    private long idleNanos() {
        long now = System.nanoTime();
        long idle = IDLE.toNanos();
        if (away) {
            idle = Math.min(idle, tryAtNanos - now);
        }
        if (closing) {
            idle = Math.min(idle, closeAtNanos - now);
        }
        return Math.max(1_000_000, idle);
    }

    private void removeSettled() {
        List<DiskSpool.Spooled> settled;
        lock.lock();
        try {
            if (drainSettled.isEmpty()) {
                return;
            }
            settled = drainSettled;
            drainSettled = new ArrayList<>();
        } finally {
            lock.unlock();
        }
        DiskSpool disk = spool;
        if (disk == null) {
            return;
        }
        for (DiskSpool.Spooled record : settled) {
            try {
                disk.acknowledge(record);
            } catch (IOException e) {
                complain("spool: cannot remove a drained file: " + e);
            }
        }
        noteSpoolBytes(disk);
    }

    private void noteFailureOrAnswer() {
        Exception failed;
        boolean back;
        lock.lock();
        try {
            failed = failure;
            failure = null;
            back = answered;
            answered = false;
        } finally {
            lock.unlock();
        }
        if (failed != null) {
            tryAtNanos = System.nanoTime() + tryPause.toNanos();
            tryPause = PROBE_PAUSE;
            if (!away) {
                away = true;
                LOG.warn(
                        "Kafka at {} is away, events {}: {}",
                        settings.kafka().bootstrapServers(),
                        spool == null ? "wait in memory" : "go to the spool",
                        settings.kafka().masked(failed.toString()));
            }
        } else if (away && back) {
            comeBack();
        }
    }

    private void comeBack() {
        away = false;
        LOG.info("Kafka at {} is back, {} events in the spool", settings.kafka().bootstrapServers(), inSpoolNow());
    }

    /** While Kafka is away: heartbeats lapse, and events go to the spool once those under way have come back, so that order is kept. */
    private void putAside() {
        List<Entry> aside = new ArrayList<>();
        lock.lock();
        try {
            queue.removeIf(entry -> {
                if (entry.isHeartbeat()) {
                    heartbeatsSkipped++;
                }
                return entry.isHeartbeat();
            });
            // Losing order is better than losing events.
            boolean pressing = held > settings.maxEvents() / 2 || heldBytes > settings.maxBytes() / 2;
            if (spool == null || (inFlight > 0 && !pressing)) {
                return;
            }
            for (Entry entry = returned.poll(); entry != null; entry = returned.poll()) {
                aside.add(entry);
            }
            aside.addAll(queue);
            queue.clear();
        } finally {
            lock.unlock();
        }
        writeToSpool(spool, aside);
    }

    private void writeToSpool(DiskSpool disk, List<Entry> entries) {
        for (Entry entry : entries) {
            DropReason lost = null;
            try {
                if (!disk.append(entry.stream.key(), entry.value)) {
                    lost = DropReason.SPOOL_FULL;
                }
            } catch (IOException e) {
                complain("spool: cannot write: " + e);
                lost = DropReason.SPOOL_FAILED;
            }
            lock.lock();
            try {
                release(entry);
                if (lost == null) {
                    spooled++;
                    inSpool++;
                    entry.stream.settle(entry.sequence);
                } else {
                    drop(entry.stream, entry.sequence, lost);
                }
            } finally {
                lock.unlock();
            }
        }
        noteSpoolBytes(disk);
    }

    /** While Kafka is away: one event at a time finds out whether it is back. */
    private void tryAgain() {
        lock.lock();
        try {
            if (inFlight > 0 || draining > 0 || System.nanoTime() - tryAtNanos < 0 || failure != null) {
                return;
            }
        } finally {
            lock.unlock();
        }
        DiskSpool.Spooled record = nextToDrain();
        if (record != null) {
            sendSpooled(record);
            return;
        }
        List<Entry> first = takeWaiting(1);
        if (first.isEmpty()) {
            // Nothing waits: the next event will find out.
            comeBack();
        } else {
            send(first);
        }
    }

    private void sendWaiting() {
        while (true) {
            List<Entry> batch = takeWaiting(BATCH);
            if (batch.isEmpty() || !send(batch)) {
                return;
            }
        }
    }

    private List<Entry> takeWaiting(int limit) {
        List<Entry> batch = new ArrayList<>();
        lock.lock();
        try {
            while (batch.size() < limit && inFlightBytes < IN_FLIGHT_BYTES && failure == null) {
                Entry entry = returned.isEmpty() ? queue.pollFirst() : returned.poll();
                if (entry == null) {
                    break;
                }
                batch.add(entry);
                inFlight++;
                inFlightBytes += entry.bytes();
            }
        } finally {
            lock.unlock();
        }
        return batch;
    }

    /** False when Kafka turned out to be away; what was not sent then waits again. */
    private boolean send(List<Entry> batch) {
        for (int i = 0; i < batch.size(); i++) {
            Entry entry = batch.get(i);
            send(entry.stream.key(), entry.value, failed -> completed(entry, failed));
            lock.lock();
            try {
                if (failure != null) {
                    for (Entry unsent : batch.subList(i + 1, batch.size())) {
                        inFlight--;
                        inFlightBytes -= unsent.bytes();
                        if (unsent.isHeartbeat()) {
                            heartbeatsSkipped++;
                        } else {
                            returned.add(unsent);
                        }
                    }
                    return false;
                }
            } finally {
                lock.unlock();
            }
        }
        return true;
    }

    /** New events go first: a round drains only while none waits. */
    private void drain() {
        while (true) {
            lock.lock();
            try {
                if (spool == null
                        || !queue.isEmpty()
                        || failure != null
                        || closing
                        || draining >= DRAIN_EVENTS
                        || drainingBytes >= DRAIN_BYTES) {
                    return;
                }
            } finally {
                lock.unlock();
            }
            DiskSpool.Spooled record = nextToDrain();
            if (record == null) {
                return;
            }
            sendSpooled(record);
        }
    }

    private DiskSpool.@Nullable Spooled nextToDrain() {
        DiskSpool disk = spool;
        if (disk == null) {
            return null;
        }
        lock.lock();
        try {
            DiskSpool.Spooled again = drainReturned.pollFirst();
            if (again != null) {
                return again;
            }
        } finally {
            lock.unlock();
        }
        try {
            return disk.next();
        } catch (IOException e) {
            complain("spool: cannot read: " + e);
            return null;
        }
    }

    private void sendSpooled(DiskSpool.Spooled record) {
        lock.lock();
        try {
            draining++;
            drainingBytes += record.value().length;
        } finally {
            lock.unlock();
        }
        send(record.key(), record.value(), failed -> completedDrain(record, failed));
    }

    private interface Completion {
        void completed(@Nullable Exception failed);
    }

    private void send(byte[] key, byte[] value, Completion completion) {
        Producer<byte[], byte[]> target = producer;
        try {
            if (target == null) {
                target = new KafkaProducer<>(settings.kafka().producer());
                producer = target;
            }
            var unused = target.send(
                    new ProducerRecord<>(Topic.REQUESTS.topicName(), key, value),
                    (metadata, failed) -> completion.completed(failed));
        } catch (KafkaException e) {
            // Thrown, not handed to the callback: no producer could be made, or this one will never send again.
            completion.completed(e);
            closeProducer(Duration.ZERO);
            tryPause = PRODUCER_PAUSE;
        }
    }

    private void completed(Entry entry, @Nullable Exception failed) {
        lock.lock();
        try {
            boolean wasFull = inFlightBytes >= IN_FLIGHT_BYTES;
            inFlight--;
            inFlightBytes -= entry.bytes();
            if (failed == null) {
                answered = true;
                if (entry.isHeartbeat()) {
                    heartbeatsSent++;
                } else {
                    acknowledged++;
                    entry.stream.settle(entry.sequence);
                    release(entry);
                }
            } else if (DeliveryFailure.of(failed) == DeliveryFailure.REFUSED) {
                if (entry.isHeartbeat()) {
                    heartbeatsSkipped++;
                } else {
                    warning = "event of " + entry.stream.id() + " was refused by Kafka: " + failed;
                    release(entry);
                    drop(entry.stream, entry.sequence, DropReason.REFUSED);
                }
            } else {
                failure = failed;
                if (entry.isHeartbeat()) {
                    heartbeatsSkipped++;
                } else {
                    returned.add(entry);
                    retried++;
                }
            }
            // Only when the sender has something to do: waking it for every answer would cost more than the answer.
            if (failed != null || inFlight == 0 || (wasFull && inFlightBytes < IN_FLIGHT_BYTES)) {
                wakeSender();
            }
            if (isMemoryEmpty()) {
                progress.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private void completedDrain(DiskSpool.Spooled record, @Nullable Exception failed) {
        lock.lock();
        try {
            draining--;
            drainingBytes -= record.value().length;
            if (failed != null && DeliveryFailure.of(failed) == DeliveryFailure.AWAY) {
                failure = failed;
                drainReturned.addLast(record);
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
        } finally {
            lock.unlock();
        }
    }

    private void finish() {
        // Aborts what is under way: its callbacks bring it back.
        closeProducer(Duration.ofMillis(500));
        removeSettled();
        List<Entry> left = new ArrayList<>();
        lock.lock();
        try {
            closed = true;
            for (Entry entry = returned.poll(); entry != null; entry = returned.poll()) {
                left.add(entry);
            }
            for (Entry entry : queue) {
                if (entry.isHeartbeat()) {
                    heartbeatsSkipped++;
                } else {
                    left.add(entry);
                }
            }
            queue.clear();
        } finally {
            lock.unlock();
        }
        if (spool != null) {
            writeToSpool(spool, left);
            try {
                spool.close();
            } catch (IOException e) {
                LOG.warn("spool: cannot close: {}", e.toString());
            }
        }
        lock.lock();
        try {
            if (spool == null) {
                for (Entry entry : left) {
                    release(entry);
                    drop(entry.stream, entry.sequence, DropReason.CLOSED);
                }
            }
            progress.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void closeProducer(Duration timeout) {
        Producer<byte[], byte[]> closing = producer;
        if (closing == null) {
            return;
        }
        lock.lock();
        try {
            producer = null;
            retriedByEarlierProducers += retriesOf(closing);
        } finally {
            lock.unlock();
        }
        try {
            closing.close(timeout);
        } catch (KafkaException e) {
            LOG.warn("Kafka's producer did not close well: {}", e.toString());
        }
    }

    private static long retriesOf(Producer<byte[], byte[]> producer) {
        for (Map.Entry<MetricName, ? extends Metric> metric : producer.metrics().entrySet()) {
            if (metric.getKey().name().equals("record-retry-total")
                    && metric.getKey().group().equals("producer-metrics")
                    && metric.getValue().metricValue() instanceof Double value) {
                return value.longValue();
            }
        }
        return 0;
    }

    private void noteSpoolBytes(DiskSpool disk) {
        lock.lock();
        try {
            spoolBytes = disk.bytes();
        } finally {
            lock.unlock();
        }
    }

    /** Warnings that could come for every event come at most every ten seconds, from this thread; each has its counter. */
    private void warn() {
        if (System.nanoTime() - warnAtNanos < 0) {
            return;
        }
        String text;
        lock.lock();
        try {
            text = warning;
            warning = null;
        } finally {
            lock.unlock();
        }
        if (text != null) {
            warnAtNanos = System.nanoTime() + LOG_PAUSE.toNanos();
            LOG.warn("publisher {}: {}", settings.instance(), settings.kafka().masked(text));
        }
    }

    private void complain(String text) {
        lock.lock();
        try {
            warning = text;
        } finally {
            lock.unlock();
        }
    }

    // ---- under the lock

    private ReplicaStream stream(String replica) {
        return streams.computeIfAbsent(replica, name -> new ReplicaStream(settings.instance(), name, 0));
    }

    private Heartbeat heartbeatOf(ReplicaState replica, ReplicaStream stream) {
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

    private boolean isMemoryEmpty() {
        return queue.isEmpty() && returned.isEmpty() && inFlight == 0 && held == 0;
    }

    private boolean hasRoom() {
        return held * 10L <= settings.maxEvents() * 9L && heldBytes <= settings.maxBytes() / 10 * 9;
    }

    private void release(Entry entry) {
        boolean hadRoom = hasRoom();
        held--;
        heldBytes -= entry.bytes();
        if (!hadRoom && hasRoom()) {
            progress.signalAll();
        }
    }

    private void drop(ReplicaStream stream, long sequence, DropReason reason) {
        stream.settle(sequence);
        count(reason);
    }

    private void count(DropReason reason) {
        long total = dropped.merge(reason, 1L, Long::sum);
        warning = total + " events dropped so far: " + reason;
    }

    private void wakeSender() {
        if (!signalled) {
            signalled = true;
            work.signal();
        }
    }

    private long inSpoolNow() {
        lock.lock();
        try {
            return inSpool;
        } finally {
            lock.unlock();
        }
    }

    private interface Check {
        boolean holds();
    }

    private boolean await(Duration timeout, Check check) {
        long deadline = System.nanoTime() + timeout.toNanos();
        lock.lock();
        try {
            while (!check.holds()) {
                long left = deadline - System.nanoTime();
                if (left <= 0 || closed) {
                    return false;
                }
                var unused = progress.awaitNanos(left);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    private static DiskSpool open(SpoolSettings settings) {
        try {
            return DiskSpool.open(settings);
        } catch (IOException e) {
            throw new InvalidSettingsException(
                    "spool", List.of("directory: must be usable by this process alone, found: " + e.getMessage()));
        }
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }
}
