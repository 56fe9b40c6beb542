package io.inferwatch.jobs;

import io.inferwatch.jobs.health.HealthReporter;
import io.inferwatch.jobs.ingest.EventTime;
import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.jobs.ingest.RequestRow;
import io.inferwatch.jobs.ingest.Sample;
import io.inferwatch.jobs.ingest.SampleScreen;
import io.inferwatch.jobs.ingest.SampleTime;
import io.inferwatch.jobs.ingest.ScreenFunction;
import io.inferwatch.jobs.window.Hours;
import io.inferwatch.jobs.window.Windows;
import io.inferwatch.schemas.Topic;
import java.time.Instant;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * The windows of whole hours once more, from all events of them that Kafka holds, however late these came. {@link MeasureJob}'s operators, read to the end of the
 * topics before the first window leaves: each leaves once, whole, as a revision that no other is later than, so that {@link StoreJob} overwrites its point and
 * {@link DetectJob} leaves it out. A job that fails before that has
 * changed nothing; none is restarted, since it does the same when it is begun anew.
 *
 * <p>Events' time is never after the broker's append time. So all events of the hours lie behind the first record that was appended since they began, and what was
 * late needs no other source: the topic of late events holds copies. A repeat whose first copy lies before that was more than the tolerance ahead of the broker's
 * clock and no event at all, when reading begins that much sooner.
 */
public final class BackfillJob {
    /** Name of the job in Flink. */
    public static final String NAME = HealthReporter.JOB_PREFIX + "backfill";

    private static final String GROUP = "inferwatch-backfill";

    private BackfillJob() {}

    /** Where requests, samples and the windows that were published come from: all with an end. */
    public record Sources(
            Source<RequestRow, ?, ?> requests, Source<Sample, ?, ?> samples, Source<InboundRecord, ?, ?> windows) {
        /** The topics, as far as the hours need them and up to what they hold when the job starts. */
        public static Sources kafka(KafkaConnection kafka, String catalogueYaml, Hours hours) {
            return new Sources(
                    bounded(MeasureJob.requests(kafka, catalogueYaml), requestsFrom(hours)),
                    bounded(
                            MeasureJob.samples(kafka, catalogueYaml),
                            hours.from().minus(Windows.SAMPLE_MEMORY)),
                    bounded(DetectJob.windows(kafka), hours.from()));
        }

        private static <T> Source<T, ?, ?> bounded(KafkaSourceBuilder<T> source, Instant from) {
            return source.setGroupId(GROUP)
                    .setStartingOffsets(OffsetsInitializer.timestamp(from.toEpochMilli()))
                    .setBounded(OffsetsInitializer.latest())
                    .build();
        }
    }

    /** Since when requests are read. */
    static Instant requestsFrom(Hours hours) {
        return hours.from().minus(EventTime.FUTURE_TOLERANCE);
    }

    /** The topic of windows. */
    static Sink<OutboundRecord> sink(KafkaConnection kafka) {
        return KafkaConnectors.sink(kafka, Topic.WINDOWS);
    }

    /**
     * The graph.
     *
     * @param catalogueYaml text of the metric catalogue
     * @param settings those of the job that measures: lateness and limits of goodput
     */
    public static void build(
            StreamExecutionEnvironment environment,
            Sources sources,
            Sink<OutboundRecord> windows,
            String catalogueYaml,
            MeasureSettings settings,
            Hours hours) {
        // Where one input is read before another no checkpoint can pass.
        environment.configure(new Configuration().set(RestartStrategyOptions.RESTART_STRATEGY, "none"));
        environment.getCheckpointConfig().disableCheckpointing();

        SingleOutputStreamOperator<RequestRow> screened = environment
                .fromSource(sources.requests, EventTime.withoutWatermarks(catalogueYaml), "Requests and heartbeats")
                .uid("requests-source")
                .process(new ScreenFunction(catalogueYaml, settings.lateness()), RequestRow.type())
                .name("Screen nonsense and repeats")
                .uid("screen");

        SingleOutputStreamOperator<Sample> samples = environment
                .fromSource(
                        sources.samples, SampleTime.withoutWatermarks(), "Samples of engines, GPUs, kernels, operators")
                .uid("samples-source")
                .process(new SampleScreen(settings.lateness()), TypeInformation.of(Sample.class))
                .name("Screen nonsense")
                .uid("sample-screen");

        Windows.anew(
                        hours,
                        screened,
                        samples,
                        environment
                                .fromSource(sources.windows, WatermarkStrategy.noWatermarks(), "Published windows")
                                .uid("windows-source"),
                        catalogueYaml,
                        settings.goodput(),
                        settings.lateness())
                .sinkTo(windows)
                .name("Windows")
                .uid("windows-sink");
    }
}
