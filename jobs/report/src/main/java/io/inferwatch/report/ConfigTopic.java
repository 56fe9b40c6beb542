package io.inferwatch.report;

import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Setting;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.UndecodableEventException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** The compacted topic of running jobs' settings: what holds in it now, and changes to that. */
final class ConfigTopic {
    private static final Duration POLL = Duration.ofMillis(500);

    private final KafkaOptions kafka;

    ConfigTopic(KafkaOptions kafka) {
        this.kafka = kafka;
    }

    /**
     * What holds.
     *
     * @param settings by kind/name, in the order of these keys
     * @param unreadable why the record of a key cannot be read, by key
     */
    record Content(Map<String, Setting> settings, Map<String, String> unreadable) {
        /** Whether there is anything under that key. */
        boolean holds(String key) {
            return settings.containsKey(key) || unreadable.containsKey(key);
        }
    }

    /**
     * Reads the topic to the end that it had at the beginning.
     *
     * @throws InvalidRequestException when there is no such topic
     * @throws KafkaException when Kafka does not answer
     */
    Content read() {
        Map<String, byte @Nullable []> latest = new TreeMap<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                kafka.consumerProperties(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = EventsTailCommand.partitions(consumer, Topic.CONFIG, kafka);
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    byte[] key = record.key();
                    latest.put(key == null ? "" : new String(key, StandardCharsets.UTF_8), record.value());
                }
            }
        }
        EventCodec codec = new EventCodec();
        Content content = new Content(new TreeMap<>(), new TreeMap<>());
        latest.forEach((key, value) -> {
            if (value == null) {
                return;
            }
            try {
                content.settings.put(key, codec.decode(value, Setting.class));
            } catch (UndecodableEventException e) {
                content.unreadable.put(key, String.valueOf(e.getMessage()));
            }
        });
        return content;
    }

    /**
     * Sends changes and waits until the brokers have them.
     *
     * @param changes settings by kind/name; null takes one back
     * @throws KafkaException when one of them could not be sent; those before it may be
     */
    void send(Map<String, @Nullable Setting> changes) {
        Properties properties = kafka.properties();
        properties.put("acks", "all");
        properties.putIfAbsent("delivery.timeout.ms", KafkaOptions.PATIENCE_MILLIS);
        properties.putIfAbsent("request.timeout.ms", "5000");
        properties.putIfAbsent("max.block.ms", KafkaOptions.PATIENCE_MILLIS);
        EventCodec codec = new EventCodec();
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            changes.forEach((key, setting) -> sent.add(producer.send(new ProducerRecord<>(
                    Topic.CONFIG.topicName(),
                    key.getBytes(StandardCharsets.UTF_8),
                    setting == null ? null : codec.encode(setting)))));
            for (Future<RecordMetadata> one : sent) {
                one.get();
            }
        } catch (ExecutionException e) {
            throw new KafkaException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaException(e);
        }
    }
}
