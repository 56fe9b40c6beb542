package io.inferwatch.probes.load;

import io.inferwatch.probes.corpus.PromptStructure;
import io.inferwatch.probes.process.Terminal;
import io.inferwatch.probes.publish.EventPublisher;
import io.inferwatch.probes.publish.KafkaOptions;
import io.inferwatch.probes.publish.KafkaPublisher;
import io.inferwatch.probes.publish.KafkaSettings;
import io.inferwatch.probes.publish.PublisherSettings;
import io.inferwatch.probes.publish.UnreachableKafkaException;
import io.inferwatch.probes.replay.BadTraceException;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code inferwatch load}: offers a server a load and tells what came of it. Exit status 0 when all is well, 1 when a step went over its limit or the run was stopped, 3 when the generator was too late for its figures to mean anything, 2
 * when something given is wrong.
 */
@Command(
        name = "load",
        mixinStandardHelpOptions = true,
        description =
                "Sends a load to an inference server on time, whatever the server does, and measures every answer.",
        subcommands = LoadFitCommand.class)
public final class LoadCommand implements Callable<Integer> {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration FLUSH_TIMEOUT = Duration.ofSeconds(30);
    private static final DateTimeFormatter RUN_ID =
            DateTimeFormatter.ofPattern("'load-'yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);
    private static final int OK = 0;
    private static final int OVER_LIMIT = 1;
    private static final int BAD_INPUT = 2;
    private static final int INVALID = 3;

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private TargetOptions target = new TargetOptions();

    @Mixin
    private WorkloadOptions workload = new WorkloadOptions();

    @Mixin
    private LimitOptions limits = new LimitOptions();

    @Option(
            names = "--run",
            paramLabel = "NAME",
            description = "Id of the run, by which it is found again. Default: load- and the time.")
    private @Nullable String run;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Event loops, each of which can fill a core. Default: the number of processors.")
    private @Nullable Integer threads;

    @Option(
            names = "--output-file",
            paramLabel = "FILE",
            description = "JSON with the summary and every request's timeline.")
    private @Nullable Path outputFile;

    @Option(
            names = "--export-dir",
            paramLabel = "DIR",
            description =
                    "Writes the run under other tools' names too: profile_export_aiperf.json, profile_export.jsonl, vllm_bench.json, single_run.json.")
    private @Nullable Path exportDirectory;

    @Option(
            names = "--goodput",
            paramLabel = "LIMITS",
            converter = Goodput.Converter.class,
            description = "Limits within which an answer counts as good in exports, e.g. ttft:200ms,tpot:50ms,e2e:5s.")
    private @Nullable Goodput goodput;

    @Mixin
    private KafkaOptions kafkaOptions = new KafkaOptions();

    @Override
    public Integer call() throws InterruptedException {
        CommandSpec command = spec;
        if (command == null) {
            throw new IllegalStateException("load: must be run by picocli");
        }
        PrintWriter out = command.commandLine().getOut();
        PrintWriter err = command.commandLine().getErr();
        try {
            return load(out, err);
        } catch (BadTraceException
                | UnreachableKafkaException
                | InvalidSettingsException
                | IllegalArgumentException e) {
            err.println("inferwatch load: " + e.getMessage());
            err.flush();
            return BAD_INPUT;
        } catch (IOException e) {
            err.println("inferwatch load: results cannot be written: " + e.getMessage());
            err.flush();
            return BAD_INPUT;
        }
    }

    private int load(PrintWriter out, PrintWriter err) throws IOException, InterruptedException {
        String id = run == null ? RUN_ID.format(Instant.now()) : run;
        Optional<KafkaSettings> kafka = kafkaOptions.given();
        // What a probe in front of the server publishes of the same requests is a run of its own: as the server's side
        // saw it.
        LoadPlan plan = LoadPlan.of(workload);
        Optional<StepRule> rule = stepRule(plan);
        LoadSettings settings = settings(id, target(kafka.isPresent() ? id + "-proxied" : id), plan);
        if (exportDirectory != null) {
            Files.createDirectories(exportDirectory);
        }
        plan.warnings().forEach(warning -> err.println("warning: " + warning));
        err.flush();
        Map<String, String> options = new TreeMap<>();
        target.describe(options);
        workload.describe(options);
        LoadRunner runner = new LoadRunner(settings, plan, rule, workload, limits, options);
        CountDownLatch over = new CountDownLatch(1);
        Thread onExit = new Thread(() -> stop(runner, over), "inferwatch-load-stop");
        Runtime.getRuntime().addShutdownHook(onExit);
        try {
            return load(runner, kafka, id, rule, out, err);
        } finally {
            over.countDown();
            remove(onExit);
        }
    }

    private int load(
            LoadRunner runner,
            Optional<KafkaSettings> kafka,
            String id,
            Optional<StepRule> rule,
            PrintWriter out,
            PrintWriter err)
            throws IOException, InterruptedException {
        RunReport report;
        if (kafka.isEmpty()) {
            report = runner.run(event -> {}, progress(err));
        } else {
            kafka.get().requireTopic(Topic.REQUESTS, CONNECT_TIMEOUT);
            report = publish(runner, kafka.get(), id, rule, err);
        }
        RunText.of(report, rule).forEach(out::println);
        out.flush();
        write(report);
        if (!report.isValid()) {
            return INVALID;
        }
        return report.isBreached() || report.stopReason() != null ? OVER_LIMIT : OK;
    }

    /** Ctrl-C: what is open is waited for and told of, then the process may go. */
    private void stop(LoadRunner runner, CountDownLatch over) {
        runner.stop("interrupted");
        try {
            var unused = over.await(limits.drain.plus(FLUSH_TIMEOUT).toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void remove(Thread onExit) {
        try {
            var unused = Runtime.getRuntime().removeShutdownHook(onExit);
        } catch (IllegalStateException e) {
            // The process is ending already: the hook is running, and is no longer held up.
        }
    }

    private static RunReport publish(
            LoadRunner runner, KafkaSettings kafka, String id, Optional<StepRule> rule, PrintWriter err)
            throws InterruptedException {
        try (EventPublisher publisher = new KafkaPublisher(PublisherSettings.of("load-" + UUID.randomUUID(), kafka))) {
            Consumer<RequestEvent> events = event -> {
                var unused = publisher.publish(event);
            };
            RunReport report = runner.run(events, progress(err));
            rule.ifPresent(
                    present -> report.steps().stream().filter(StepResult::isRun).forEach(step -> {
                        var unused = publisher.publish(Topic.RESULTS, id, StepFigures.of(id, step, present));
                    }));
            boolean isFlushed = publisher.flush(FLUSH_TIMEOUT);
            long lost = publisher.counters().droppedTotal();
            if (!isFlushed || lost > 0) {
                err.printf(
                        "warning: of the events %,d are lost and %,d not acknowledged%n",
                        lost, publisher.counters().inMemory());
                err.flush();
            }
            return report;
        }
    }

    private Optional<StepRule> stepRule(LoadPlan plan) {
        Optional<StepRule> rule = limits.stepRule();
        if (rule.isPresent() && plan.ratePerSecond().isEmpty()) {
            throw new IllegalArgumentException(
                    "--p99-limit: must come with a load that has a rate, found a closed loop");
        }
        if (rule.isPresent() && workload.iterations > 1) {
            throw new IllegalArgumentException(
                    "--p99-limit: must come with one iteration, found " + workload.iterations);
        }
        return rule;
    }

    private Target target(String runHeader) {
        Target plain = target.target(runHeader);
        PromptStructure structure = workload.corpusStructure();
        return structure == null ? plain : plain.withHeader(Target.PROMPT_STRUCTURE, structure.label());
    }

    private LoadSettings settings(String id, Target who, LoadPlan plan) {
        int loops = threads == null ? Runtime.getRuntime().availableProcessors() : threads;
        if (loops < 1 || loops > 256) {
            throw new IllegalArgumentException("--threads: must be from 1 to 256, found " + loops);
        }
        boolean keepsChunks = outputFile != null || exportDirectory != null;
        return new LoadSettings(
                who,
                id,
                loops,
                target.sourceAddresses(),
                plan.maxOpen(),
                limits.requestTimeout,
                limits.drain,
                keepsChunks);
    }

    private void write(RunReport report) throws IOException {
        if (outputFile != null) {
            ResultFile.write(outputFile, report);
        }
        if (exportDirectory != null) {
            Optional<Goodput> limit = Optional.ofNullable(goodput);
            new AiperfExport(report, limit).write(exportDirectory);
            new VllmExport(report, limit).write(exportDirectory);
            new SingleRunRecord(report).write(exportDirectory);
        }
    }

    /** A line every second, where somebody is looking. */
    private static Consumer<String> progress(PrintWriter err) {
        return !Terminal.isThere()
                ? line -> {}
                : line -> {
                    err.print("\r" + line + "\u001b[K");
                    err.flush();
                };
    }
}
