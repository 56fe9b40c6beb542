package io.inferwatch.probes;

import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.servers.KafkaBroker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** All that is in the requests topic of a broker at one moment, in the order of each partition. */
public record RequestsTopic(List<RequestEvent> events, List<Heartbeat> heartbeats) {
    private static final int PARTITIONS = 4;

    /** Makes the topic as production has it. */
    public static void create(KafkaBroker broker) {
        broker.createTopic(Topic.REQUESTS.topicName(), PARTITIONS, Topic.REQUESTS.kafkaSettings());
    }

    /** Reads to the end as it is now. */
    public static RequestsTopic read(KafkaBroker broker) {
        return read(broker, "");
    }

    /** Reads to the end as it is now, and keeps the streams whose names begin like this. */
    public static RequestsTopic read(KafkaBroker broker, String streams) {
        List<RequestEvent> events = new ArrayList<>();
        List<Heartbeat> heartbeats = new ArrayList<>();
        EventCodec codec = new EventCodec();
        try {
            for (ConsumerRecord<byte[], byte[]> record : records(broker)) {
                SpecificRecord decoded = codec.decode(record.value());
                String key = new String(record.key(), StandardCharsets.UTF_8);
                if (decoded instanceof RequestEvent event && event.getStream().startsWith(streams)) {
                    require(key.equals(event.getReplica()), key);
                    events.add(event);
                } else if (decoded instanceof Heartbeat heartbeat
                        && heartbeat.getStream().startsWith(streams)) {
                    require(key.equals(heartbeat.getReplica()), key);
                    heartbeats.add(heartbeat);
                }
            }
        } catch (UndecodableEventException e) {
            throw new AssertionError(e);
        }
        return new RequestsTopic(events, heartbeats);
    }

    /** Every key and value as it is in Kafka. */
    public static List<byte[]> encoded(KafkaBroker broker) {
        return records(broker).stream()
                .flatMap(record -> Stream.of(record.key(), record.value()))
                .toList();
    }

    private static List<ConsumerRecord<byte[], byte[]>> records(KafkaBroker broker) {
        return records(broker, Topic.REQUESTS);
    }

    /** Every record of a topic. */
    public static List<ConsumerRecord<byte[], byte[]>> records(KafkaBroker broker, Topic topic) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", broker.bootstrapServers()),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            List<TopicPartition> all = new ArrayList<>();
            consumer.partitionsFor(topic.topicName())
                    .forEach(partition -> all.add(new TopicPartition(partition.topic(), partition.partition())));
            consumer.assign(all);
            consumer.seekToBeginning(all);
            Map<TopicPartition, Long> ends = consumer.endOffsets(all);
            while (all.stream()
                    .anyMatch(partition -> consumer.position(partition) < ends.getOrDefault(partition, 0L))) {
                consumer.poll(Duration.ofSeconds(1)).forEach(records::add);
            }
        }
        return records;
    }

    /** Sequences of a stream in the order in which they stand in the topic, repeats included. */
    public List<Long> sequences(String stream) {
        return events.stream()
                .filter(event -> event.getStream().equals(stream))
                .map(RequestEvent::getSequence)
                .toList();
    }

    /** For each stream the sequences without repeats, in the order of their first occurrence. */
    public Map<String, List<Long>> distinctSequences() {
        Map<String, List<Long>> sequences = new LinkedHashMap<>();
        Map<String, Set<Long>> seen = new HashMap<>();
        for (RequestEvent event : events) {
            if (seen.computeIfAbsent(event.getStream(), stream -> new HashSet<>())
                    .add(event.getSequence())) {
                sequences
                        .computeIfAbsent(event.getStream(), stream -> new ArrayList<>())
                        .add(event.getSequence());
            }
        }
        return sequences;
    }

    /** Events without repeats: the first of each stream and sequence. */
    public List<RequestEvent> distinctEvents() {
        Map<String, RequestEvent> first = new LinkedHashMap<>();
        for (RequestEvent event : events) {
            first.putIfAbsent(event.getStream() + "#" + event.getSequence(), event);
        }
        return List.copyOf(first.values());
    }

    private static void require(boolean keyIsReplica, String key) {
        if (!keyIsReplica) {
            throw new AssertionError("key: must be the replica, found " + key);
        }
    }
}
