package io.inferwatch.jobs;

import io.inferwatch.jobs.window.Hours;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@link BackfillJob} by its options. */
public final class BackfillOptions implements JobGraph {
    @Mixin
    private final KafkaOptions kafka = new KafkaOptions();

    @Mixin
    private final CatalogueOption catalogue = new CatalogueOption();

    @Mixin
    private final SettingsOption settings = new SettingsOption();

    @Option(
            names = "--from",
            paramLabel = "TIME",
            description = "Beginning, such as 2026-11-30T10:00:00Z; moved back to a full hour.")
    private @Nullable String from;

    @Option(names = "--to", paramLabel = "TIME", description = "End; moved on to a full hour.")
    private @Nullable String to;

    @Override
    public String jobName() {
        return BackfillJob.NAME;
    }

    @Override
    public KafkaOptions kafka() {
        return kafka;
    }

    /**
     * The hours that are made anew.
     *
     * @throws InvalidSettingsException when the options name none
     */
    public Hours hours() {
        List<String> problems = new ArrayList<>();
        Instant begin = instant("--from", from, problems);
        Instant end = instant("--to", to, problems);
        if (begin != null && end != null && !begin.isBefore(end)) {
            problems.add("--to: must be after --from, found " + end);
        }
        if (begin == null || end == null || !problems.isEmpty()) {
            throw new InvalidSettingsException("options", problems);
        }
        return Hours.around(begin, end);
    }

    /**
     * What is read for the hours.
     *
     * @throws InvalidSettingsException when they cannot be made anew
     */
    public KeptEvents events() throws InterruptedException {
        return KeptEvents.of(kafka.connection(), hours(), settings.settings(), Instant.now());
    }

    /** How many events of the hours had come too late for their windows and were set aside. */
    public long lateEvents() {
        return LateEvents.count(kafka.connection(), hours());
    }

    @Override
    public void build(StreamExecutionEnvironment environment) {
        Hours hours = hours();
        try {
            var unused = events();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while Kafka was asked", e);
        }
        String catalogueYaml = catalogue.yaml();
        KafkaConnection connection = kafka.connection();
        BackfillJob.build(
                environment,
                BackfillJob.Sources.kafka(connection, catalogueYaml, hours),
                BackfillJob.sink(connection),
                catalogueYaml,
                settings.settings(),
                hours);
    }

    private static @Nullable Instant instant(String option, @Nullable String text, List<String> problems) {
        try {
            if (text != null) {
                return OffsetDateTime.parse(text).toInstant();
            }
        } catch (DateTimeException e) {
            // Said below.
        }
        problems.add(option + ": must be a time such as 2026-11-30T10:00:00Z, found "
                + (text == null ? "nothing" : "'" + text + "'"));
        return null;
    }
}
