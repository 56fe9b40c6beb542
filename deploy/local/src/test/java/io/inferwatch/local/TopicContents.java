package io.inferwatch.local;

import static java.util.Objects.requireNonNull;

import io.inferwatch.jobs.alert.Alerts;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.UndecodableEventException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** All records of a topic, decoded, partition by partition in their order. */
final class TopicContents {
    private TopicContents() {}

    static List<SpecificRecord> of(String bootstrapServers, Topic topic) {
        EventCodec codec = new EventCodec();
        List<SpecificRecord> records = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrapServers, "isolation.level", "read_committed"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic.topicName()).stream()
                    .map(info -> new TopicPartition(info.topic(), info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (partitions.stream().anyMatch(p -> consumer.position(p) < requireNonNull(ends.get(p)))) {
                consumer.poll(Duration.ofSeconds(1)).forEach(record -> {
                    try {
                        records.add(codec.decode(record.value()));
                    } catch (UndecodableEventException e) {
                        throw new AssertionError(topic + " offset " + record.offset() + " cannot be read", e);
                    }
                });
            }
        }
        return records;
    }

    /** All changes of alerts, without the one that always fires. */
    static List<Alert> alerts(String bootstrapServers) {
        return of(bootstrapServers, Topic.ALERTS).stream()
                .map(Alert.class::cast)
                .filter(alert -> !alert.getName().equals(Alerts.WATCHDOG))
                .toList();
    }
}
