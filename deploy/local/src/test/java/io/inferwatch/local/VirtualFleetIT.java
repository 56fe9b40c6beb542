package io.inferwatch.local;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.jobs.JobDefaults;
import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.jobs.KafkaTopics;
import io.inferwatch.jobs.MeasureJob;
import io.inferwatch.jobs.MeasureSettings;
import io.inferwatch.local.ExactWindows.WindowKey;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.MetricSketch;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.servers.KafkaBroker;
import io.inferwatch.simulation.fleet.FleetSink;
import io.inferwatch.simulation.fleet.PoissonLoad;
import io.inferwatch.simulation.fleet.VirtualFleet;
import io.inferwatch.simulation.serving.Fault;
import io.inferwatch.simulation.serving.ServerSpec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;
import org.apache.avro.specific.SpecificRecord;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/**
 * Twelve minutes of three simulated servers, seed 7, one of which is a slow node for the second half, through the job that makes windows.
 */
class VirtualFleetIT {
    private static final Duration HALF = Duration.ofMinutes(6);
    private static final String SLOW = "replica-1";

    private final EventCodec codec = new EventCodec();
    private final List<RequestEvent> events = new ArrayList<>();

    @Test
    void anIncidentStandsInTheWindowsOfItsReplicaAndInNoOthers() throws Exception {
        Instant start = Instant.now().truncatedTo(ChronoUnit.HOURS).minus(Duration.ofHours(3));
        long faultMicros = ChronoUnit.MICROS.between(Instant.EPOCH, start.plus(HALF));
        try (KafkaBroker broker = KafkaBroker.start()) {
            KafkaConnection kafka = KafkaConnection.to(broker.bootstrapServers());
            KafkaTopics.create(kafka, 3, (short) 1);
            publish(start, kafka);
            measure(kafka);
            try (PublishedWindows published = new PublishedWindows(broker.bootstrapServers())) {
                Map<WindowKey, WindowStat> windows = published.read(ExactWindows.MINUTE, end -> true);
                assertThat(published.newest()).isAfterOrEqualTo(start.plus(HALF).plus(HALF));
                for (int i = 0; i < 3; i++) {
                    String replica = "replica-" + i;
                    double before = p99Micros(replica, windows, end -> end <= faultMicros);
                    double after = p99Micros(replica, windows, end -> end > faultMicros);
                    if (replica.equals(SLOW)) {
                        assertThat(after).isGreaterThan(2 * before);
                    } else {
                        assertThat(after).isLessThan(1.5 * before);
                    }
                }
            }
        }
    }

    /** From the windows, once it is the same as from the requests themselves. */
    private double p99Micros(String replica, Map<WindowKey, WindowStat> windows, LongPredicate endMicros) {
        QuantileSketch sketch = new QuantileSketch();
        windows.forEach((key, window) -> {
            if (key.view().equals("replica-version")
                    && replica.equals(key.dimensions().get("replica"))
                    && endMicros.test(key.endMicros())) {
                window.getSketches().stream()
                        .filter(metric -> metric.getMetric().equals("ttft"))
                        .map(MetricSketch::getSketch)
                        .forEach(bytes -> sketch.merge(SketchEncoding.decode(
                                bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining())));
            }
        });
        long[] sorted = events.stream()
                .filter(event -> event.getReplica().equals(replica)
                        && endMicros.test(
                                (event.getCompletedAtMicros() / ExactWindows.MINUTE + 1) * ExactWindows.MINUTE))
                .mapToLong(event -> requireNonNull(event.getTtftMicros()))
                .sorted()
                .toArray();
        assertThat(sketch.n()).as(replica).isEqualTo(sorted.length).isGreaterThan(500);
        double exact = sorted[(int) Math.ceil(0.99 * sorted.length) - 1];
        assertThat(sketch.quantile(0.99)).as(replica).isCloseTo(exact, within(0.004 * exact));
        return exact;
    }

    private void publish(Instant start, KafkaConnection kafka) {
        var properties = kafka.clientProperties();
        properties.put("linger.ms", "5");
        properties.put("bootstrap.servers", kafka.bootstrapServers());
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
            FleetSink sink = new FleetSink() {
                @Override
                public void accept(RequestEvent event) {
                    events.add(event);
                    send(event.getReplica(), event);
                }

                @Override
                public void accept(Heartbeat heartbeat) {
                    send(heartbeat.getReplica(), heartbeat);
                }

                private void send(String replica, SpecificRecord record) {
                    var unused = producer.send(new ProducerRecord<>(
                            Topic.REQUESTS.topicName(),
                            replica.getBytes(StandardCharsets.UTF_8),
                            codec.encode(record)));
                }
            };
            VirtualFleet fleet = new VirtualFleet(
                    "incident",
                    IntStream.range(0, 3).mapToObj(i -> ServerSpec.usual(i, 7)).toList(),
                    PoissonLoad.of(6, 7),
                    start,
                    sink);
            fleet.switchOn(HALF, SLOW, Fault.SLOW_NODE, 3);
            fleet.run(HALF.plus(HALF));
            producer.flush();
        }
    }

    private static void measure(KafkaConnection kafka) throws Exception {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.createLocalEnvironment(2, JobDefaults.configuration());
        String catalogue = MetricCatalogue.shippedYaml();
        MeasureJob.build(
                environment,
                new MeasureJob.Sources(
                        MeasureJob.requests(kafka, catalogue)
                                .setBounded(OffsetsInitializer.latest())
                                .build(),
                        MeasureJob.samples(kafka, catalogue)
                                .setBounded(OffsetsInitializer.latest())
                                .build()),
                MeasureJob.Sinks.kafka(kafka),
                catalogue,
                MeasureSettings.parse("test", "{idleness: 1h, alignment-drift: 1h}"));
        environment.execute(MeasureJob.NAME);
    }
}
