package io.inferwatch.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.inferwatch.influx.InfluxClient;
import io.inferwatch.influx.InfluxConnection;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.jobs.health.HealthReporter;
import io.inferwatch.jobs.window.Windows;
import io.inferwatch.local.ExactWindows.Window;
import io.inferwatch.local.ExactWindows.WindowKey;
import io.inferwatch.probes.publish.EventPublisher;
import io.inferwatch.probes.publish.KafkaPublisher;
import io.inferwatch.probes.publish.KafkaSettings;
import io.inferwatch.probes.publish.PublisherSettings;
import io.inferwatch.probes.replay.Replay;
import io.inferwatch.probes.replay.ReplayPlan;
import io.inferwatch.probes.replay.ReplayReport;
import io.inferwatch.probes.replay.ReplayTiming;
import io.inferwatch.probes.replay.Trace;
import io.inferwatch.probes.replay.TraceFormat;
import io.inferwatch.probes.replay.TraceOptions;
import io.inferwatch.schemas.DriftResult;
import io.inferwatch.schemas.HealthSample;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.servers.Availability;
import io.inferwatch.servers.FlinkSession;
import io.inferwatch.servers.InfluxProgram;
import io.inferwatch.servers.InfluxServer;
import io.inferwatch.servers.KafkaBroker;
import io.inferwatch.servers.TestServers;
import java.io.File;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The jobs as production runs them: the job jar on a JobManager and TaskManagers in JVMs of their own, submitted by command over REST, with RocksDB and
 * checkpoints on disk. The expected windows are those that {@link ExactWindows} computes from the file.
 */
class ClusterIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration EVENT_SPAN = Duration.ofMinutes(70);
    /** What the replay takes at least, and as long as the start of everything: what is killed has to start again meanwhile. */
    private static final Duration REPLAY = Duration.ofSeconds(20);

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern RUNS_AS = Pattern.compile(" runs as ([0-9a-f]{32}) ");

    private static final Set<String> SERIES_VIEWS = Set.of("fleet", "replica-version", "tenant-model");

    private static final Map<Long, RetentionPolicy> POLICIES = new TreeMap<>(Map.of(
            ExactWindows.TEN_SECONDS, RetentionPolicy.R10S,
            ExactWindows.MINUTE, RetentionPolicy.R1M,
            ExactWindows.HOUR, RetentionPolicy.R1H));

    private final Availability<InfluxProgram> influxProgram = TestServers.influx();

    @TempDir
    private Path directory;

    @Test
    void windowsAreExactAlthoughATaskManagerIsKilledAndTheJobUpgraded() throws Exception {
        assumeTrue(influxProgram.isFound(), influxProgram.reason());
        Instant begin = Instant.now();
        try (KafkaBroker broker = KafkaBroker.start(
                        KafkaBroker.Options.in(directory.resolve("kafka")).withQuickStart());
                InfluxServer influx = InfluxServer.start(
                        influxProgram.get(), InfluxServer.Options.in(directory.resolve("influxdb")));
                FlinkSession flink = FlinkSession.start(cluster(broker.bootstrapServers()))) {
            List<FlinkSession.TaskManager> taskManagers = flink.startTaskManagers(2);
            String kafka = "--bootstrap-servers=" + broker.bootstrapServers();
            run("setup", "kafka", kafka, "--partitions=3", "--replication=1");
            run("setup", "influxdb", "--influxdb-url=" + influx.url());
            String url = "--flink=" + flink.url();
            // Event time runs faster than the clock: a partition that was idle for a minute would come late when it is
            // read again.
            String settings = "--settings="
                    + Files.writeString(directory.resolve("measure.yaml"), "{idleness: 1h, alignment-drift: 1h}");
            RemoteJob measure =
                    submitted(run("job", "submit", "measure", url, "--parallelism=2", "--", kafka, settings), flink);
            submitted(
                    run(
                            "job",
                            "submit",
                            "store",
                            url,
                            "--parallelism=1",
                            "--",
                            kafka,
                            "--influxdb-url=" + influx.url()),
                    flink);
            RemoteJob detect = submitted(run("job", "submit", "detect", url, "--parallelism=1", "--", kafka), flink);
            assertThat(measure.get("/checkpoints/config").path("state_backend").asText())
                    .isEqualTo("EmbeddedRocksDBStateBackend");

            Instant end = Instant.now().truncatedTo(ChronoUnit.HOURS).minusMillis(1);
            // In reserve: nothing moves there as long as all others live.
            CompletableFuture<List<FlinkSession.TaskManager>> reserve =
                    CompletableFuture.supplyAsync(() -> flink.startTaskManagers(1));
            ReplayPlan plan = plan(end, Duration.between(begin, Instant.now()));
            try (EventPublisher publisher = publisher(plan, broker);
                    PublishedWindows windows = new PublishedWindows(broker.bootstrapServers())) {
                Replay replay = new Replay(plan, publisher);
                CompletableFuture<ReplayReport> replayed =
                        CompletableFuture.supplyAsync(() -> replay.run(progress -> {}));
                assertThat(reserve.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).hasSize(1);
                await("windows and checkpoints")
                        .atMost(PATIENCE)
                        .until(() -> measure.completedCheckpoints() >= 2
                                && detect.completedCheckpoints() >= 2
                                && windows.newest().isAfter(end.minus(EVENT_SPAN)));
                // A part of the job that measures runs on each.
                String judging = detect.taskManager();
                taskManagers.stream()
                        .filter(taskManager -> taskManager.id().equals(judging))
                        .findFirst()
                        .orElseThrow()
                        .kill();
                assertThat(replayed).as("events were still to come at the kill").isNotDone();
                for (RemoteJob job : List.of(measure, detect)) {
                    await("the restart of " + job.get("").path("name").asText())
                            .atMost(PATIENCE)
                            .untilAsserted(() -> {
                                assertThat(job.failures()).as("failures").isPositive();
                                assertThat(job.isRunning()).as("running").isTrue();
                            });
                }
                assertThat(measure.get("/checkpoints")
                                .path("latest")
                                .path("restored")
                                .path("is_savepoint")
                                .asBoolean(true))
                        .as("restored from a checkpoint, not from a savepoint")
                        .isFalse();

                Instant before = windows.newest();
                await("windows after the restart").atMost(PATIENCE).until(() -> windows.newest()
                        .isAfter(before));
                String savepoint = run("job", "savepoint", "store", url).strip();
                assertThat(Path.of(URI.create(savepoint)).resolve("_metadata")).exists();
                Instant upgradeBegan = Instant.now();
                RemoteJob upgraded = submitted(
                        run(
                                "job",
                                "upgrade",
                                "measure",
                                url,
                                "--parallelism=1",
                                "--",
                                kafka,
                                settings,
                                "--catalogue=" + editedCatalogue()),
                        flink);
                await("the job on the edited catalogue").atMost(PATIENCE).until(upgraded::isRunning);
                assertThat(Duration.between(upgradeBegan, Instant.now()))
                        .as("of a catalogue edit, by a savepoint")
                        .isLessThan(Duration.ofSeconds(30));
                assertThat(upgraded.id()).isNotEqualTo(measure.id());
                assertThat(upgraded.get("/checkpoints")
                                .path("latest")
                                .path("restored")
                                .path("is_savepoint")
                                .asBoolean())
                        .isTrue();

                assertThat(replayed.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).isComplete())
                        .isTrue();
                awaitLastHour(replay, windows, end);
                assertExact(PublishedRequests.byRow(broker.bootstrapServers(), plan.instance()), influx.url(), end);
                assertVerdicts(broker, influx.url(), end);
            }
            Instant hour = end.plusMillis(1).minus(Duration.ofHours(1));
            run(
                    "job",
                    "submit",
                    "backfill",
                    url,
                    "--parallelism=1",
                    "--",
                    kafka,
                    "--from=" + hour.minus(Duration.ofHours(1)),
                    "--to=" + hour);
            await("the hour once more, with the same requests").atMost(PATIENCE).until(() -> {
                List<WindowStat> revisions = fleetHours(broker, hour);
                WindowStat last = revisions.get(revisions.size() - 1);
                return last.getRevision() == Windows.ANEW_REVISION
                        && last.getRequests() == revisions.get(0).getRequests();
            });
            assertThat(TopicContents.of(broker.bootstrapServers(), Topic.LATE)).isEmpty();
            assertThat(TopicContents.of(broker.bootstrapServers(), Topic.DEAD_LETTERS))
                    .isEmpty();
            await("health of the jobs, by the reporter that is a plugin")
                    .atMost(PATIENCE)
                    .until(() -> healthComponents(broker).containsAll(Set.of("measure", "detect", "store")));
        }
    }

    /** With one more view, which none of these requests belongs to, and a higher limit. */
    private Path editedCatalogue() throws Exception {
        String shipped = MetricCatalogue.shippedYaml();
        String edited = shipped.replace(
                        "  run:                 {by: [run]",
                        "  run-model:           {by: [run, model], max-series: 90, traffic: synthetic, pane: 1s}\n"
                                + "  run:                 {by: [run]")
                .replace("{field: region, limit: 50}", "{field: region, limit: 60}");
        assertThat(edited).hasSizeGreaterThan(shipped.length() + 50);
        return Files.writeString(directory.resolve("catalogue.yaml"), edited);
    }

    /** A job on the cluster, asked over REST. */
    private record RemoteJob(String url, String id) {
        JsonNode get(String path) throws Exception {
            try (InputStream answer =
                    URI.create(url + "/jobs/" + id + path).toURL().openStream()) {
                return JSON.readTree(answer);
            }
        }

        long completedCheckpoints() throws Exception {
            return get("/checkpoints").path("counts").path("completed").asLong();
        }

        /** By its history: metrics stand still for a minute when one of those who tell them is gone. */
        int failures() throws Exception {
            return get("/exceptions").path("exceptionHistory").path("entries").size();
        }

        /** Where its first task runs: of a job with one slot, all of it. */
        String taskManager() throws Exception {
            String vertex = get("").path("vertices").path(0).path("id").asText();
            return get("/vertices/" + vertex)
                    .path("subtasks")
                    .path(0)
                    .path("taskmanager-id")
                    .asText();
        }

        boolean isRunning() throws Exception {
            return get("").path("state").asText().equals("RUNNING");
        }
    }

    private static RemoteJob submitted(String output, FlinkSession flink) {
        Matcher runs = RUNS_AS.matcher(output);
        assertThat(runs.find()).as(output).isTrue();
        return new RemoteJob(flink.url(), runs.group(1));
    }

    private FlinkSession.Options cluster(String bootstrapServers) throws Exception {
        Map<String, String> settings = new TreeMap<>(
                HealthReporter.configuration(bootstrapServers, new Properties()).toMap());
        settings.put("metrics.reporter.inferwatch.interval", "1 SECONDS");
        // A job with one slot has no connection that would break: only heartbeats tell that its TaskManager is gone.
        settings.put("heartbeat.interval", "1 s");
        settings.put("state.backend.type", "rocksdb");
        settings.put("execution.checkpointing.incremental", "true");
        settings.put("execution.checkpointing.interval", "2 s");
        settings.put("execution.checkpointing.dir", uri("checkpoints"));
        settings.put("execution.checkpointing.savepoint-dir", uri("savepoints"));
        List<Path> classPath = Stream.of(Files.readString(Path.of(System.getProperty("inferwatch.flink-classpath")))
                        .strip()
                        .split(File.pathSeparator, -1))
                .map(Path::of)
                .toList();
        return new FlinkSession.Options(
                directory.resolve("flink"),
                classPath,
                List.of(Path.of(System.getProperty("inferwatch.job-jar"))),
                2,
                settings);
    }

    private String uri(String name) {
        return directory.resolve(name).toUri().toString();
    }

    private ReplayPlan plan(Instant end, Duration start) throws Exception {
        Path file = directory.resolve("trace.csv.gz");
        try (InputStream in = Objects.requireNonNull(getClass().getResourceAsStream(RecordedRequest.RESOURCE))) {
            Files.copy(in, file);
        }
        Trace trace = Trace.read(List.of(file), TraceOptions.of(TraceFormat.AGENTIC));
        List<RequestEvent> events = trace.events();
        double spanSeconds = (events.get(events.size() - 1).getCompletedAtMicros()
                        - events.get(0).getCompletedAtMicros())
                / 1e6;
        ReplayTiming timing = ReplayTiming.speedup(spanSeconds / Math.max(REPLAY.toSeconds(), start.toSeconds()))
                .withCompress(spanSeconds / EVENT_SPAN.toSeconds())
                .withEnd(end);
        return ReplayPlan.of(trace, timing, Optional.empty(), InstantSource.system());
    }

    private static EventPublisher publisher(ReplayPlan plan, KafkaBroker broker) {
        return new KafkaPublisher(PublisherSettings.of(
                plan.instance(), KafkaSettings.of(broker.bootstrapServers()).keepingOrder()));
    }

    /** Heartbeats bring event time on until the longest windows have ended. */
    private static void awaitLastHour(Replay replay, PublishedWindows windows, Instant end) {
        await("the last hour").atMost(PATIENCE).until(() -> {
            replay.heartbeat(Instant.now());
            return !windows.read(
                            ExactWindows.HOUR,
                            window -> window == 1000 * end.plusMillis(1).toEpochMilli())
                    .isEmpty();
        });
    }

    private static void assertExact(Map<Long, RequestEvent> events, String influxUrl, Instant end) {
        List<RecordedRequest> file = RecordedRequest.readAll();
        assertThat(events).hasSameSizeAs(file);
        POLICIES.forEach((length, policy) -> {
            Map<WindowKey, Window> expected = ExactWindows.of(length, file, events);
            await("points in " + policy)
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofSeconds(1))
                    .untilAsserted(() -> assertThat(Differences.inInfluxDb(
                                    InfluxConnection.of(influxUrl),
                                    policy,
                                    expected,
                                    end.minus(EVENT_SPAN).minus(Duration.ofHours(1)),
                                    end.plusMillis(1)))
                            .isEmpty());
        });
    }

    /**
     * A verdict on the fleet's last minute has come, and each stands in InfluxDB once. What was judged again after the restart says the same where a series is
     * judged by itself; a group of series is judged without those whose windows come after event time has passed their end, and that is not the same then:
     * nor is q, which is of all series of a minute.
     */
    private static void assertVerdicts(KafkaBroker broker, String influxUrl, Instant end) {
        long lastMinuteMicros = 1000 * end.plusMillis(1).toEpochMilli() - ExactWindows.MINUTE;
        await("verdicts").atMost(PATIENCE).untilAsserted(() -> {
            Map<List<Object>, List<DriftResult>> byKey =
                    TopicContents.of(broker.bootstrapServers(), Topic.RESULTS).stream()
                            .filter(DriftResult.class::isInstance)
                            .map(DriftResult.class::cast)
                            .collect(Collectors.groupingBy(result -> List.of(
                                    result.getSeries(),
                                    result.getMetric(),
                                    result.getStatistic(),
                                    result.getWindowEndMicros())));
            assertThat(byKey.keySet()).as("the last minute was judged").anySatisfy(key -> assertThat(key.get(3))
                    .isEqualTo(lastMinuteMicros));
            assertThat(byKey.values())
                    .filteredOn(same -> SERIES_VIEWS.contains(same.get(0).getView()))
                    .isNotEmpty()
                    .allSatisfy(same -> assertThat(
                                    same.stream().map(ClusterIT::withoutQ).distinct())
                            .hasSize(1));
            assertThat(points(influxUrl, "drift")).isEqualTo(byKey.size());
        });
    }

    private static DriftResult withoutQ(DriftResult result) {
        DriftResult copy = DriftResult.newBuilder(result).build();
        copy.getRaw().setQ(null);
        if (copy.getAdjusted() != null) {
            copy.getAdjusted().setQ(null);
        }
        return copy;
    }

    private static long points(String influxUrl, String measurement) {
        try (InfluxClient client = InfluxClient.open(InfluxConnection.of(influxUrl))) {
            return new InfluxReader(client)
                    .query(RetentionPolicy.R1M, "SELECT verdict FROM " + measurement + " GROUP BY *").stream()
                            .mapToLong(series -> series.rows().size())
                            .sum();
        }
    }

    /** What was published of the fleet's hour with that end, in its order. */
    private static List<WindowStat> fleetHours(KafkaBroker broker, Instant end) {
        return TopicContents.of(broker.bootstrapServers(), Topic.WINDOWS).stream()
                .map(WindowStat.class::cast)
                .filter(window -> window.getSeries().equals("fleet")
                        && window.getWindowMicros() == ExactWindows.HOUR
                        && window.getWindowEndMicros() == 1000 * end.toEpochMilli())
                .toList();
    }

    private static Set<String> healthComponents(KafkaBroker broker) {
        return TopicContents.of(broker.bootstrapServers(), Topic.HEALTH).stream()
                .map(record -> ((HealthSample) record).getComponent())
                .collect(Collectors.toSet());
    }

    /** Runs a command that must end well, and returns what it said. */
    private static String run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = InferwatchCommand.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
        assertThat(status).as("%s: %s%s", List.of(arguments), out, err).isZero();
        return out.toString();
    }
}
