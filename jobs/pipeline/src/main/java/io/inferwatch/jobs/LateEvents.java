package io.inferwatch.jobs;

import io.inferwatch.jobs.window.Hours;
import io.inferwatch.schemas.Topic;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Events that came too late for their windows, where they were set aside: stamped with their event time, so that none needs to be decoded. */
final class LateEvents {
    private static final Duration POLL = Duration.ofSeconds(1);

    private LateEvents() {}

    /** How many of them belong to the hours. */
    static long count(KafkaConnection kafka, Hours hours) {
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                kafka.clientProperties(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(Topic.LATE.topicName()).stream()
                    .map(info -> new TopicPartition(info.topic(), info.partition()))
                    .toList();
            consumer.assign(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            Map<TopicPartition, OffsetAndTimestamp> begins = consumer.offsetsForTimes(
                    partitions.stream().collect(Collectors.toMap(Function.identity(), p -> hours.from()
                            .toEpochMilli())));
            for (TopicPartition partition : partitions) {
                OffsetAndTimestamp begin = begins.get(partition);
                consumer.seek(partition, begin == null ? end(ends, partition) : begin.offset());
            }
            long count = 0;
            while (partitions.stream().anyMatch(p -> consumer.position(p) < end(ends, p))) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    count += hours.holdTime(record.timestamp()) ? 1 : 0;
                }
            }
            return count;
        }
    }

    private static long end(Map<TopicPartition, Long> ends, TopicPartition partition) {
        return Objects.requireNonNull(ends.get(partition));
    }
}
