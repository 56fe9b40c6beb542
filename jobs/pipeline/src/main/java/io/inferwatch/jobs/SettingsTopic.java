package io.inferwatch.jobs;

import io.inferwatch.jobs.detect.PresentSettings;
import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.schemas.Topic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the topic of settings once, without a group. */
public final class SettingsTopic {
    private static final Logger LOG = LoggerFactory.getLogger(SettingsTopic.class);
    private static final String TIMEOUT_MILLIS = "30000";
    private static final Duration POLL = Duration.ofMillis(200);

    private SettingsTopic() {}

    /** What is set now. A Kafka that does not answer is no reason to stop: settings come by the topic too, a moment later. */
    public static PresentSettings present(KafkaConnection kafka) {
        Properties properties = kafka.clientProperties();
        properties.putIfAbsent("default.api.timeout.ms", TIMEOUT_MILLIS);
        properties.putIfAbsent("request.timeout.ms", TIMEOUT_MILLIS);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            return PresentSettings.of(read(consumer));
        } catch (KafkaException e) {
            LOG.warn("Settings cannot be read before the job begins: {}", e.toString());
            return PresentSettings.NONE;
        }
    }

    private static List<InboundRecord> read(KafkaConsumer<byte[], byte[]> consumer) {
        List<PartitionInfo> known = consumer.partitionsFor(Topic.CONFIG.topicName());
        List<TopicPartition> partitions = (known == null ? List.<PartitionInfo>of() : known)
                .stream()
                        .map(info -> new TopicPartition(info.topic(), info.partition()))
                        .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        List<InboundRecord> records = new ArrayList<>();
        while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
            consumer.poll(POLL)
                    .forEach(record -> records.add(new InboundRecord(
                            record.topic(),
                            record.partition(),
                            record.offset(),
                            record.timestamp(),
                            record.key(),
                            record.value())));
        }
        return records;
    }
}
