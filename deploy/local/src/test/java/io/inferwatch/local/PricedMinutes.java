package io.inferwatch.local;

import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.MetricGauge;
import io.inferwatch.schemas.MetricSum;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.WindowStat;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Minutes of a device and its requests as windows, one after the other, and what the running job says that they cost. */
final class PricedMinutes implements AutoCloseable {
    private static final long MINUTE_MICROS = 60_000_000;
    private static final String MODEL = "priced";

    private final EventCodec codec = new EventCodec();
    private final KafkaConnection kafka;
    private final KafkaProducer<byte[], byte[]> producer;
    private long endMicros;

    /** From a minute's end on. */
    PricedMinutes(KafkaConnection kafka, long endMicros) {
        this.kafka = kafka;
        this.endMicros = endMicros;
        producer = new KafkaProducer<>(kafka.clientProperties(), new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Publishes the next minute: on every partition, so that event time goes on. */
    void next() {
        endMicros += MINUTE_MICROS;
        int partitions = producer.partitionsFor(Topic.WINDOWS.topicName()).size();
        for (int partition = 0; partition < partitions; partition++) {
            String replica = "priced-" + partition;
            WindowStat device = window(
                    "gpu-product",
                    new Dimension("product", "A100"),
                    new Dimension("replica", replica),
                    new Dimension("model", MODEL));
            device.setGauges(List.of(new MetricGauge("gpu_memory", 1L, 0L, 0L, 0L, 0L, 0L, MINUTE_MICROS, 0.0)));
            WindowStat requests =
                    window("replica-version", new Dimension("replica", replica), new Dimension("version", "v1"));
            requests.setSums(List.of(new MetricSum("generated_tokens", 1_000L)));
            for (WindowStat window : List.of(device, requests)) {
                var unused = producer.send(new ProducerRecord<>(
                        Topic.WINDOWS.topicName(),
                        partition,
                        endMicros / 1_000,
                        window.getSeries().getBytes(StandardCharsets.UTF_8),
                        codec.encode(window)));
            }
        }
        producer.flush();
    }

    /** Dollars by the end of their minute; not a number without a price. */
    NavigableMap<Long, Double> dollars() {
        NavigableMap<Long, Double> dollars = new TreeMap<>();
        TopicContents.of(kafka.bootstrapServers(), Topic.RESULTS).stream()
                .filter(FigureResult.class::isInstance)
                .map(FigureResult.class::cast)
                .filter(result -> result.getKind().equals("cost")
                        && result.getDimensions().contains(new Dimension("model", MODEL)))
                .forEach(result -> dollars.put(
                        result.getWindowEndMicros(),
                        Objects.requireNonNullElse(result.getValues().get("dollars"), Double.NaN)));
        return dollars;
    }

    /** The last minute's; not a number without a price, or a minute. */
    double lastDollars() {
        Map.Entry<Long, Double> last = dollars().lastEntry();
        return last == null ? Double.NaN : last.getValue();
    }

    private WindowStat window(String view, Dimension... dimensions) {
        return new WindowStat(
                view + "/" + List.of(dimensions).hashCode(),
                view,
                List.of(dimensions),
                MINUTE_MICROS,
                endMicros,
                0,
                1L,
                List.of(),
                List.of(),
                List.of(),
                List.of());
    }

    @Override
    public void close() {
        producer.close();
    }
}
