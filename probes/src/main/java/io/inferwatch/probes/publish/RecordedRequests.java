package io.inferwatch.probes.publish;

import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.UndecodableEventException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads what probes have published, from a moment to the present, each event once. Reads beside all others and commits nothing. */
public final class RecordedRequests {
    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final KafkaSettings kafka;
    private final EventCodec codec = new EventCodec();
    private final Map<String, Set<Long>> seen = new HashMap<>();
    private long undecodable;

    /** Those of one Kafka. */
    public RecordedRequests(KafkaSettings kafka) {
        this.kafka = kafka;
    }

    /** Records that were no events. */
    public long undecodable() {
        return undecodable;
    }

    /**
     * Hands over the events that were appended since a moment, partition by partition, to the end as it is now.
     *
     * @throws UnreachableKafkaException when Kafka does not answer or lacks the topic
     */
    public void since(Instant from, Consumer<RequestEvent> events) {
        kafka.requireTopic(Topic.REQUESTS, PATIENCE);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(kafka.consumer(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(Topic.REQUESTS.topicName(), PATIENCE).stream()
                    .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
                    .toList();
            consumer.assign(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, PATIENCE);
            Map<TopicPartition, Long> times = new HashMap<>();
            partitions.forEach(partition -> times.put(partition, from.toEpochMilli()));
            Map<TopicPartition, OffsetAndTimestamp> begins = consumer.offsetsForTimes(times, PATIENCE);
            ends.forEach((partition, end) -> {
                OffsetAndTimestamp begin = begins.get(partition);
                consumer.seek(partition, begin == null ? end : begin.offset());
            });
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(POLL).forEach(record -> read(record, events));
            }
        } catch (KafkaException e) {
            throw new UnreachableKafkaException("Kafka at " + kafka.bootstrapServers() + ": must be readable, found: "
                    + kafka.masked(String.valueOf(e.getMessage())));
        }
    }

    private void read(ConsumerRecord<byte[], byte[]> record, Consumer<RequestEvent> events) {
        try {
            // Heartbeats lie in the same topic.
            if (codec.decode(record.value()) instanceof RequestEvent event
                    && seen.computeIfAbsent(event.getStream(), stream -> new HashSet<>())
                            .add(event.getSequence())) {
                events.accept(event);
            }
        } catch (UndecodableEventException e) {
            undecodable++;
        }
    }
}
