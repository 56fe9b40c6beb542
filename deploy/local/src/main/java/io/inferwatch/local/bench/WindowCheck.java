package io.inferwatch.local.bench;

import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.schemas.WindowStat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Looks whether the windows that a run wrote hold every request once: a fast job that loses events is not fast. */
final class WindowCheck {
    private static final long PANE_MICROS = 10_000_000;
    private static final List<Topic> WRITTEN = List.of(Topic.WINDOWS, Topic.LATE, Topic.DEAD_LETTERS);

    private final KafkaConnection kafka;
    private final Map<TopicPartition, Long> from;

    /**
     * What a run wrote.
     *
     * @param expected requests
     * @param counted requests in the ten-second windows of a view, by the last revision of each
     * @param windows all windows written, revisions included
     * @param refused late events and dead letters
     */
    record Result(long expected, long counted, long windows, long refused) {
        boolean isWhole() {
            return expected == counted && refused == 0;
        }

        String sentence() {
            return isWhole()
                    ? String.format(Locale.ROOT, "%,d, every request once", windows)
                    : String.format(
                            Locale.ROOT, "%,d of %,d requests, %,d late or refused", counted, expected, refused);
        }
    }

    private WindowCheck(KafkaConnection kafka, Map<TopicPartition, Long> from) {
        this.kafka = kafka;
        this.from = from;
    }

    /** Begins where the topics end now. */
    static WindowCheck begin(KafkaConnection kafka) {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(kafka)) {
            return new WindowCheck(kafka, ends(consumer));
        }
    }

    /** Reads what was written since the beginning; the view is one that takes every request. */
    Result end(long expectedRequests, String view) throws UndecodableEventException {
        EventCodec codec = new EventCodec();
        Map<String, Long> counts = new HashMap<>();
        long windows = 0;
        long refused = 0;
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(kafka)) {
            Map<TopicPartition, Long> ends = ends(consumer);
            long left = 0;
            for (Map.Entry<TopicPartition, Long> end : ends.entrySet()) {
                long written = end.getValue() - from.getOrDefault(end.getKey(), 0L);
                if (end.getKey().topic().equals(Topic.WINDOWS.topicName())) {
                    left += written;
                } else {
                    refused += written;
                }
            }
            List<TopicPartition> partitions = ends.keySet().stream()
                    .filter(partition -> partition.topic().equals(Topic.WINDOWS.topicName()))
                    .toList();
            consumer.assign(partitions);
            partitions.forEach(partition -> consumer.seek(partition, from.getOrDefault(partition, 0L)));
            while (left > 0) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
                    left--;
                    windows++;
                    WindowStat window = codec.decode(record.value(), WindowStat.class);
                    if (window.getView().equals(view) && window.getWindowMicros() == PANE_MICROS) {
                        counts.merge(
                                window.getSeries() + "@" + window.getWindowEndMicros(),
                                window.getRequests(),
                                Math::max);
                    }
                }
            }
        }
        long counted = counts.values().stream().mapToLong(Long::longValue).sum();
        return new Result(expectedRequests, counted, windows, refused);
    }

    private static Map<TopicPartition, Long> ends(KafkaConsumer<byte[], byte[]> consumer) {
        List<TopicPartition> partitions = new ArrayList<>();
        for (Topic topic : WRITTEN) {
            consumer.partitionsFor(topic.topicName())
                    .forEach(partition -> partitions.add(new TopicPartition(partition.topic(), partition.partition())));
        }
        return consumer.endOffsets(partitions);
    }

    private static KafkaConsumer<byte[], byte[]> consumer(KafkaConnection kafka) {
        return new KafkaConsumer<>(kafka.clientProperties(), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }
}
