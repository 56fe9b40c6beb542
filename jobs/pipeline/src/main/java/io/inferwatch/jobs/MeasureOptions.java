package io.inferwatch.jobs;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import picocli.CommandLine.Mixin;

/** {@link MeasureJob} by its options. */
public final class MeasureOptions implements JobGraph {
    @Mixin
    private final KafkaOptions kafka = new KafkaOptions();

    @Mixin
    private final CatalogueOption catalogue = new CatalogueOption();

    @Mixin
    private final SettingsOption settings = new SettingsOption();

    @Override
    public String jobName() {
        return MeasureJob.NAME;
    }

    @Override
    public KafkaOptions kafka() {
        return kafka;
    }

    @Override
    public void build(StreamExecutionEnvironment environment) {
        MeasureSettings measure = settings.settings();
        String catalogueYaml = catalogue.yaml();
        KafkaConnection connection = kafka.connection();
        MeasureJob.build(
                environment,
                MeasureJob.Sources.kafka(connection, catalogueYaml),
                MeasureJob.Sinks.kafka(connection),
                catalogueYaml,
                measure);
    }
}
