package io.inferwatch.local;

import static java.util.Objects.requireNonNull;

import io.inferwatch.local.ExactWindows.WindowKey;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.schemas.WindowStat;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The windows in Kafka, read as they come; of the revisions of a window the one with the most requests, as every consumer has it. */
final class PublishedWindows implements AutoCloseable {
    private record Id(String series, long windowMicros, long endMicros) {}

    private record Revision(long requests, byte[] bytes) {}

    private final EventCodec codec = new EventCodec();
    private final Map<Id, Revision> windows = new HashMap<>();
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final List<TopicPartition> partitions;
    private Instant newest = Instant.EPOCH;

    PublishedWindows(String bootstrapServers) {
        consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrapServers),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        partitions = consumer.partitionsFor(Topic.WINDOWS.topicName()).stream()
                .map(info -> new TopicPartition(info.topic(), info.partition()))
                .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
    }

    /** The latest end of any window so far. */
    Instant newest() {
        readOn();
        return newest;
    }

    /** The windows of one length with requests in them. */
    Map<WindowKey, WindowStat> read(long windowMicros, LongPredicate endMicros) {
        readOn();
        Map<WindowKey, WindowStat> read = new HashMap<>();
        windows.forEach((id, revision) -> {
            if (id.windowMicros == windowMicros && endMicros.test(id.endMicros) && revision.requests > 0) {
                WindowStat stat = decode(revision.bytes);
                Map<String, String> dimensions = new TreeMap<>();
                for (Dimension dimension : stat.getDimensions()) {
                    dimensions.put(dimension.getName(), dimension.getValue());
                }
                read.put(new WindowKey(stat.getView(), dimensions, id.windowMicros, id.endMicros), stat);
            }
        });
        return read;
    }

    private void readOn() {
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        while (partitions.stream().anyMatch(p -> consumer.position(p) < requireNonNull(ends.get(p)))) {
            consumer.poll(Duration.ofSeconds(1)).forEach(this::take);
        }
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        WindowStat stat = decode(record.value());
        windows.merge(
                new Id(stat.getSeries(), stat.getWindowMicros(), stat.getWindowEndMicros()),
                new Revision(stat.getRequests(), record.value()),
                (a, b) -> a.requests >= b.requests ? a : b);
        Instant end = Instant.ofEpochMilli(stat.getWindowEndMicros() / 1000);
        newest = end.isAfter(newest) ? end : newest;
    }

    private WindowStat decode(byte[] bytes) {
        try {
            return codec.decode(bytes, WindowStat.class);
        } catch (UndecodableEventException e) {
            throw new AssertionError("a window cannot be read", e);
        }
    }

    @Override
    public void close() {
        consumer.close();
    }
}
