package io.inferwatch.probes.publish;

import io.inferwatch.probes.publish.DiskSpool.Spooled;
import io.inferwatch.probes.publish.Outbox.Entry;
import io.inferwatch.probes.publish.Outbox.News;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.avro.specific.SpecificRecord;
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
 * Publishes to Kafka: idempotent, compressed, acknowledged by all in-sync replicas, keyed by replica or GPU.
 *
 * <p>A caller stamps, encodes and queues its event within microseconds; one thread of the publisher's hands the queue to Kafka's client,
 * whose waits (metadata, full buffers) therefore never reach a caller. Memory is bounded in events and bytes, those under way included.
 *
 * <p>When a delivery fails, Kafka counts as away. With a spool, what is in memory and what comes goes to disk in order; without, it waits
 * in memory. One event at a time tries whether Kafka is back. Then new events go first, and the spool drains beside them, oldest first,
 * with at most {@value Outbox#DRAIN_EVENTS} events and {@value Outbox#DRAIN_BYTES} bytes under way. An event whose delivery failed may
 * have arrived all the same and comes again: (stream, sequence) tells. Within a stream, spooled events keep their order, and so do live ones.
 *
 * <p>A process that is killed loses what was neither acknowledged nor spooled: while Kafka answers, the last few milliseconds; at the
 * moment when it goes away, up to the delivery timeout of 5 s.
 */
public final class KafkaPublisher implements EventPublisher {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaPublisher.class);

    private static final int BATCH = 256;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration TRY_PAUSE = Duration.ofMillis(200);
    private static final Duration NEW_PRODUCER_PAUSE = Duration.ofSeconds(5);
    private static final Duration IDLE = Duration.ofSeconds(1);
    private static final Duration WARNING_PAUSE = Duration.ofSeconds(10);

    private final PublisherSettings settings;
    private final @Nullable DiskSpool spool;
    private final Outbox outbox;
    private final ScheduledExecutorService heartbeatTimer;
    private final Thread sender;
    private final AtomicLong retriesOfFormerProducers = new AtomicLong();
    private volatile @Nullable Producer<byte[], byte[]> producer;
    private volatile long closeAtNanos;

    // Of the sender thread alone.
    private boolean away;
    private long tryAtNanos;
    private Duration tryPause = TRY_PAUSE;
    private long warnAtNanos = System.nanoTime();

    /**
     * Starts a publisher. Kafka need not be there.
     *
     * @throws InvalidSettingsException when the spool's directory cannot be used
     */
    public KafkaPublisher(PublisherSettings settings) {
        this.settings = settings;
        this.spool = settings.spool().map(KafkaPublisher::open).orElse(null);
        this.outbox = new Outbox(settings, spool == null ? 0 : spool.events(), spool == null ? 0 : spool.bytes());
        this.heartbeatTimer = Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "inferwatch-heartbeats"));
        this.sender = daemon(this::run, "inferwatch-publisher");
        this.sender.start();
    }

    @Override
    public boolean publish(Topic topic, String key, SpecificRecord event) {
        return outbox.publish(topic, key, event);
    }

    @Override
    public void heartbeat(ReplicaState replica) {
        outbox.heartbeat(replica);
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
        outbox.startStream(replica, firstSequence);
    }

    @Override
    public long settledBelow(String replica) {
        return outbox.settledBelow(replica);
    }

    @Override
    public boolean awaitRoom(Duration timeout) {
        return outbox.awaitRoom(timeout);
    }

    @Override
    public boolean flush(Duration timeout) {
        return outbox.awaitEmpty(timeout);
    }

    @Override
    public PublisherCounters counters() {
        Producer<byte[], byte[]> present = producer;
        return outbox.counters(
                retriesOfFormerProducers.get() + (present == null ? 0 : retriesOf(present)),
                spool == null ? 0 : spool.cuts());
    }

    @Override
    public void close() {
        heartbeatTimer.shutdownNow();
        closeAtNanos = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
        outbox.beginClosing();
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

    private void run() {
        try {
            while (!isOver()) {
                try {
                    round();
                } catch (RuntimeException e) {
                    LOG.error("publisher: unexpected failure, going on", e);
                }
                outbox.awaitWork(idleNanos());
            }
        } catch (InterruptedException e) {
            LOG.warn("publisher: interrupted, closing");
            outbox.beginClosing();
        } finally {
            finish();
        }
    }

    private void round() {
        removeSettled();
        noteNews();
        if (away) {
            outbox.skipHeartbeats();
            if (spool != null) {
                writeToSpool(spool, outbox.takeForSpool());
            }
            tryAgain();
        } else {
            sendWaiting();
            drain();
        }
        if (spool != null) {
            try {
                spool.syncIfDue();
            } catch (IOException e) {
                outbox.warn("spool: cannot force bytes to the disk: " + e);
            }
        }
        warn();
    }

    private boolean isOver() {
        if (!outbox.isClosing()) {
            return false;
        }
        boolean settled = outbox.isEmpty() && outbox.isIdle();
        return settled || (away && spool != null) || System.nanoTime() - closeAtNanos >= 0;
    }

    private long idleNanos() {
        long now = System.nanoTime();
        long idle = IDLE.toNanos();
        if (away) {
            idle = Math.min(idle, tryAtNanos - now);
        }
        if (outbox.isClosing()) {
            idle = Math.min(idle, closeAtNanos - now);
        }
        return Math.max(TimeUnit.MILLISECONDS.toNanos(1), idle);
    }

    private void noteNews() {
        News news = outbox.takeNews();
        Exception failure = news.failure();
        if (failure != null) {
            tryAtNanos = System.nanoTime() + tryPause.toNanos();
            tryPause = TRY_PAUSE;
            if (!away) {
                away = true;
                LOG.warn(
                        "Kafka at {} is away, events {}: {}",
                        settings.kafka().bootstrapServers(),
                        spool == null ? "wait in memory" : "go to the spool",
                        settings.kafka().masked(failure.toString()));
            }
        } else if (away && news.answered()) {
            comeBack();
        }
    }

    private void comeBack() {
        away = false;
        LOG.info("Kafka at {} is back, {} events in the spool", settings.kafka().bootstrapServers(), outbox.inSpool());
    }

    /** While Kafka is away: one event at a time finds out whether it is back. */
    private void tryAgain() {
        if (!outbox.isIdle() || outbox.hasFailed() || System.nanoTime() - tryAtNanos < 0) {
            return;
        }
        Spooled record = nextToDrain();
        if (record != null) {
            send(record);
            return;
        }
        List<Entry> first = outbox.take(1);
        if (first.isEmpty()) {
            // Nothing waits: the next event will find out.
            comeBack();
        } else {
            send(first);
        }
    }

    private void sendWaiting() {
        for (List<Entry> batch = outbox.take(BATCH); !batch.isEmpty(); batch = outbox.take(BATCH)) {
            send(batch);
        }
    }

    private void send(List<Entry> batch) {
        for (int i = 0; i < batch.size(); i++) {
            if (outbox.hasFailed()) {
                outbox.putBack(batch.subList(i, batch.size()));
                return;
            }
            Entry entry = batch.get(i);
            send(
                    entry.stream().topic(),
                    entry.stream().key(),
                    entry.value(),
                    failed -> outbox.completed(entry, failed));
        }
    }

    private void drain() {
        while (spool != null && outbox.mayDrain()) {
            Spooled record = nextToDrain();
            if (record == null) {
                return;
            }
            send(record);
        }
    }

    private void send(Spooled record) {
        outbox.draining(record);
        send(Topic.of(record.value()), record.key(), record.value(), failed -> outbox.drained(record, failed));
    }

    private interface Completion {
        void completed(@Nullable Exception failed);
    }

    private void send(Topic topic, byte[] key, byte[] value, Completion completion) {
        Producer<byte[], byte[]> target = producer;
        try {
            if (target == null) {
                target = new KafkaProducer<>(settings.kafka().producer());
                producer = target;
            }
            var unused = target.send(
                    new ProducerRecord<>(topic.topicName(), key, value),
                    (metadata, failed) -> completion.completed(failed));
        } catch (RuntimeException e) {
            // Thrown, not handed to the callback: no producer could be made, or this one will never send again.
            completion.completed(e);
            closeProducer(Duration.ZERO);
            tryPause = NEW_PRODUCER_PAUSE;
        }
    }

    private @Nullable Spooled nextToDrain() {
        DiskSpool disk = spool;
        if (disk == null) {
            return null;
        }
        Spooled again = outbox.takeDrainAgain();
        if (again != null) {
            return again;
        }
        try {
            return disk.next();
        } catch (IOException e) {
            outbox.warn("spool: cannot read: " + e);
            return null;
        }
    }

    private void removeSettled() {
        List<Spooled> settled = outbox.takeDrainSettled();
        DiskSpool disk = spool;
        if (disk == null || settled.isEmpty()) {
            return;
        }
        for (Spooled record : settled) {
            try {
                disk.acknowledge(record);
            } catch (IOException e) {
                outbox.warn("spool: cannot remove a drained file: " + e);
            }
        }
        outbox.noteSpool(disk.bytes());
    }

    private void writeToSpool(DiskSpool disk, List<Entry> entries) {
        for (Entry entry : entries) {
            try {
                if (disk.append(entry.stream().key(), entry.value())) {
                    outbox.spooled(entry);
                } else {
                    outbox.lost(entry, DropReason.SPOOL_FULL);
                }
            } catch (IOException e) {
                outbox.lost(entry, DropReason.SPOOL_FAILED);
                outbox.warn("spool: cannot write: " + e);
            }
        }
        outbox.noteSpool(disk.bytes());
    }

    private void finish() {
        // Aborts what is under way: its callbacks bring it back.
        closeProducer(Duration.ofMillis(500));
        removeSettled();
        List<Entry> rest = outbox.takeRest();
        if (spool == null) {
            rest.forEach(entry -> outbox.lost(entry, DropReason.CLOSED));
        } else {
            writeToSpool(spool, rest);
            try {
                spool.close();
            } catch (IOException e) {
                LOG.warn("spool: cannot close: {}", e.toString());
            }
        }
        warnAtNanos = System.nanoTime();
        warn();
    }

    private void closeProducer(Duration timeout) {
        Producer<byte[], byte[]> former = producer;
        if (former == null) {
            return;
        }
        retriesOfFormerProducers.addAndGet(retriesOf(former));
        producer = null;
        try {
            former.close(timeout);
        } catch (KafkaException e) {
            LOG.warn("Kafka's producer did not close well: {}", e.toString());
        }
    }

    /** Warnings that could come for every event come at most every ten seconds, from this thread; each has its counter. */
    private void warn() {
        if (System.nanoTime() - warnAtNanos < 0) {
            return;
        }
        String text = outbox.takeWarning();
        if (text != null) {
            warnAtNanos = System.nanoTime() + WARNING_PAUSE.toNanos();
            LOG.warn("publisher {}: {}", settings.instance(), settings.kafka().masked(text));
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
