package io.inferwatch.local;

import io.inferwatch.influx.InfluxClient;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.InfluxUnavailableException;
import io.inferwatch.local.live.LiveDemo;
import io.inferwatch.local.live.LiveFault;
import io.inferwatch.probes.publish.EventPublisher;
import io.inferwatch.probes.publish.KafkaPublisher;
import io.inferwatch.probes.publish.KafkaSettings;
import io.inferwatch.probes.publish.PublisherSettings;
import io.inferwatch.probes.replay.Replay;
import io.inferwatch.probes.replay.ReplayPlan;
import io.inferwatch.probes.replay.ReplayProgress;
import io.inferwatch.probes.replay.ReplayReport;
import io.inferwatch.probes.replay.ReplayTiming;
import io.inferwatch.probes.replay.Trace;
import io.inferwatch.probes.replay.TraceFormat;
import io.inferwatch.probes.replay.TraceOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code inferwatch demo}: the whole way from recorded requests to InfluxDB on this machine, with a live table and a count at the end. Exit status 0
 * when InfluxDB holds every request once, 1 when not, 2 when something given is wrong or a server cannot be had.
 */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description =
                "Replays 49,334 recorded requests through Kafka and Flink into InfluxDB, all on this machine, and counts them there.",
        footer = StackOptions.INFLUX_FOOTER)
final class DemoCommand implements Callable<Integer> {
    private static final String TRACE = "agentic-coding-requests.csv.gz";
    private static final Duration EVENT_SPAN = Duration.ofMinutes(30);
    /** The last event stays this much before the minute that ends the demo; heartbeats then end the minute's windows at once. */
    private static final Duration SETTLING = Duration.ofSeconds(8);

    private static final Duration PACE = Duration.ofMillis(500);
    private static final Duration STALL_LIMIT = Duration.ofSeconds(90);
    private static final int OK = 0;
    private static final int INCOMPLETE = 1;

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private final StackOptions options = new StackOptions();

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "45",
            description = "How long the replay takes. Default: ${DEFAULT-VALUE}.")
    private int seconds;

    @Option(
            names = "--live",
            description =
                    "Instead of a replay: three simulated servers behind measuring proxies under the load of a real"
                            + " trace; one of them becomes a slow node.")
    private boolean live;

    @Option(
            names = "--fault",
            paramLabel = "FAULT",
            description =
                    "With --live: what goes wrong, and must be told by the right alert and no other. slow-node and"
                            + " longer-prompts take at least " + LiveDemo.MIN_MINUTES_OF_DRIFT
                            + " minutes, since drift is told from twelve minutes of the past; kv-pressure and fragmentation "
                            + LiveDemo.MIN_MINUTES_OF_MEMORY + ".")
    private @Nullable String fault;

    @Option(
            names = "--minutes",
            paramLabel = "N",
            description =
                    "How long the load of --live lasts until the fault is over. Default: 5; with --fault or --slo the"
                            + " least that it takes.")
    private @Nullable Integer minutes;

    @Option(
            names = "--keep",
            negatable = true,
            description =
                    "Stays up after the summary, page and all, until Ctrl-C; or not. Default: stays in a terminal.")
    private @Nullable Boolean keep;

    @Override
    public Integer call() throws InterruptedException {
        if (seconds < 1 || seconds > 1800) {
            throw new CommandLineException("--seconds: must be from 1 to 1800, found " + seconds);
        }
        Optional<LiveFault> judged = fault();
        boolean isPromising = options.isPromising();
        if (isPromising && (!live || judged.isPresent())) {
            throw new CommandLineException("--slo: must be given with --live and without --fault, found it with"
                    + (live ? " --fault" : "out --live"));
        }
        int shortest = isPromising ? LiveDemo.MIN_MINUTES_OF_PROMISES : 3;
        int least = judged.map(LiveFault::leastMinutes).orElse(shortest);
        int usual = judged.map(LiveFault::leastMinutes).orElse(Math.max(5, shortest));
        int span = minutes != null ? minutes : usual;
        if (span < least || span > 60) {
            throw new CommandLineException("--minutes: must be from " + least + " to 60, found " + span);
        }
        LocalStack.Options stackOptions = options.stack();
        Path data = stackOptions.data();
        CommandLine commandLine = Objects.requireNonNull(spec).commandLine();
        PrintWriter out = commandLine.getOut();
        if (live) {
            return Foreground.run(commandLine, data, log -> playLive(stackOptions, log, span, judged, out));
        }
        return Foreground.run(commandLine, data, log -> {
            Optional<DemoState> unfinished = DemoState.read(data);
            if (unfinished.isPresent()) {
                say(out, "going on with the unfinished demo in " + data);
            } else {
                removeFinished(data);
            }
            try (LocalStack stack = LocalStack.start(stackOptions, step -> say(out, step))) {
                return play(stack, data, log, unfinished, out);
            }
        });
    }

    private Optional<LiveFault> fault() {
        if (fault == null) {
            return Optional.empty();
        }
        if (!live) {
            throw new CommandLineException("--fault: must be given with --live, found it alone");
        }
        Optional<LiveFault> known = LiveFault.of(fault);
        if (known.isEmpty()) {
            throw new CommandLineException("--fault: must be one of " + LiveFault.texts() + ", found '" + fault + "'");
        }
        return known;
    }

    /** Begins anew each time: what is live cannot go on where it stopped. */
    private int playLive(
            LocalStack.Options stackOptions, Path log, int span, Optional<LiveFault> judged, PrintWriter out)
            throws InterruptedException {
        Path data = emptied(stackOptions.data().resolve("live"));
        try (LocalStack stack = LocalStack.start(stackOptions.withData(data), step -> say(out, step))) {
            tellWhereToLook(stack, data, log, out);
            LiveDemo demo = new LiveDemo(stack, data, out);
            boolean isSeen = judged.isPresent()
                    ? demo.playFault(span, judged.get())
                    : options.isPromising() ? demo.playPromises(span) : demo.play(span);
            if (!isSeen) {
                out.println("the log is " + log);
            }
            if (keeps()) {
                stay(stack, "", out);
            }
            return isSeen ? OK : INCOMPLETE;
        }
    }

    private int play(LocalStack stack, Path data, Path log, Optional<DemoState> unfinished, PrintWriter out)
            throws InterruptedException {
        Trace trace = Trace.read(List.of(unpackTrace(data)), TraceOptions.of(TraceFormat.AGENTIC));
        DemoState state = unfinished.orElseGet(() -> new DemoState(end(), seconds));
        Instant to = state.end().truncatedTo(ChronoUnit.MINUTES).plus(1, ChronoUnit.MINUTES);
        Instant from = state.end().minus(EVENT_SPAN).truncatedTo(ChronoUnit.MINUTES);
        double span = (lastMicros(trace) - firstMicros(trace)) / 1e6;
        ReplayTiming timing = ReplayTiming.speedup(span / state.seconds())
                .withCompress(span / EVENT_SPAN.toSeconds())
                .withEnd(state.end());
        ReplayPlan plan =
                ReplayPlan.of(trace, timing, Optional.of(data.resolve("replay.json")), InstantSource.system());
        tellWhereToLook(stack, data, log, out);
        LiveTable live = new LiveTable(out, isInTerminal());
        KafkaSettings kafka = KafkaSettings.of(stack.kafka().bootstrapServers()).keepingOrder();
        try (InfluxClient client = InfluxClient.open(stack.influx());
                EventPublisher publisher = new KafkaPublisher(PublisherSettings.of(plan.instance(), kafka))) {
            InfluxReader reader = new InfluxReader(client);
            if (unfinished.isEmpty() && FleetTable.read(reader, from, to).views() > 0) {
                throw new CommandLineException("--influxdb-database: must hold no requests from " + from + " to " + to
                        + ", for they would be counted with the demo's; found some in "
                        + stack.influx().database() + " at " + stack.influx().url());
            }
            state.write(data);
            say(
                    out,
                    "replaying %,d requests, %d minutes of event time in %d s"
                            .formatted(trace.size(), EVENT_SPAN.toMinutes(), state.seconds()));
            Replay replay = new Replay(plan, publisher);
            ReplayReport report = replay.run(progress -> show(live, reader, from, to, progress));
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            FleetTable table = awaitWindows(replay, reader, live, from, to, trace.size());
            live.clear();
            summarise(stack, report, table, trace.size(), out);
            boolean isExact = report.isComplete() && table.addsUpTo(trace.size());
            if (isExact) {
                DemoState.finish(data);
            } else {
                out.println("the log is " + log);
            }
            if (keeps()) {
                stay(stack, "; inferwatch up --data " + data + " brings it up again", out);
            }
            return isExact ? OK : INCOMPLETE;
        }
    }

    /** The windows of the last requests end once heartbeats have brought event time past them. */
    private static FleetTable awaitWindows(
            Replay replay, InfluxReader reader, LiveTable live, Instant from, Instant to, int expected)
            throws InterruptedException {
        FleetTable table = FleetTable.read(reader, from, to);
        Instant grown = Instant.now();
        while (!table.addsUpTo(expected)
                && Duration.between(grown, Instant.now()).compareTo(STALL_LIMIT) < 0) {
            replay.heartbeat(Instant.now());
            live.show(table.lines(), "all sent; %,d of %,d requests in InfluxDB".formatted(table.requests(), expected));
            Thread.sleep(PACE.toMillis());
            FleetTable next = FleetTable.read(reader, from, to);
            grown = next.requests() > table.requests() ? Instant.now() : grown;
            table = next;
        }
        return table;
    }

    private static void show(LiveTable live, InfluxReader reader, Instant from, Instant to, ReplayProgress progress) {
        try {
            FleetTable table = FleetTable.read(reader, from, to);
            live.show(
                    table.lines(),
                    "%,d of %,d requests sent, event time %s; %,d in InfluxDB%s"
                            .formatted(
                                    progress.sent(),
                                    progress.rows(),
                                    progress.eventTime().truncatedTo(ChronoUnit.SECONDS),
                                    table.requests(),
                                    progress.remaining()
                                            .map(left -> "; " + left.toSeconds() + " s left")
                                            .orElse("")));
        } catch (InfluxUnavailableException e) {
            live.show(List.of(), String.valueOf(e.getMessage()));
        }
    }

    private static void summarise(
            LocalStack stack, ReplayReport report, FleetTable table, int expected, PrintWriter out) {
        table.lines().forEach(out::println);
        out.println();
        out.printf(
                "%,d requests in the file, %,d in InfluxDB by the sum over the windows of each of %d views: %s%n",
                expected, table.requests(), table.views(), table.addsUpTo(expected) ? "every one, once" : "NOT EQUAL");
        KafkaCounts counts = KafkaCounts.read(stack.kafka());
        out.printf(
                "late %,d, dead letters %,d, repeats dropped %,d, missing from their stream %,d%n",
                counts.late(),
                counts.deadLetters(),
                stack.measure().metric("repeats_total"),
                stack.measure().metric("missing_events"));
        if (!report.isComplete()) {
            out.print(report.describe());
        }
        out.flush();
    }

    private boolean keeps() {
        return keep == null ? isInTerminal() : keep;
    }

    /** The launcher knows. */
    private static boolean isInTerminal() {
        return Boolean.getBoolean("inferwatch.terminal");
    }

    private static void stay(LocalStack stack, String afterwards, PrintWriter out) throws InterruptedException {
        out.println();
        say(out, "look at " + stack.page() + " until Ctrl-C" + afterwards);
        new CountDownLatch(1).await();
    }

    private static void tellWhereToLook(LocalStack stack, Path data, Path log, PrintWriter out) {
        out.println();
        out.println("  page      " + stack.page());
        out.println("  Flink     " + stack.flink().url());
        out.println("  InfluxDB  " + stack.influx().url() + ", database "
                + stack.influx().database());
        out.println("  Kafka     " + stack.kafka().bootstrapServers());
        out.println("  data      " + data);
        out.println("  log       " + log);
        out.println();
        out.flush();
    }

    /** A minute that will be over by the end of the replay, so that the last windows can end. */
    private Instant end() {
        return Instant.now()
                .plusSeconds(seconds)
                .minus(SETTLING)
                .truncatedTo(ChronoUnit.MINUTES)
                .minusMillis(1);
    }

    private static Path unpackTrace(Path data) {
        Path file = data.resolve(TRACE);
        try (InputStream in = Objects.requireNonNull(DemoCommand.class.getResourceAsStream(TRACE))) {
            Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(file + " cannot be written", e);
        }
    }

    /** A demo that is finished has nothing to go on with: its successor begins with empty servers. */
    private static void removeFinished(Path data) {
        try {
            for (String part : List.of("kafka", "influxdb", "flink", "replay.json")) {
                Trees.delete(data.resolve(part));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the finished demo in " + data + " cannot be removed", e);
        }
    }

    private static Path emptied(Path directory) {
        try {
            Trees.delete(directory);
            return Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(directory + " cannot be emptied", e);
        }
    }

    private static long firstMicros(Trace trace) {
        return trace.events().get(0).getCompletedAtMicros();
    }

    private static long lastMicros(Trace trace) {
        return trace.events().get(trace.size() - 1).getCompletedAtMicros();
    }

    private static void say(PrintWriter out, String line) {
        out.println(line);
        out.flush();
    }
}
