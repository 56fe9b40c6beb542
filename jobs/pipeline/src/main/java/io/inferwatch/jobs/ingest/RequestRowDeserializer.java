package io.inferwatch.jobs.ingest;

import io.inferwatch.schemas.catalogue.MetricCatalogue;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Kafka records to rows. Nothing makes it throw: what cannot be decoded comes out as a faulty row, so that no record can stop the job. */
public final class RequestRowDeserializer implements KafkaRecordDeserializationSchema<RequestRow> {
    private static final byte[] EMPTY = {};

    private final String catalogueYaml;
    private transient @Nullable RowDecoder decoder;
    private transient @Nullable RequestRow row;

    /** Decodes what the catalogue with that text names. */
    public RequestRowDeserializer(String catalogueYaml) {
        this.catalogueYaml = catalogueYaml;
    }

    @Override
    public void open(DeserializationSchema.InitializationContext context) {
        EventLayout layout = EventLayout.of(MetricCatalogue.parse("metric catalogue", catalogueYaml));
        decoder = new RowDecoder(layout);
        row = new RequestRow(layout, new TextTable());
    }

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<RequestRow> out) {
        RequestRow current = row;
        RowDecoder rowDecoder = decoder;
        if (current == null || rowDecoder == null) {
            throw new IllegalStateException("deserialize() before open()");
        }
        byte[] value = record.value();
        current.begin(
                record.partition(), record.offset(), record.timestamp(), record.key(), value == null ? EMPTY : value);
        if (value == null) {
            current.kind(RequestRow.Kind.TOMBSTONE);
        } else {
            rowDecoder.decode(current);
        }
        out.collect(current);
    }

    @Override
    public TypeInformation<RequestRow> getProducedType() {
        return RequestRow.type();
    }
}
