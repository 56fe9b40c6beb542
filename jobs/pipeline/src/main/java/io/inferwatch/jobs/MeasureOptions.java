package io.inferwatch.jobs;

import java.nio.file.Path;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@link MeasureJob} by its options. */
public final class MeasureOptions implements JobGraph {
    @Mixin
    private final KafkaOptions kafka = new KafkaOptions();

    @Mixin
    private final CatalogueOption catalogue = new CatalogueOption();

    @Option(
            names = "--settings",
            paramLabel = "FILE",
            description = "YAML file with watermark delay, lateness, idleness, alignment and goodput limits.")
    private @Nullable Path settings;

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
        MeasureSettings measure = settings == null ? MeasureSettings.byDefault() : MeasureSettings.read(settings);
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
