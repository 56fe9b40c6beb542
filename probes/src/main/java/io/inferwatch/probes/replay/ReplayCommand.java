package io.inferwatch.probes.replay;

import io.inferwatch.probes.process.Terminal;
import io.inferwatch.probes.publish.EventPublisher;
import io.inferwatch.probes.publish.KafkaOptions;
import io.inferwatch.probes.publish.KafkaPublisher;
import io.inferwatch.probes.publish.KafkaSettings;
import io.inferwatch.probes.publish.PublisherSettings;
import io.inferwatch.probes.publish.UnreachableKafkaException;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * {@code inferwatch replay}: recorded requests to Kafka. Exit status 0 when every request is there, 2 when something given is wrong or Kafka
 * cannot be reached, 1 when it stopped before the end.
 */
@Command(
        name = "replay",
        mixinStandardHelpOptions = true,
        description = "Sends recorded requests to Kafka as if they happened now.")
public final class ReplayCommand implements Callable<Integer> {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final int OK = 0;
    private static final int INCOMPLETE = 1;
    private static final int BAD_INPUT = 2;

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "Files of one format, plain or gzip.")
    private List<Path> files = new ArrayList<>();

    @Option(
            names = "--format",
            required = true,
            converter = TraceReadingOptions.FormatConverter.class,
            description =
                    "agentic, llmperf, azure, mooncake, burstgpt, ragpulse, or jsonl (RequestEvents as JSON lines).")
    private TraceFormat format = TraceFormat.JSONL;

    @Option(
            names = "--speedup",
            paramLabel = "N|max",
            defaultValue = "1",
            converter = SpeedupConverter.class,
            description = "How many times faster than recorded; max: as fast as possible. Default: ${DEFAULT-VALUE}.")
    private Speedup speedup = new Speedup(OptionalDouble.of(1));

    @Option(
            names = "--compress",
            paramLabel = "D",
            description =
                    "By how much event times lie closer together; at most the speedup. Default: the speedup, or 1 for max.")
    private @Nullable Double compress;

    @Option(
            names = "--end",
            paramLabel = "INSTANT",
            converter = InstantConverter.class,
            description = "Event time of the last request, e.g. 2026-11-30T12:00:00Z. Default: when the replay ends.")
    private @Nullable Instant end;

    @Option(
            names = "--resume-file",
            paramLabel = "FILE",
            description = "Keeps how far the replay is; with the same file a later run goes on there.")
    private @Nullable Path resumeFile;

    @Option(names = "--model", paramLabel = "NAME", description = "Model of requests whose file names none.")
    private @Nullable String model;

    @Mixin
    private TraceReadingOptions reading = new TraceReadingOptions();

    @Mixin
    private KafkaOptions kafkaOptions = new KafkaOptions();

    /** The factor, or none for as fast as possible. */
    record Speedup(OptionalDouble factor) {}

    @Override
    public Integer call() {
        CommandSpec command = spec;
        if (command == null) {
            throw new IllegalStateException("replay: must be run by picocli");
        }
        PrintWriter out = command.commandLine().getOut();
        PrintWriter err = command.commandLine().getErr();
        try {
            return replay(out, err);
        } catch (BadTraceException
                | UnreachableKafkaException
                | InvalidSettingsException
                | IllegalArgumentException e) {
            err.println("inferwatch replay: " + e.getMessage());
            err.flush();
            return BAD_INPUT;
        }
    }

    private int replay(PrintWriter out, PrintWriter err) {
        ReplayTiming timing = new ReplayTiming(
                speedup.factor(),
                compress == null ? OptionalDouble.empty() : OptionalDouble.of(compress),
                Optional.ofNullable(end));
        TraceOptions options = reading.of(format, model);
        KafkaSettings kafka = kafkaOptions.settings().keepingOrder();
        Trace trace = Trace.read(files, options);
        trace.summary().warnings().forEach(warning -> err.println("warning: " + warning));
        err.flush();
        kafka.requireTopic(Topic.REQUESTS, CONNECT_TIMEOUT);
        ReplayPlan plan = ReplayPlan.of(trace, timing, Optional.ofNullable(resumeFile), InstantSource.system());
        ReplayReport report;
        try (EventPublisher publisher = new KafkaPublisher(PublisherSettings.of(plan.instance(), kafka))) {
            report = run(new Replay(plan, publisher), err);
        }
        out.print(report.describe());
        if (!report.isComplete() && resumeFile != null) {
            out.println("  to go on, run the same command again");
        }
        out.flush();
        return report.isComplete() ? OK : INCOMPLETE;
    }

    private static ReplayReport run(Replay replay, PrintWriter err) {
        // Ctrl-C: what was sent is waited for and noted, then the process may go.
        CountDownLatch over = new CountDownLatch(1);
        Thread onExit = new Thread(
                () -> {
                    replay.stop();
                    try {
                        var unused = over.await(10, TimeUnit.SECONDS);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "inferwatch-replay-stop");
        Runtime.getRuntime().addShutdownHook(onExit);
        try {
            if (!Terminal.isThere()) {
                return replay.run(progress -> {});
            }
            TerminalProgress terminal = new TerminalProgress(err);
            try {
                return replay.run(terminal);
            } finally {
                terminal.end();
            }
        } finally {
            over.countDown();
            try {
                Runtime.getRuntime().removeShutdownHook(onExit);
            } catch (IllegalStateException e) {
                // The process is ending already: the hook is running, and is no longer held up.
            }
        }
    }

    static final class SpeedupConverter implements ITypeConverter<Speedup> {
        @Override
        public Speedup convert(String text) {
            if (text.equals("max")) {
                return new Speedup(OptionalDouble.empty());
            }
            try {
                return new Speedup(OptionalDouble.of(Double.parseDouble(text)));
            } catch (NumberFormatException e) {
                throw new TypeConversionException("must be a number or max, found '" + text + "'");
            }
        }
    }

    static final class InstantConverter implements ITypeConverter<Instant> {
        @Override
        public Instant convert(String text) {
            try {
                return Instant.parse(text);
            } catch (DateTimeParseException e) {
                throw new TypeConversionException("must be an instant like 2026-11-30T12:00:00Z, found '" + text + "'");
            }
        }
    }
}
