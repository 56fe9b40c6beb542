package io.inferwatch.jobs.ingest;

import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A record on its way to Kafka, already encoded.
 *
 * @param key the record's key, if it has one
 * @param value the record's value
 * @param timestampMillis the record's time, epoch milliseconds
 */
public record OutboundRecord(byte @Nullable [] key, byte[] value, long timestampMillis) {

    /** Writes such records to one topic. */
    public static KafkaRecordSerializationSchema<OutboundRecord> to(String topicName) {
        return (record, context, timestamp) ->
                new ProducerRecord<>(topicName, null, record.timestampMillis, record.key, record.value);
    }
}
