package io.inferwatch.local.bench;

import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.schemas.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The requests topic, filled once with a fleet's load, uncompressed.
 *
 * @param records requests and heartbeats
 * @param bytes of their values
 * @param seconds that filling took
 */
record LoadedTopic(long records, long bytes, double seconds) {
    private static final int THREADS = 2;

    static LoadedTopic fill(KafkaConnection kafka, FleetLoad.Plan plan) throws InterruptedException {
        AtomicLong records = new AtomicLong();
        AtomicLong bytes = new AtomicLong();
        long start = System.nanoTime();
        ExecutorService executor = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> parts = new ArrayList<>();
            for (int partition = 0; partition < plan.partitions(); partition++) {
                int number = partition;
                parts.add(executor.submit(() -> fill(kafka, plan, number, records, bytes)));
            }
            for (Future<?> part : parts) {
                part.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("the topic cannot be filled: " + e.getCause(), e);
        } finally {
            executor.shutdownNow();
        }
        return new LoadedTopic(records.get(), bytes.get(), (System.nanoTime() - start) / 1e9);
    }

    private static void fill(
            KafkaConnection kafka, FleetLoad.Plan plan, int partition, AtomicLong records, AtomicLong bytes) {
        Properties properties = kafka.clientProperties();
        properties.put("linger.ms", "20");
        properties.put("batch.size", "524288");
        properties.put("buffer.memory", "67108864");
        properties.put("max.request.size", "4194304");
        properties.put("acks", "1");
        AtomicReference<Exception> failure = new AtomicReference<>();
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
            new FleetLoad(plan, partition).generate((time, key, value) -> {
                var unused = producer.send(
                        new ProducerRecord<>(Topic.REQUESTS.topicName(), partition, key, value),
                        (metadata, exception) -> {
                            if (exception != null) {
                                failure.compareAndSet(null, exception);
                            }
                        });
                records.incrementAndGet();
                bytes.addAndGet(value.length);
            });
        }
        if (failure.get() != null) {
            throw new IllegalStateException("Kafka refused an event: " + failure.get(), failure.get());
        }
    }
}
