package io.inferwatch.jobs;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import picocli.CommandLine.Mixin;

/** {@link DetectJob} by its options. */
public final class DetectOptions implements JobGraph {
    @Mixin
    private final KafkaOptions kafka = new KafkaOptions();

    @Mixin
    private final CatalogueOption catalogue = new CatalogueOption();

    @Override
    public String jobName() {
        return DetectJob.NAME;
    }

    @Override
    public KafkaOptions kafka() {
        return kafka;
    }

    @Override
    public void build(StreamExecutionEnvironment environment) {
        KafkaConnection connection = kafka.connection();
        DetectJob.build(
                environment,
                DetectJob.Sources.kafka(connection),
                DetectJob.Sinks.kafka(connection),
                catalogue.yaml(),
                DetectJob.DISORDER);
    }
}
