package io.inferwatch.jobs;

import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Topic;
import java.util.Arrays;
import java.util.Properties;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;

/** Our topics as all jobs read and write them. */
final class KafkaConnectors {
    private KafkaConnectors() {}

    /**
     * Reads topics, without state from their beginning; the deserializer is still to be set.
     *
     * @param group the consumer group that shows how far the job is
     */
    static <T> KafkaSourceBuilder<T> source(KafkaConnection kafka, String group, Topic... topics) {
        return KafkaSource.<T>builder()
                .setBootstrapServers(kafka.bootstrapServers())
                .setProperties(kafka.clientProperties())
                .setProperty("partition.discovery.interval.ms", "30000")
                .setGroupId(group)
                .setTopics(Arrays.stream(topics).map(Topic::topicName).toArray(String[]::new))
                .setStartingOffsets(OffsetsInitializer.earliest());
    }

    /** Writes a topic at least once; keys make that enough. */
    static Sink<OutboundRecord> sink(KafkaConnection kafka, Topic topic) {
        Properties producer = kafka.clientProperties();
        // A minute's end brings thousands of records at once; a few milliseconds make batches of them.
        producer.putIfAbsent("linger.ms", "5");
        producer.putIfAbsent("batch.size", "262144");
        producer.putIfAbsent("compression.type", "lz4");
        return KafkaSink.<OutboundRecord>builder()
                .setBootstrapServers(kafka.bootstrapServers())
                .setKafkaProducerConfig(producer)
                .setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE)
                .setRecordSerializer(OutboundRecord.to(topic.topicName()))
                .build();
    }
}
