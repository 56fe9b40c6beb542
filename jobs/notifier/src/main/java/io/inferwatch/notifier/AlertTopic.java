package io.inferwatch.notifier;

import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.UndecodableEventException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the compacted topic of alerts from its beginning, every partition by itself and without a group, so that a new notifier knows all that fires and
 * two of them disturb each other in nothing. Of what lay in it at the beginning only each alert's last state counts. Not thread safe.
 */
final class AlertTopic implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AlertTopic.class);
    private static final Duration POLL = Duration.ofMillis(500);

    private final EventCodec codec = new EventCodec();
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final AlertBook book;
    private final NotifierCounts counts;
    private final InstantSource clock;

    AlertTopic(Properties properties, AlertBook book, NotifierCounts counts, InstantSource clock) {
        this.consumer = new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        this.book = book;
        this.counts = counts;
        this.clock = clock;
    }

    /** Reads what is there; throws Kafka's exception where it does not answer, ours where there is no such topic. */
    void catchUp() {
        List<PartitionInfo> known = consumer.partitionsFor(Topic.ALERTS.topicName());
        if (known == null || known.isEmpty()) {
            throw new InvalidOptionsException(
                    List.of("topic " + Topic.ALERTS.topicName() + ": does not exist; inferwatch setup kafka makes it"));
        }
        List<TopicPartition> partitions = known.stream()
                .map(info -> new TopicPartition(info.topic(), info.partition()))
                .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        Map<String, ConsumerRecord<byte[], byte[]>> latest = new HashMap<>();
        while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
            consumer.poll(POLL).forEach(record -> latest.put(key(record), record));
        }
        Instant now = clock.instant();
        latest.forEach((key, record) -> {
            Decoded decoded = decode(record);
            if (decoded.isReadable) {
                book.recall(key, decoded.alert, Instant.ofEpochMilli(record.timestamp()), now);
            }
        });
    }

    /** Reads what has come since, and waits half a second for it. */
    void read() {
        consumer.poll(POLL).forEach(record -> {
            Decoded decoded = decode(record);
            if (decoded.isReadable) {
                book.hear(key(record), decoded.alert, clock.instant());
            }
        });
    }

    /** An alert, null where it was taken back, or what cannot be read. */
    private record Decoded(@Nullable Alert alert, boolean isReadable) {}

    private Decoded decode(ConsumerRecord<byte[], byte[]> record) {
        if (record.value() == null) {
            return new Decoded(null, true);
        }
        try {
            return new Decoded(codec.decode(record.value(), Alert.class), true);
        } catch (UndecodableEventException e) {
            counts.unreadable.increment();
            LOG.error("Record {} of {} is no alert: {}", record.offset(), record.topic(), e.getMessage());
            return new Decoded(null, false);
        }
    }

    private static String key(ConsumerRecord<byte[], byte[]> record) {
        return record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        consumer.close();
    }
}
