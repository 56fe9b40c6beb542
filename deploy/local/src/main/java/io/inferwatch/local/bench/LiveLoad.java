package io.inferwatch.local.bench;

import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.schemas.Topic;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Publishes a fleet's load live at an even rate until it is closed, from a thread of its own: a request ends at the moment when it is sent, or up to half a second
 * before. Behind its rate, it catches up.
 */
final class LiveLoad implements AutoCloseable {
    private static final Duration TICK = Duration.ofMillis(2);

    private final FleetLoad.Plan plan;
    private final KafkaConnection kafka;
    private final long windowMicros;
    private final Map<Long, Long> requestsByWindowEnd = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    private final Thread thread = new Thread(this::publish, "bench-load");
    private volatile boolean closed;
    private final AtomicLong sent = new AtomicLong();

    private LiveLoad(FleetLoad.Plan plan, KafkaConnection kafka, Duration window) {
        this.plan = plan;
        this.kafka = kafka;
        this.windowMicros = window.toNanos() / 1_000;
    }

    /** Begins to publish. */
    static LiveLoad start(FleetLoad.Plan plan, KafkaConnection kafka, Duration window) {
        LiveLoad load = new LiveLoad(plan, kafka, window);
        load.thread.start();
        return load;
    }

    /** Requests published so far. */
    long sent() {
        return sent.get();
    }

    /** Requests published whose event time lies in the window that ends then. */
    long requests(long windowEndMicros) {
        return requestsByWindowEnd.getOrDefault(windowEndMicros, 0L);
    }

    /** Throws what made publishing fail, if anything did. */
    void check() {
        Exception failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("the load cannot be published: " + failed, failed);
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void publish() {
        Properties properties = kafka.clientProperties();
        properties.put("linger.ms", "5");
        properties.put("batch.size", "131072");
        properties.put("compression.type", "lz4");
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
            List<FleetLoad> partitions = new ArrayList<>();
            for (int i = 0; i < plan.partitions(); i++) {
                partitions.add(new FleetLoad(plan, i));
            }
            long begin = System.nanoTime();
            long nextHeartbeats = 0;
            while (!closed) {
                double elapsedMicros = (System.nanoTime() - begin) / 1e3;
                if (elapsedMicros >= nextHeartbeats) {
                    for (int i = 0; i < partitions.size(); i++) {
                        int partition = i;
                        partitions
                                .get(i)
                                .heartbeats(nowMicros(), (time, key, value) -> send(producer, partition, key, value));
                    }
                    nextHeartbeats += FleetLoad.HEARTBEAT_MICROS;
                }
                long due = (long) (elapsedMicros * plan.requestsPerSecond() / 1e6);
                for (long number = sent.get(); number < due; number = sent.incrementAndGet()) {
                    int partition = (int) (number % plan.partitions());
                    partitions.get(partition).request(nowMicros(), (time, key, value) -> {
                        long windowEnd = time - Math.floorMod(time, windowMicros) + windowMicros;
                        requestsByWindowEnd.merge(windowEnd, 1L, Long::sum);
                        send(producer, partition, key, value);
                    });
                }
                LockSupport.parkNanos(TICK.toNanos());
            }
        } catch (RuntimeException e) {
            failure.compareAndSet(null, e);
        }
    }

    private void send(KafkaProducer<byte[], byte[]> producer, int partition, byte[] key, byte[] value) {
        var unused = producer.send(
                new ProducerRecord<>(Topic.REQUESTS.topicName(), partition, key, value), (metadata, exception) -> {
                    if (exception != null) {
                        failure.compareAndSet(null, exception);
                    }
                });
    }

    private static long nowMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }
}
