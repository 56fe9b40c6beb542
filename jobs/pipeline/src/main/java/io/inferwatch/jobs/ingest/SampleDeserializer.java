package io.inferwatch.jobs.ingest;

import io.inferwatch.schemas.EngineHistogram;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.OperatorMetric;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.avro.Schema;
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

    /** Thousands of these can be added up. */
    private static final long MAX_NUMBER = 1_000_000_000_000_000L;

    /** Totals of bytes get larger; of these only differences are added up. */
    private static final long MAX_TOTAL = 4_000_000_000_000_000_000L;

    private final String catalogueYaml;
    private transient @Nullable EventCodec codec;
    private transient @Nullable Map<Metric.Origin, Checks> checks;

    /** What is looked at in samples of a kind. */
    private record Checks(List<Schema.Field> numbers, List<Schema.Field> sketches, Map<String, Metric> operators) {
        static Checks of(MetricCatalogue catalogue, Metric.Origin kind) {
            Schema schema = SampleFields.schema(kind);
            List<Schema.Field> numbers = new ArrayList<>();
            List<Schema.Field> sketches = new ArrayList<>();
            Map<String, Metric> operators = new HashMap<>();
            for (Metric metric : catalogue.metrics()) {
                if (metric.of() != kind || metric.kind() == Metric.Kind.HISTOGRAM) {
                    continue;
                }
                if (kind == Metric.Origin.OPERATORS) {
                    operators.put(metric.value(), metric);
                    continue;
                }
                for (String name : MetricValue.fields(metric.value())) {
                    Schema.Field field = schema.getField(name);
                    (SampleFields.isBytes(field) ? sketches : numbers).add(field);
                }
            }
            return new Checks(numbers, sketches, operators);
        }
    }

    /** Checks what the catalogue with that text reads. */
    public SampleDeserializer(String catalogueYaml) {
        this.catalogueYaml = catalogueYaml;
    }

    @Override
    public void open(DeserializationSchema.InitializationContext context) {
        codec = new EventCodec();
        MetricCatalogue catalogue = MetricCatalogue.parse("metric catalogue", catalogueYaml);
        Map<Metric.Origin, Checks> byKind = new EnumMap<>(Metric.Origin.class);
        for (Metric.Origin kind : SampleFields.KINDS) {
            byKind.put(kind, Checks.of(catalogue, kind));
        }
        checks = byKind;
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
        Map<Metric.Origin, Checks> byKind = checks;
        byte[] value = record.value();
        if (decoder == null || byKind == null) {
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
        List<String> problem = problem(record, event, Objects.requireNonNull(byKind.get(kind)));
        if (!problem.isEmpty()) {
            return faulty(record, problem.get(0), problem.get(1));
        }
        byte[] key = record.key();
        String subject = record.topic() + "/" + (key == null ? "" : new String(key, StandardCharsets.UTF_8));
        return new Sample(record, subject, SampleFields.atMicros(event), "", "");
    }

    /** The first thing that makes it nonsense, as reason and detail; nothing when there is none. */
    private List<String> problem(InboundRecord record, SpecificRecord event, Checks check) {
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
            return operatorProblem(operator, check);
        }
        for (Schema.Field field : check.numbers) {
            if (event.get(field.pos()) instanceof Number number) {
                List<String> problem = numberProblem(field.name(), number.longValue());
                if (!problem.isEmpty()) {
                    return problem;
                }
            }
        }
        for (Schema.Field field : check.sketches) {
            if (event.get(field.pos()) instanceof ByteBuffer bytes) {
                try {
                    var unused = SampleFields.sketch(bytes);
                } catch (IllegalArgumentException e) {
                    return List.of("invalid-sketch", field.name() + ": " + e.getMessage());
                }
            }
        }
        return event instanceof EngineSample engine ? histogramProblem(engine) : List.of();
    }

    private static List<String> numberProblem(String field, long number) {
        if (number < 0 && !field.endsWith("Celsius")) {
            return List.of("negative-value", field + ": must be at least 0, found " + number);
        }
        long most = field.endsWith("Total") ? MAX_TOTAL : MAX_NUMBER;
        return number > most
                ? List.of("implausible-value", field + ": must be at most " + most + ", found " + number)
                : List.of();
    }

    private static List<String> histogramProblem(EngineSample engine) {
        for (EngineHistogram histogram : engine.getHistograms()) {
            int bounds = histogram.getBoundsMicros().size();
            boolean isWhole = histogram.getTotals().size() == bounds + 1;
            for (int i = 1; i < bounds; i++) {
                isWhole &= histogram.getBoundsMicros().get(i)
                        > histogram.getBoundsMicros().get(i - 1);
            }
            if (!isWhole || histogram.getTotals().stream().anyMatch(total -> total < 0)) {
                return List.of(
                        "invalid-histogram",
                        "histograms: " + histogram.getSignal()
                                + ": must have rising bounds and one total from 0 on more than these, found "
                                + histogram.getBoundsMicros() + " and " + histogram.getTotals());
            }
        }
        return List.of();
    }

    private static List<String> operatorProblem(OperatorMetric operator, Checks check) {
        Metric metric = check.operators.get(operator.getName());
        if (metric == null) {
            return List.of(
                    "unknown-metric",
                    "name: must be one that the metric catalogue has for operators, found '" + operator.getName()
                            + "'");
        }
        double stored = operator.getValue() / metric.unit().scale();
        if (!(Math.abs(stored) <= MAX_NUMBER)) {
            return List.of(
                    "implausible-value",
                    operator.getName() + ": must be a number up to "
                            + MAX_NUMBER * metric.unit().scale() + ", found " + operator.getValue());
        }
        if (stored < 0 && metric.kind() == Metric.Kind.QUANTILE) {
            return List.of(
                    "negative-value",
                    operator.getName() + ": must be at least 0, as a distribution, found " + operator.getValue());
        }
        return List.of();
    }

    private static Sample faulty(InboundRecord record, String reason, String detail) {
        return new Sample(record, "", 0, reason, detail);
    }

    @Override
    public TypeInformation<Sample> getProducedType() {
        return TypeInformation.of(Sample.class);
    }
}
