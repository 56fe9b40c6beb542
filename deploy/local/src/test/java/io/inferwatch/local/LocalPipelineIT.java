package io.inferwatch.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.influx.InfluxClient;
import io.inferwatch.influx.InfluxConnection;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.jobs.KafkaTopics;
import io.inferwatch.jobs.MeasureSettings;
import io.inferwatch.local.ExactWindows.Window;
import io.inferwatch.local.ExactWindows.WindowKey;
import io.inferwatch.probes.publish.EventPublisher;
import io.inferwatch.probes.publish.KafkaPublisher;
import io.inferwatch.probes.publish.KafkaSettings;
import io.inferwatch.probes.publish.PublisherSettings;
import io.inferwatch.probes.replay.Replay;
import io.inferwatch.probes.replay.ReplayPlan;
import io.inferwatch.probes.replay.ReplayTiming;
import io.inferwatch.probes.replay.Trace;
import io.inferwatch.probes.replay.TraceFormat;
import io.inferwatch.probes.replay.TraceOptions;
import io.inferwatch.schemas.MetricSketch;
import io.inferwatch.schemas.MetricSum;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.servers.Availability;
import io.inferwatch.servers.InfluxProgram;
import io.inferwatch.servers.InfluxServer;
import io.inferwatch.servers.KafkaBroker;
import io.inferwatch.servers.TestServers;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.flink.api.common.JobStatus;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * The committed trace through replay, Kafka, both jobs and InfluxDB, twice: as fast as it goes, and at a steady pace while everything is killed in
 * turn. Both must give exactly the windows that {@link ExactWindows} computes from the file.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LocalPipelineIT {
    private static final int REQUESTS = 49_334;
    private static final Duration EVENT_SPAN = Duration.ofMinutes(70);
    /** What the disturbed replay takes at least, and how much longer than the start of everything: what is killed has to start again meanwhile. */
    private static final Duration STORM = Duration.ofSeconds(50);

    private static final int STORM_PER_START = 4;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /**
     * Event time runs up to thousands of times faster than the clock here. A partition that counted as idle after a minute could find, when it is
     * read again, that the others have gone on by more than the lateness.
     */
    private static final MeasureSettings SETTINGS =
            MeasureSettings.parse("test", "{idleness: 1h, alignment-drift: 1h}");

    private static final Map<Long, RetentionPolicy> POLICIES = Map.of(
            ExactWindows.TEN_SECONDS, RetentionPolicy.R10S,
            ExactWindows.MINUTE, RetentionPolicy.R1M,
            ExactWindows.HOUR, RetentionPolicy.R1H);

    private final Availability<InfluxProgram> influxProgram = TestServers.influx();

    @TempDir
    private static Path data;

    private final List<RecordedRequest> file = RecordedRequest.readAll();
    private final List<String> storm = new ArrayList<>();

    private long stormSeconds;
    private double spanSeconds;

    private @Nullable KafkaBroker broker;
    private @Nullable InfluxServer influx;
    private @Nullable FlinkCluster flink;
    private FlinkCluster.@Nullable Job measure;
    private FlinkCluster.@Nullable Job store;
    private @Nullable Trace trace;
    private @Nullable PublishedWindows windows;

    @BeforeAll
    void startEverything() throws Exception {
        assumeTrue(influxProgram.isFound(), influxProgram.reason());
        Instant begin = Instant.now();
        broker = KafkaBroker.start(KafkaBroker.Options.in(data.resolve("kafka")).withQuickStart());
        influx = InfluxServer.start(influxProgram.get(), InfluxServer.Options.in(data.resolve("influxdb")));
        KafkaTopics.create(kafka(), 3, (short) 1);
        LocalJobs.setUp(InfluxConnection.of(influx().url()));
        windows = new PublishedWindows(broker().bootstrapServers());
        startFlinkAndJobs();
        Path traceFile = data.resolve("trace.csv.gz");
        try (InputStream in = Objects.requireNonNull(getClass().getResourceAsStream(RecordedRequest.RESOURCE))) {
            Files.copy(in, traceFile);
        }
        trace = Trace.read(List.of(traceFile), TraceOptions.of(TraceFormat.AGENTIC));
        // A replay sets the events' times, so this is read before the first one.
        List<RequestEvent> events = trace().events();
        spanSeconds = (events.get(events.size() - 1).getCompletedAtMicros()
                        - events.get(0).getCompletedAtMicros())
                / 1e6;
        stormSeconds = Math.max(
                STORM.toSeconds(),
                STORM_PER_START * Duration.between(begin, Instant.now()).toSeconds());
    }

    @AfterAll
    void stopEverything() {
        for (AutoCloseable part : new AutoCloseable[] {flink, windows, broker, influx}) {
            try {
                if (part != null) {
                    part.close();
                }
            } catch (Exception e) {
                throw new AssertionError("could not be stopped: " + part, e);
            }
        }
    }

    @Test
    void theFileIsWhatItsAuthorsSay() {
        assertThat(file).hasSize(REQUESTS);
        assertThat(file.stream().filter(request -> request.e2eMicros() != null)).hasSize(45_022);
        assertThat(file.stream().filter(request -> request.ttftMicros() != null))
                .hasSize(4_153);
    }

    @Test
    @Order(1)
    void everyWindowOfEveryViewIsExactInKafkaAndInInfluxDb() {
        // The last millisecond of an hour: every window of every length ends with the replay.
        Instant end = hour().minus(Duration.ofHours(6)).minusMillis(1);
        ReplayPlan plan = plan(ReplayTiming.max().withCompress(compress()).withEnd(end), Optional.empty());
        try (EventPublisher publisher = publisher(plan)) {
            Replay replay = new Replay(plan, publisher);
            assertThat(replay.run(progress -> {}).isComplete()).isTrue();
            awaitAllWindows(replay, end.plusSeconds(20), end);
        }
        assertExact(plan, end);
        assertReportIsExact("ttft", RecordedRequest::ttftMicros, end);
        assertReportIsExact("e2e", RecordedRequest::e2eMicros, end);
    }

    /** The whole replay as {@code inferwatch report quantiles} gives it, against the file sorted. */
    private void assertReportIsExact(String metric, Function<RecordedRequest, @Nullable Long> micros, Instant end) {
        Map<String, List<Long>> byModel = new TreeMap<>();
        for (RecordedRequest request : file) {
            Long value = micros.apply(request);
            if (value != null) {
                byModel.computeIfAbsent(request.model(), model -> new ArrayList<>())
                        .add(value);
            }
        }
        StringWriter json = new StringWriter();
        Instant to = end.plusMillis(1);
        int status = InferwatchCommand.commandLine()
                .setOut(new PrintWriter(json, true))
                .execute(
                        "report",
                        "quantiles",
                        "--metric=" + metric,
                        "--q=0.5,0.9,0.95,0.99",
                        "--by=model",
                        "--from=" + to.minus(EVENT_SPAN).minusSeconds(60),
                        "--to=" + to,
                        "-o=json",
                        "--influxdb-url=" + influx().url());
        assertThat(status).as(json.toString()).isZero();
        JsonNode groups = json(json.toString()).get("groups");
        assertThat(groups).hasSize(byModel.size());
        for (JsonNode group : groups) {
            String model = group.at("/by/model").asText();
            List<Long> values = byModel.getOrDefault(model, new ArrayList<>());
            values.sort(null);
            assertThat(group.get("n").asLong()).as(model).isEqualTo(values.size());
            for (JsonNode quantile : group.get("quantiles")) {
                double exact = ExactWindows.quantile(values, quantile.get("q").asDouble()) / 1e6;
                assertThat(quantile.get("value").asDouble())
                        .as(metric + " of " + model + " at " + quantile.get("q"))
                        .isCloseTo(exact, withinPercentage(100 * Differences.TOLERANCE));
            }
        }
    }

    private static JsonNode json(String text) {
        try {
            return new ObjectMapper().readTree(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError(text, e);
        }
    }

    /** Comes second: event time never goes back, and this one brings it to the present. */
    @Test
    @Order(2)
    void nothingIsLostOrDoubledWhileEverythingIsKilledInTurn() throws Exception {
        Instant end = hour().minus(Duration.ofHours(1)).minusMillis(1);
        double speedup = spanSeconds / stormSeconds;
        Path resumeFile = data.resolve("resume.json");
        ReplayTiming timing =
                ReplayTiming.speedup(speedup).withCompress(compress()).withEnd(end);
        long restartsBefore = measure().restarts();
        try (ReplayProcess replay = ReplayProcess.start(
                data.resolve("replay.log"),
                data.resolve("trace.csv.gz").toString(),
                "--format=agentic",
                "--speedup=" + speedup,
                "--compress=" + compress(),
                "--end=" + end,
                "--resume-file=" + resumeFile,
                "--bootstrap-servers=" + broker().bootstrapServers())) {
            await().atMost(PATIENCE).untilAsserted(() -> {
                replay.assertSound();
                assertThat(newestWindow())
                        .as("newest window, while the replay said: %s", replay.output())
                        .isAfter(end.minus(EVENT_SPAN));
            });

            flink().replaceTaskManager();
            awaitProgress("a task manager was killed");
            await().atMost(PATIENCE).until(() -> measure().restarts() > restartsBefore);

            influx().stop();
            Instant away = newestWindow();
            await().atMost(PATIENCE).until(() -> newestWindow().isAfter(away.plus(Duration.ofMinutes(5))));
            storm.add("InfluxDB was away for five minutes of event time");
            influx().restart();

            replay.killAndRestart();
            awaitProgress("the replay was killed");

            broker().kill();
            broker().restart();
            awaitProgress("the broker was killed");

            measure().cancel();
            measure = LocalJobs.startMeasure(flink(), kafka(), SETTINGS);
            assertThat(measure().restoredFrom()).isPresent();
            awaitProgress("the job was cancelled and started from its checkpoint");

            flink().close();
            startFlinkAndJobs();
            assertThat(measure().restoredFrom()).isPresent();
            assertThat(store().restoredFrom()).isPresent();
            awaitProgress("Flink was stopped and started on its directory");

            replay.awaitEnd(Duration.ofSeconds(2 * stormSeconds));
        }
        ReplayPlan plan = plan(timing, Optional.of(resumeFile));
        try (EventPublisher publisher = publisher(plan)) {
            Replay replay = new Replay(plan, publisher);
            assertThat(replay.run(progress -> {}).sent())
                    .as("rows still to be sent")
                    .isZero();
            awaitAllWindows(replay, Instant.now(), end);
        }
        assertThat(storm).hasSize(6);
        assertExact(plan, end);
    }

    /** What loads printed of their steps, brought to InfluxDB by the job that was started last. */
    @Test
    @Order(3)
    void theVerdictsOnLoadsAreInInfluxDbAsTheyWerePrinted() throws Exception {
        LoadedRuns runs = LoadedRuns.publish(broker().bootstrapServers(), data);
        try (InfluxClient client = InfluxClient.open(InfluxConnection.of(influx().url()))) {
            InfluxReader reader = new InfluxReader(client);
            await("every verdict").atMost(PATIENCE).untilAsserted(() -> assertThat(runs.differences(reader))
                    .isEmpty());
        }
        assertThat(runs.verdicts())
                .containsExactly(
                        "run-cut 1 circuit-breaker", "run-over 1 below-load", "run-over 2 breach", "run-within 1 pass");
    }

    private void assertExact(ReplayPlan plan, Instant end) {
        Map<Long, RequestEvent> events = PublishedRequests.byRow(broker().bootstrapServers(), plan.instance());
        assertThat(events).as("requests published").hasSize(REQUESTS);
        POLICIES.forEach((length, policy) -> {
            Map<WindowKey, Window> expected = ExactWindows.of(length, file, events);
            assertEveryViewAddsUp(expected);
            await("windows of " + length / 1_000_000 + " s in Kafka")
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofSeconds(1))
                    .untilAsserted(() -> assertThat(differencesInKafka(length, expected, end))
                            .isEmpty());
            await("windows of " + length / 1_000_000 + " s in InfluxDB")
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofSeconds(1))
                    .untilAsserted(() -> assertThat(Differences.inInfluxDb(
                                    InfluxConnection.of(influx().url()),
                                    policy,
                                    expected,
                                    end.minus(EVENT_SPAN).minus(Duration.ofHours(1)),
                                    end.plusMillis(1)))
                            .isEmpty());
        });
        assertThat(TopicContents.of(broker().bootstrapServers(), Topic.LATE))
                .as("late")
                .isEmpty();
        assertThat(TopicContents.of(broker().bootstrapServers(), Topic.DEAD_LETTERS))
                .as("dead letters")
                .isEmpty();
    }

    private static void assertEveryViewAddsUp(Map<WindowKey, Window> expected) {
        Map<String, Long> sums = new HashMap<>();
        expected.forEach((key, window) -> sums.merge(key.view(), window.requests(), Long::sum));
        assertThat(sums).hasSize(ExactWindows.VIEWS.size());
        assertThat(sums.values()).containsOnly((long) REQUESTS);
    }

    private List<String> differencesInKafka(long length, Map<WindowKey, Window> expected, Instant end) {
        Map<WindowKey, WindowStat> found = Objects.requireNonNull(windows).read(length, window -> isIn(window, end));
        List<String> differences = new ArrayList<>(Differences.missingAndUnexpected(expected, found));
        found.forEach((key, stat) -> {
            Window window = expected.get(key);
            if (window != null) {
                compare(key, window, stat, differences);
            }
        });
        return Differences.shortened(differences);
    }

    private static void compare(WindowKey key, Window window, WindowStat stat, List<String> differences) {
        if (stat.getRequests() != window.requests()) {
            differences.add(key + ": " + window.requests() + " requests, found " + stat.getRequests());
        }
        Map<String, Long> sums = new TreeMap<>();
        for (MetricSum sum : stat.getSums()) {
            sums.put(sum.getMetric(), sum.getValue());
        }
        if (!sums.equals(window.sums())) {
            differences.add(key + ": sums " + window.sums() + ", found " + sums);
        }
        Map<String, QuantileSketch> sketches = new TreeMap<>();
        for (MetricSketch sketch : stat.getSketches()) {
            ByteBuffer bytes = sketch.getSketch().duplicate();
            byte[] copy = new byte[bytes.remaining()];
            bytes.get(copy);
            sketches.put(sketch.getMetric(), SketchEncoding.decode(copy));
        }
        if (!sketches.keySet().equals(window.values().keySet())) {
            differences.add(key + ": metrics " + window.values().keySet() + ", found " + sketches.keySet());
            return;
        }
        window.values().forEach((metric, values) -> {
            QuantileSketch sketch = Objects.requireNonNull(sketches.get(metric));
            String what = key + " " + metric;
            if (sketch.n() != values.size()
                    || sketch.min() != values.get(0)
                    || sketch.max() != values.get(values.size() - 1)
                    || sketch.sum()
                            != values.stream().mapToLong(Long::longValue).sum()) {
                differences.add(what + ": n, min, max or sum differ");
            }
            Differences.QUANTILES.forEach((name, q) -> Differences.near(
                    what + " " + name, (double) ExactWindows.quantile(values, q), sketch.quantile(q), differences));
        });
    }

    /** Heartbeats bring event time on until the longest windows have ended. */
    private void awaitAllWindows(Replay replay, Instant eventTime, Instant end) {
        await("the last hour")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofSeconds(1))
                .until(() -> {
                    replay.heartbeat(eventTime);
                    return !Objects.requireNonNull(windows)
                            .read(
                                    ExactWindows.HOUR,
                                    window -> window == 1000 * end.plusMillis(1).toEpochMilli())
                            .isEmpty();
                });
    }

    /** New windows come, after what was just done, beyond those that were there. */
    private void awaitProgress(String what) {
        awaitWindowsAfter(newestWindow().plusSeconds(60));
        await().atMost(PATIENCE).until(() -> measure().status() == JobStatus.RUNNING);
        storm.add(what);
    }

    private void awaitWindowsAfter(Instant eventTime) {
        await("windows after " + eventTime)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(500))
                .until(() -> newestWindow().isAfter(eventTime));
    }

    private Instant newestWindow() {
        return Objects.requireNonNull(windows).newest();
    }

    private void startFlinkAndJobs() {
        flink = FlinkCluster.start(FlinkCluster.Options.in(data.resolve("flink"))
                .withCheckpointInterval(Duration.ofSeconds(1))
                .withSettings(LocalJobs.clusterSettings(kafka())));
        measure = LocalJobs.startMeasure(flink(), kafka(), SETTINGS);
        store = LocalJobs.startStore(flink(), kafka(), InfluxConnection.of(influx().url()));
    }

    private ReplayPlan plan(ReplayTiming timing, Optional<Path> resumeFile) {
        return ReplayPlan.of(trace(), timing, resumeFile, InstantSource.system());
    }

    private EventPublisher publisher(ReplayPlan plan) {
        return new KafkaPublisher(PublisherSettings.of(
                plan.instance(), KafkaSettings.of(broker().bootstrapServers()).keepingOrder()));
    }

    private double compress() {
        return spanSeconds / EVENT_SPAN.toSeconds();
    }

    private static boolean isIn(long windowEndMicros, Instant end) {
        long last = 1000 * end.plusMillis(1).toEpochMilli();
        return windowEndMicros <= last && windowEndMicros > last - (EVENT_SPAN.toSeconds() + 3600) * 1_000_000;
    }

    private static Instant hour() {
        return Instant.now().truncatedTo(ChronoUnit.HOURS);
    }

    private KafkaConnection kafka() {
        return KafkaConnection.to(broker().bootstrapServers());
    }

    private KafkaBroker broker() {
        return Objects.requireNonNull(broker);
    }

    private InfluxServer influx() {
        return Objects.requireNonNull(influx);
    }

    private FlinkCluster flink() {
        return Objects.requireNonNull(flink);
    }

    private FlinkCluster.Job measure() {
        return Objects.requireNonNull(measure);
    }

    private FlinkCluster.Job store() {
        return Objects.requireNonNull(store);
    }

    private Trace trace() {
        return Objects.requireNonNull(trace);
    }
}
