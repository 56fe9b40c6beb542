package io.inferwatch.jobs;

import io.inferwatch.influx.InfluxConnection;
import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.jobs.store.InfluxSink;
import io.inferwatch.jobs.store.LatestWindowFunction;
import io.inferwatch.jobs.store.PointsFunction;
import io.inferwatch.jobs.store.StoredPoint;
import io.inferwatch.jobs.store.WriterSettings;
import io.inferwatch.schemas.Topic;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Windows, results, alerts and health samples to InfluxDB: the only job that speaks to it, so that its absence delays nothing else. */
public final class StoreJob {
    /** Name of the job in Flink. */
    public static final String NAME = "Inferwatch store";

    /** How far windows of a partition may be out of order; revisions wait in Kafka for no one. */
    private static final Duration DISORDER = Duration.ofMinutes(1);

    private static final Duration IDLENESS = Duration.ofMinutes(1);

    private StoreJob() {}

    /** Where records come from. */
    public record Sources(
            Source<InboundRecord, ?, ?> windows,
            Source<InboundRecord, ?, ?> results,
            Source<InboundRecord, ?, ?> alerts,
            Source<InboundRecord, ?, ?> health) {
        /** The topics. Without state from where this group stood; at the very first start from their beginning. */
        public static Sources kafka(KafkaConnection kafka) {
            return new Sources(
                    topic(Topic.WINDOWS, kafka),
                    topic(Topic.RESULTS, kafka),
                    topic(Topic.ALERTS, kafka),
                    topic(Topic.HEALTH, kafka));
        }

        @SuppressWarnings("deprecation") // The connector asks for Kafka's old enum.
        private static Source<InboundRecord, ?, ?> topic(Topic topic, KafkaConnection kafka) {
            return KafkaConnectors.<InboundRecord>source(kafka, "inferwatch-store", topic)
                    .setStartingOffsets(OffsetsInitializer.committedOffsets(
                            org.apache.kafka.clients.consumer.OffsetResetStrategy.EARLIEST))
                    .setDeserializer(InboundRecord.deserializer())
                    .build();
        }
    }

    /** Where points and dead letters go. */
    public record Sinks(Sink<StoredPoint> points, Sink<OutboundRecord> deadLetters) {
        /** InfluxDB and the topic of dead letters, which takes those of refused points too. */
        public static Sinks of(InfluxConnection influxdb, WriterSettings settings, KafkaConnection kafka) {
            Sink<OutboundRecord> deadLetters = KafkaConnectors.sink(kafka, Topic.DEAD_LETTERS);
            return new Sinks(new InfluxSink(influxdb, settings, deadLetters), deadLetters);
        }
    }

    /**
     * The graph. Points of a series keep their order from the source to the writer, so all operators have the environment's
     * parallelism.
     *
     * @param catalogueYaml text of the metric catalogue
     */
    public static void build(
            StreamExecutionEnvironment environment, Sources sources, Sinks sinks, String catalogueYaml) {
        TypeInformation<StoredPoint> points = TypeInformation.of(StoredPoint.class);

        SingleOutputStreamOperator<StoredPoint> windows = environment
                .fromSource(
                        sources.windows,
                        WatermarkStrategy.<InboundRecord>forBoundedOutOfOrderness(DISORDER)
                                .withIdleness(IDLENESS),
                        "Windows")
                .uid("windows-source")
                .keyBy(LatestWindowFunction::series)
                .process(new LatestWindowFunction(catalogueYaml), points)
                .name("Points of the latest revisions")
                .uid("latest-windows");

        SingleOutputStreamOperator<StoredPoint> results = environment
                .fromSource(sources.results, WatermarkStrategy.noWatermarks(), "Results")
                .uid("results-source")
                .process(PointsFunction.ofResults(catalogueYaml), points)
                .name("Points of results")
                .uid("result-points");

        SingleOutputStreamOperator<StoredPoint> alerts = environment
                .fromSource(sources.alerts, WatermarkStrategy.noWatermarks(), "Alerts")
                .uid("alerts-source")
                .process(PointsFunction.ofAlerts(), points)
                .name("Points of alerts")
                .uid("alert-points");

        SingleOutputStreamOperator<StoredPoint> health = environment
                .fromSource(sources.health, WatermarkStrategy.noWatermarks(), "Health samples")
                .uid("health-source")
                .process(PointsFunction.ofHealth(), points)
                .name("Points of health")
                .uid("health-points");

        windows.union(results, alerts, health)
                .sinkTo(sinks.points)
                .name("InfluxDB")
                .uid("influx-writer");

        windows.getSideOutput(PointsFunction.DEAD_LETTERS)
                .union(
                        results.getSideOutput(PointsFunction.DEAD_LETTERS),
                        alerts.getSideOutput(PointsFunction.DEAD_LETTERS),
                        health.getSideOutput(PointsFunction.DEAD_LETTERS))
                .sinkTo(sinks.deadLetters)
                .name("Dead letters")
                .uid("dead-letters-sink");
    }
}
