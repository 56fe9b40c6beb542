package io.inferwatch.jobs;

import io.inferwatch.jobs.health.HealthReporter;
import io.inferwatch.jobs.ingest.EventTime;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.jobs.ingest.RequestRow;
import io.inferwatch.jobs.ingest.RequestRowDeserializer;
import io.inferwatch.jobs.ingest.ScreenFunction;
import io.inferwatch.jobs.window.Windows;
import io.inferwatch.schemas.Topic;
import java.util.Properties;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Events to windows: one pass over the requests topic, exact and mergeable. Needs object reuse and operator chaining. */
public final class MeasureJob {
    /** Name of the job in Flink. */
    public static final String NAME = HealthReporter.JOB_PREFIX + "measure";

    private MeasureJob() {}

    /** Where windows, late events and dead letters go. */
    public record Sinks(Sink<OutboundRecord> windows, Sink<OutboundRecord> late, Sink<OutboundRecord> deadLetters) {
        /** The topics. */
        public static Sinks kafka(KafkaConnection kafka) {
            return new Sinks(topic(Topic.WINDOWS, kafka), topic(Topic.LATE, kafka), topic(Topic.DEAD_LETTERS, kafka));
        }

        private static Sink<OutboundRecord> topic(Topic topic, KafkaConnection kafka) {
            Properties producer = kafka.clientProperties();
            // A minute's end brings thousands of windows at once; a few milliseconds make batches of them.
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

    /** The requests topic; without state from its beginning, so that every window is made anew and whole. */
    public static KafkaSourceBuilder<RequestRow> requests(KafkaConnection kafka, String catalogueYaml) {
        return KafkaSource.<RequestRow>builder()
                .setBootstrapServers(kafka.bootstrapServers())
                .setProperties(kafka.clientProperties())
                .setProperty("partition.discovery.interval.ms", "30000")
                .setGroupId("inferwatch-measure")
                .setTopics(Topic.REQUESTS.topicName())
                .setStartingOffsets(OffsetsInitializer.earliest())
                .setDeserializer(new RequestRowDeserializer(catalogueYaml));
    }

    /**
     * The graph.
     *
     * @param catalogueYaml text of the metric catalogue
     */
    public static void build(
            StreamExecutionEnvironment environment,
            Source<RequestRow, ?, ?> requests,
            Sinks sinks,
            String catalogueYaml,
            MeasureSettings settings) {
        SingleOutputStreamOperator<RequestRow> screened = environment
                .fromSource(
                        requests,
                        EventTime.strategy(
                                catalogueYaml,
                                settings.watermarkDelay(),
                                settings.idleness(),
                                settings.alignmentDrift()),
                        "Requests and heartbeats")
                .uid("requests-source")
                .process(new ScreenFunction(catalogueYaml, settings.lateness()), RequestRow.type())
                .name("Screen nonsense, repeats, gaps and late events")
                .uid("screen");

        Windows.of(screened, catalogueYaml, settings.goodput(), settings.watermarkDelay(), settings.lateness())
                .sinkTo(sinks.windows)
                .name("Windows")
                .uid("windows-sink");

        screened.getSideOutput(ScreenFunction.LATE)
                .sinkTo(sinks.late)
                .name("Late events")
                .uid("late-sink");
        screened.getSideOutput(ScreenFunction.DEAD_LETTERS)
                .sinkTo(sinks.deadLetters)
                .name("Dead letters")
                .uid("dead-letters-sink");
    }
}
