package io.inferwatch.jobs;

import io.inferwatch.jobs.alert.Alerts;
import io.inferwatch.jobs.detect.Anomalies;
import io.inferwatch.jobs.detect.Drift;
import io.inferwatch.jobs.detect.Member;
import io.inferwatch.jobs.detect.PresentSettings;
import io.inferwatch.jobs.health.HealthReporter;
import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.datastream.BroadcastStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Windows to verdicts: drift of each series from its own past, comparisons, figures, memory, anomalies, error budgets, alerts. */
public final class DetectJob {
    /** Name of the job in Flink. */
    public static final String NAME = HealthReporter.JOB_PREFIX + "detect";

    /** How far windows of a partition may be out of order while jobs keep up: what a verdict on several series together waits. */
    public static final Duration DISORDER = Duration.ofSeconds(10);

    private static final Duration IDLENESS = Duration.ofMinutes(1);

    private static final String GROUP = "inferwatch-detect";

    private DetectJob() {}

    /**
     * Where windows and settings come from.
     *
     * @param settingsAtFirst what is set when the graph is built
     */
    public record Sources(
            Source<InboundRecord, ?, ?> windows,
            Source<InboundRecord, ?, ?> settings,
            PresentSettings settingsAtFirst) {
        /** The topics, without end; without state from their beginning. */
        public static Sources kafka(KafkaConnection kafka) {
            return kafka(kafka, Optional.empty());
        }

        /**
         * The same with less of the past.
         *
         * @param warmFrom how much of the windows is read where there is no state; all when empty
         */
        public static Sources kafka(KafkaConnection kafka, Optional<Duration> warmFrom) {
            return new Sources(
                    DetectJob.windows(kafka, warmFrom).build(),
                    DetectJob.settings(kafka).build(),
                    SettingsTopic.present(kafka));
        }
    }

    /** Where results, alerts and dead letters go. */
    public record Sinks(Sink<OutboundRecord> results, Sink<OutboundRecord> alerts, Sink<OutboundRecord> deadLetters) {
        /** The topics. */
        public static Sinks kafka(KafkaConnection kafka) {
            return new Sinks(
                    KafkaConnectors.sink(kafka, Topic.RESULTS),
                    KafkaConnectors.sink(kafka, Topic.ALERTS),
                    KafkaConnectors.sink(kafka, Topic.DEAD_LETTERS));
        }
    }

    /** The topic of windows, from its beginning, so that histories are made anew where there is no state. */
    public static KafkaSourceBuilder<InboundRecord> windows(KafkaConnection kafka) {
        return windows(kafka, Optional.empty());
    }

    /** The same from so long ago, by the windows' ends. */
    static KafkaSourceBuilder<InboundRecord> windows(KafkaConnection kafka, Optional<Duration> warmFrom) {
        KafkaSourceBuilder<InboundRecord> windows = KafkaConnectors.<InboundRecord>source(kafka, GROUP, Topic.WINDOWS)
                .setDeserializer(InboundRecord.deserializer());
        warmFrom.map(past -> Instant.now().minus(past).toEpochMilli())
                .ifPresent(since -> windows.setStartingOffsets(OffsetsInitializer.timestamp(since)));
        return windows;
    }

    /** The topic of settings, whole. */
    public static KafkaSourceBuilder<InboundRecord> settings(KafkaConnection kafka) {
        return KafkaConnectors.<InboundRecord>source(kafka, GROUP, Topic.CONFIG)
                .setDeserializer(InboundRecord.deserializer());
    }

    /**
     * The graph.
     *
     * @param catalogueYaml text of the metric catalogue
     * @param disorder how far windows of a partition may be out of order; {@link #DISORDER} while jobs keep up
     */
    public static void build(
            StreamExecutionEnvironment environment,
            Sources sources,
            Sinks sinks,
            String catalogueYaml,
            Duration disorder) {
        BroadcastStream<InboundRecord> settings = Drift.broadcast(
                environment.fromSource(sources.settings, timeless(), "Settings").uid("settings-source"));
        SingleOutputStreamOperator<Member> routed = Drift.route(
                environment
                        .fromSource(
                                sources.windows,
                                WatermarkStrategy.<InboundRecord>forBoundedOutOfOrderness(disorder)
                                        .withIdleness(IDLENESS),
                                "Windows")
                        .uid("windows-source"),
                settings,
                sources.settingsAtFirst,
                catalogueYaml);
        SingleOutputStreamOperator<OutboundRecord> drift = Drift.of(routed, settings, catalogueYaml);
        SingleOutputStreamOperator<OutboundRecord> comparisons = Drift.comparisons(routed, settings, catalogueYaml);
        SingleOutputStreamOperator<OutboundRecord> memory = Drift.memory(routed, settings, catalogueYaml);
        Anomalies anomalies = Anomalies.of(routed, settings, catalogueYaml);
        SingleOutputStreamOperator<OutboundRecord> promises =
                Drift.promises(routed, settings, sources.settingsAtFirst, catalogueYaml);
        SingleOutputStreamOperator<OutboundRecord> raised = Drift.causes(
                routed,
                drift.getSideOutput(Drift.ALERTS)
                        .union(
                                comparisons.getSideOutput(Drift.COMPARISON_ALERTS),
                                memory.getSideOutput(Drift.MEMORY_ALERTS),
                                promises.getSideOutput(Drift.SLO_ALERTS),
                                anomalies.alerts()),
                catalogueYaml);
        drift.union(
                        comparisons,
                        Drift.figures(routed, catalogueYaml),
                        Drift.replicas(routed, settings, catalogueYaml),
                        memory,
                        promises,
                        Drift.padding(routed, settings, catalogueYaml),
                        anomalies.results(),
                        raised.getSideOutput(Drift.CAUSES))
                .sinkTo(sinks.results)
                .name("Results")
                .uid("results-sink");
        DataStream<OutboundRecord> alerts = Alerts.of(raised);
        alerts.union(Alerts.watchdog(alerts))
                .sinkTo(sinks.alerts)
                .name("Alerts")
                .uid("alerts-sink");
        routed.getSideOutput(Drift.DEAD_LETTERS)
                .sinkTo(sinks.deadLetters)
                .name("Dead letters")
                .uid("dead-letters-sink");
    }

    /** Settings have no event time and are as good as idle: a watermark of theirs would run ahead of windows that are yet to come. */
    static WatermarkStrategy<InboundRecord> timeless() {
        return WatermarkStrategy.<InboundRecord>noWatermarks().withIdleness(Duration.ofMillis(1));
    }
}
