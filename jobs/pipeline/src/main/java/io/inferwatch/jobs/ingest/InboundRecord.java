package io.inferwatch.jobs.ingest;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A record as it lies in Kafka, with its place.
 *
 * @param timestampMillis the record's time, epoch milliseconds
 * @param value null for the mark that a compacted key is gone
 */
public record InboundRecord(
        String topic,
        int partition,
        long offset,
        long timestampMillis,
        byte @Nullable [] key,
        byte @Nullable [] value) {

    /** Reads records as they are: nothing in them can stop the source. */
    public static KafkaRecordDeserializationSchema<InboundRecord> deserializer() {
        return new Deserializer();
    }

    private static final class Deserializer implements KafkaRecordDeserializationSchema<InboundRecord> {
        private static final long serialVersionUID = 1;

        @Override
        public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<InboundRecord> out) {
            out.collect(new InboundRecord(
                    record.topic(),
                    record.partition(),
                    record.offset(),
                    record.timestamp(),
                    record.key(),
                    record.value()));
        }

        @Override
        public TypeInformation<InboundRecord> getProducedType() {
            return TypeInformation.of(InboundRecord.class);
        }
    }
}
