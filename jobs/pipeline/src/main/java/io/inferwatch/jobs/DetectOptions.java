package io.inferwatch.jobs;

import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.schemas.settings.Settings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@link DetectJob} by its options. */
public final class DetectOptions implements JobGraph {
    @Mixin
    private final KafkaOptions kafka = new KafkaOptions();

    @Mixin
    private final CatalogueOption catalogue = new CatalogueOption();

    @Option(
            names = "--warm-from",
            paramLabel = "DURATION",
            description =
                    "Where there is no state: how much of the past to learn from, out of the windows in Kafka, such as"
                            + " 3d. Default: all that the topic keeps, 7 days as it is set up.")
    private @Nullable String warmFrom;

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
                DetectJob.Sources.kafka(connection, warmFrom()),
                DetectJob.Sinks.kafka(connection),
                catalogue.yaml(),
                DetectJob.DISORDER);
    }

    private Optional<Duration> warmFrom() {
        if (warmFrom == null) {
            return Optional.empty();
        }
        Duration duration = Settings.parseDuration(warmFrom);
        if (duration == null || duration.isZero()) {
            throw new InvalidSettingsException(
                    "options", List.of("--warm-from: must be a duration such as 3d, found '" + warmFrom + "'"));
        }
        return Optional.of(duration);
    }
}
