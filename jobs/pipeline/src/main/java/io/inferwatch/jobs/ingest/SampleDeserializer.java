package io.inferwatch.jobs.ingest;

import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.OperatorMetric;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.avro.specific.SpecificRecord;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Kafka records to samples. Nothing makes it throw: what cannot be used comes out as faulty, with the reason. */
public final class SampleDeserializer implements KafkaRecordDeserializationSchema<Sample> {
    private static final long serialVersionUID = 1;

    /** Totals of bytes get this large, and nothing else that is meant. */
    private static final long MAX_NUMBER = 4_000_000_000_000_000_000L;

    private final String catalogueYaml;
    private transient @Nullable EventCodec codec;
    private transient @Nullable MetricCatalogue catalogue;

    /** Checks what the catalogue with that text reads. */
    public SampleDeserializer(String catalogueYaml) {
        this.catalogueYaml = catalogueYaml;
    }

    @Override
    public void open(DeserializationSchema.InitializationContext context) {
        codec = new EventCodec();
        catalogue = MetricCatalogue.parse("metric catalogue", catalogueYaml);
    }

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> consumed, Collector<Sample> out) {
        out.collect(sample(new InboundRecord(
                consumed.topic(),
                consumed.partition(),
                consumed.offset(),
                consumed.timestamp(),
                consumed.key(),
                consumed.value())));
    }

    private Sample sample(InboundRecord record) {
        EventCodec decoder = codec;
        byte[] value = record.value();
        if (decoder == null) {
            throw new IllegalStateException("deserialize() before open()");
        }
        if (value == null) {
            return faulty(record, "tombstone", "value: must be a sample, found nothing");
        }
        SpecificRecord event;
        Metric.Origin kind;
        try {
            event = decoder.decode(value);
            kind = SampleFields.kind(event);
        } catch (UndecodableEventException e) {
            return faulty(record, e.reason().label(), String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            return faulty(record, "unexpected-record", String.valueOf(e.getMessage()));
        }
        List<String> problem = problem(record, event, kind);
        if (!problem.isEmpty()) {
            return faulty(record, problem.get(0), problem.get(1));
        }
        byte[] key = record.key();
        String subject = record.topic() + "/" + (key == null ? "" : new String(key, StandardCharsets.UTF_8));
        return new Sample(record, subject, SampleFields.atMicros(event), "", "");
    }

    /** The first thing that makes it nonsense, as reason and detail; nothing when there is none. */
    private List<String> problem(InboundRecord record, SpecificRecord event, Metric.Origin kind) {
        long at = SampleFields.atMicros(event);
        if (at <= 0) {
            return List.of("implausible-value", "event time: must be after 1970, found " + at + " us");
        }
        if (at / 1000 > record.timestampMillis() + EventTime.FUTURE_TOLERANCE.toMillis()) {
            return List.of(
                    "future",
                    "event time: must be at most " + EventTime.FUTURE_TOLERANCE.toMinutes() + " min after the broker's "
                            + record.timestampMillis() + " ms, found " + at + " us");
        }
        if (event instanceof OperatorMetric operator) {
            return operatorProblem(operator);
        }
        for (String field : numbersOf(kind)) {
            long number = SampleFields.number(event, field);
            if (number != RequestRow.ABSENT && number < 0 && !field.endsWith("Celsius")) {
                return List.of("negative-value", field + ": must be at least 0, found " + number);
            }
            if (number > MAX_NUMBER) {
                return List.of("implausible-value", field + ": must be at most " + MAX_NUMBER + ", found " + number);
            }
        }
        return List.of();
    }

    private List<String> operatorProblem(OperatorMetric operator) {
        Optional<Metric> metric = known().metrics().stream()
                .filter(m -> m.of() == Metric.Origin.OPERATORS && m.value().equals(operator.getName()))
                .findFirst();
        if (metric.isEmpty()) {
            return List.of(
                    "unknown-metric",
                    "name: must be one that the metric catalogue has for operators, found '" + operator.getName()
                            + "'");
        }
        double stored = operator.getValue() / metric.get().unit().scale();
        if (!(Math.abs(stored) <= MAX_NUMBER)) {
            return List.of(
                    "implausible-value",
                    operator.getName() + ": must be finite and plausible, found " + operator.getValue());
        }
        return List.of();
    }

    private List<String> numbersOf(Metric.Origin kind) {
        List<String> fields = new ArrayList<>();
        for (Metric metric : known().metrics()) {
            if (metric.of() == kind
                    && metric.kind() != Metric.Kind.HISTOGRAM
                    && metric.kind() != Metric.Kind.QUANTILE) {
                fields.addAll(MetricValue.fields(metric.value()));
            }
        }
        return fields;
    }

    private MetricCatalogue known() {
        MetricCatalogue present = catalogue;
        if (present == null) {
            throw new IllegalStateException("deserialize() before open()");
        }
        return present;
    }

    private static Sample faulty(InboundRecord record, String reason, String detail) {
        return new Sample(record, "", 0, reason, detail);
    }

    @Override
    public TypeInformation<Sample> getProducedType() {
        return TypeInformation.of(Sample.class);
    }
}
