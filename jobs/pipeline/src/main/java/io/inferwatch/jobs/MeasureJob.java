package io.inferwatch.jobs;

import io.inferwatch.jobs.alert.Alerts;
import io.inferwatch.jobs.device.Devices;
import io.inferwatch.jobs.health.HealthReporter;
import io.inferwatch.jobs.ingest.EventTime;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.jobs.ingest.RequestRow;
import io.inferwatch.jobs.ingest.RequestRowDeserializer;
import io.inferwatch.jobs.ingest.Sample;
import io.inferwatch.jobs.ingest.SampleDeserializer;
import io.inferwatch.jobs.ingest.SampleScreen;
import io.inferwatch.jobs.ingest.SampleTime;
import io.inferwatch.jobs.ingest.ScreenFunction;
import io.inferwatch.jobs.window.Windows;
import io.inferwatch.schemas.Topic;
import java.time.Duration;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Events to windows: one pass over requests, one over samples, exact and mergeable; and samples to what no single reading says. Needs object
 * reuse and operator chaining.
 */
public final class MeasureJob {
    /** Name of the job in Flink. */
    public static final String NAME = HealthReporter.JOB_PREFIX + "measure";

    /** A sample's readings hold until the next one, so that panes are complete only after it: usual intervals are up to this. */
    private static final Duration SAMPLE_INTERVAL = Duration.ofSeconds(10);

    private static final String GROUP = "inferwatch-measure";

    private MeasureJob() {}

    /** Where requests with their heartbeats come from, and where samples of engines, GPUs, kernels and operators do. */
    public record Sources(Source<RequestRow, ?, ?> requests, Source<Sample, ?, ?> samples) {
        /** The topics, without end. */
        public static Sources kafka(KafkaConnection kafka, String catalogueYaml) {
            return new Sources(
                    MeasureJob.requests(kafka, catalogueYaml).build(),
                    MeasureJob.samples(kafka, catalogueYaml).build());
        }
    }

    /** Where windows, what samples say together, alerts, late events and dead letters go. */
    public record Sinks(
            Sink<OutboundRecord> windows,
            Sink<OutboundRecord> results,
            Sink<OutboundRecord> alerts,
            Sink<OutboundRecord> late,
            Sink<OutboundRecord> deadLetters) {
        /** The topics. */
        public static Sinks kafka(KafkaConnection kafka) {
            return new Sinks(
                    KafkaConnectors.sink(kafka, Topic.WINDOWS),
                    KafkaConnectors.sink(kafka, Topic.RESULTS),
                    KafkaConnectors.sink(kafka, Topic.ALERTS),
                    KafkaConnectors.sink(kafka, Topic.LATE),
                    KafkaConnectors.sink(kafka, Topic.DEAD_LETTERS));
        }
    }

    /** The requests topic; without state from its beginning, so that every window is made anew and whole. */
    public static KafkaSourceBuilder<RequestRow> requests(KafkaConnection kafka, String catalogueYaml) {
        return KafkaConnectors.<RequestRow>source(kafka, GROUP, Topic.REQUESTS)
                .setDeserializer(new RequestRowDeserializer(catalogueYaml));
    }

    /** The topics of samples; without state from their beginning. */
    public static KafkaSourceBuilder<Sample> samples(KafkaConnection kafka, String catalogueYaml) {
        return KafkaConnectors.<Sample>source(kafka, GROUP, Topic.ENGINE, Topic.GPU, Topic.KERNELS, Topic.OPERATORS)
                .setDeserializer(new SampleDeserializer(catalogueYaml));
    }

    /**
     * The graph.
     *
     * @param catalogueYaml text of the metric catalogue
     */
    public static void build(
            StreamExecutionEnvironment environment,
            Sources sources,
            Sinks sinks,
            String catalogueYaml,
            MeasureSettings settings) {
        SingleOutputStreamOperator<RequestRow> screened = environment
                .fromSource(
                        sources.requests,
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

        SingleOutputStreamOperator<Sample> samples = environment
                .fromSource(
                        sources.samples,
                        SampleTime.strategy(settings.watermarkDelay().plus(SAMPLE_INTERVAL)),
                        "Samples of engines, GPUs, kernels, operators")
                .uid("samples-source")
                .process(new SampleScreen(settings.lateness()), TypeInformation.of(Sample.class))
                .name("Screen nonsense and late samples")
                .uid("sample-screen");

        Windows.of(screened, catalogueYaml, settings.goodput(), settings.watermarkDelay(), settings.lateness())
                .union(Windows.ofSamples(samples, catalogueYaml, settings.lateness()))
                .sinkTo(sinks.windows)
                .name("Windows")
                .uid("windows-sink");

        SingleOutputStreamOperator<OutboundRecord> devices = Devices.of(samples);
        devices.union(Devices.kernels(samples), Devices.contention(samples))
                .sinkTo(sinks.results)
                .name("Results")
                .uid("results-sink");
        Alerts.of(devices.getSideOutput(Devices.ALERTS))
                .sinkTo(sinks.alerts)
                .name("Alerts")
                .uid("alerts-sink");

        screened.getSideOutput(ScreenFunction.LATE)
                .union(samples.getSideOutput(ScreenFunction.LATE))
                .sinkTo(sinks.late)
                .name("Late events")
                .uid("late-sink");
        screened.getSideOutput(ScreenFunction.DEAD_LETTERS)
                .union(samples.getSideOutput(ScreenFunction.DEAD_LETTERS))
                .sinkTo(sinks.deadLetters)
                .name("Dead letters")
                .uid("dead-letters-sink");
    }
}
