package io.inferwatch.local;

import io.inferwatch.jobs.DetectJob;
import io.inferwatch.jobs.JobDefaults;
import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.jobs.MeasureJob;
import io.inferwatch.jobs.MeasureSettings;
import io.inferwatch.jobs.SettingsTopic;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.simulation.fleet.FleetSink;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.avro.specific.SpecificRecord;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A fleet in virtual time through the real jobs, each run to the end of what there is. */
final class VirtualRun {
    private final KafkaConnection kafka;
    private final String catalogue;
    private final EventCodec codec = new EventCodec();

    /** With the catalogue that is shipped. */
    VirtualRun(KafkaConnection kafka) {
        this(kafka, MetricCatalogue.shippedYaml());
    }

    VirtualRun(KafkaConnection kafka, String catalogue) {
        this.kafka = kafka;
        this.catalogue = catalogue;
    }

    /** Publishes what a fleet's probes would, and returns the requests. */
    List<RequestEvent> publish(Consumer<FleetSink> fleet) {
        List<RequestEvent> events = new ArrayList<>();
        var properties = kafka.clientProperties();
        properties.put("linger.ms", "5");
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
            fleet.accept(new FleetSink() {
                @Override
                public void accept(RequestEvent event) {
                    events.add(event);
                    send(producer, Topic.REQUESTS, event.getReplica(), event);
                }

                @Override
                public void accept(Heartbeat heartbeat) {
                    send(producer, Topic.REQUESTS, heartbeat.getReplica(), heartbeat);
                }

                @Override
                public void accept(EngineSample sample) {
                    send(producer, Topic.ENGINE, sample.getReplica(), sample);
                }

                @Override
                public void accept(GpuSample sample) {
                    send(producer, Topic.GPU, sample.getGpu(), sample);
                }
            });
            producer.flush();
        }
        return events;
    }

    /** Publishes records of another topic under one key. */
    void publish(Topic topic, String key, List<? extends SpecificRecord> records) {
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(kafka.clientProperties(), new ByteArraySerializer(), new ByteArraySerializer())) {
            records.forEach(record -> send(producer, topic, key, record));
            producer.flush();
        }
    }

    /** Publishes windows as the job that measures does: by series, at their ends, in the order given. */
    void publish(List<WindowStat> windows) {
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(kafka.clientProperties(), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (WindowStat window : windows) {
                var unused = producer.send(new ProducerRecord<>(
                        Topic.WINDOWS.topicName(),
                        null,
                        window.getWindowEndMicros() / 1_000,
                        window.getSeries().getBytes(StandardCharsets.UTF_8),
                        codec.encode(window)));
            }
            producer.flush();
        }
    }

    private void send(KafkaProducer<byte[], byte[]> producer, Topic topic, String key, SpecificRecord record) {
        var unused = producer.send(
                new ProducerRecord<>(topic.topicName(), key.getBytes(StandardCharsets.UTF_8), codec.encode(record)));
    }

    /** Makes windows of all events. */
    void measure() throws Exception {
        StreamExecutionEnvironment environment = environment();
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
                MeasureSettings.parse("test", "{idleness: 1h}").withoutAlignment());
        environment.execute(MeasureJob.NAME);
    }

    /** Judges all windows; they wait for each other until the last is read, since none comes late in virtual time. */
    void detect() throws Exception {
        StreamExecutionEnvironment environment = environment();
        DetectJob.build(
                environment,
                new DetectJob.Sources(
                        DetectJob.windows(kafka)
                                .setBounded(OffsetsInitializer.latest())
                                .build(),
                        DetectJob.settings(kafka)
                                .setBounded(OffsetsInitializer.latest())
                                .build(),
                        SettingsTopic.present(kafka)),
                DetectJob.Sinks.kafka(kafka),
                catalogue,
                Duration.ofDays(1));
        environment.execute(DetectJob.NAME);
    }

    private static StreamExecutionEnvironment environment() {
        return StreamExecutionEnvironment.createLocalEnvironment(2, JobDefaults.configuration());
    }
}
