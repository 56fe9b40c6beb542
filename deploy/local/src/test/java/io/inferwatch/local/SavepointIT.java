package io.inferwatch.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.influx.InfluxClient;
import io.inferwatch.influx.InfluxConnection;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.jobs.KafkaTopics;
import io.inferwatch.jobs.MeasureSettings;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.DriftResult;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.MetricSketch;
import io.inferwatch.schemas.MetricSum;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Source;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.Traffic;
import io.inferwatch.schemas.Verdict;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.servers.Availability;
import io.inferwatch.servers.InfluxProgram;
import io.inferwatch.servers.InfluxServer;
import io.inferwatch.servers.KafkaBroker;
import io.inferwatch.servers.TestServers;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every release's savepoints of all jobs are kept beside this test, and the present jobs go on from them. They were taken in the middle of a window, after
 * records that are sent here again to the same offsets: a job that had lost its state or its place in Kafka would count them twice or not at all.
 *
 * <p>For a new release: {@code mvn verify -pl deploy/local -am -Dit.test=SavepointIT -Dinferwatch.savepoints=DIRECTORY}, and the directory's content is
 * committed under the release's name.
 */
class SavepointIT {
    private static final List<String> RELEASES = List.of("0.1.0");
    private static final String DIRECTORY = "inferwatch.savepoints";
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int PARTITIONS = 3;
    private static final Instant BEGIN = Instant.parse("2026-11-30T10:00:00Z");
    private static final long BEGIN_MICROS = BEGIN.toEpochMilli() * 1000;
    private static final long SECOND = 1_000_000;

    /** Of each replica, one a second. */
    private static final int BEFORE_SAVEPOINT = 30;

    private static final int OF_THE_MINUTE = 60;

    /** Minutes that a baseline takes in at once. */
    private static final int PAST_MINUTES = 12;

    private static final int REQUESTS_A_MINUTE = 1_000;

    /** When a replica's last request ends: event time passes the minute's end with it. */
    private static final int LAST_SECOND = 75;

    private final Availability<InfluxProgram> influxProgram = TestServers.influx();
    private final EventCodec codec = new EventCodec();

    @TempDir
    private Path directory;

    @BeforeEach
    void requireServers() {
        assumeTrue(influxProgram.isFound(), influxProgram.reason());
    }

    @Test
    void measureJobCompletesTheWindowThatItsSavepointHasHalfOf() throws Exception {
        for (String release : RELEASES) {
            Path data = directory.resolve("measure-" + release);
            restore(release, "measure", data);
            try (KafkaBroker broker = broker();
                    FlinkCluster flink = flink(data)) {
                sendRequests(broker, 0, BEFORE_SAVEPOINT);
                FlinkCluster.Job job = LocalJobs.startMeasure(flink, kafka(broker), MeasureSettings.byDefault());
                assertThat(job.restoredFrom()).isPresent();
                // The first is a repeat, which the state of the screen must know.
                sendRequests(broker, BEFORE_SAVEPOINT - 1, OF_THE_MINUTE);
                sendRequests(broker, OF_THE_MINUTE, OF_THE_MINUTE + 1);
                try (PublishedWindows windows = new PublishedWindows(broker.bootstrapServers())) {
                    await("the minute").atMost(PATIENCE).until(() -> fleet(windows, ExactWindows.MINUTE)
                            .containsKey(60L));
                    Map<Long, WindowStat> brief = fleet(windows, ExactWindows.TEN_SECONDS);
                    // Those that ended before the savepoint are not made again.
                    assertThat(brief.keySet()).containsExactly(30L, 40L, 50L, 60L);
                    brief.forEach((end, window) -> assertWindow(window, end - 10, end));
                    assertWindow(fleet(windows, ExactWindows.MINUTE).get(60L), 0, 60);
                }
            }
        }
    }

    @Test
    void storeJobKnowsTheRevisionThatItsSavepointHas() throws Exception {
        for (String release : RELEASES) {
            Path data = directory.resolve("store-" + release);
            restore(release, "store", data);
            try (KafkaBroker broker = broker();
                    InfluxServer influx = influx();
                    FlinkCluster flink = flink(data)) {
                sendWindow(broker, 1, 5);
                FlinkCluster.Job job = LocalJobs.startStore(flink, kafka(broker), InfluxConnection.of(influx.url()));
                assertThat(job.restoredFrom()).isPresent();
                // Fewer requests than the revision in the state: an older one. Windows of a series keep their order.
                sendWindow(broker, 1, 3);
                sendWindow(broker, 2, 7);
                await("the second minute").atMost(PATIENCE).until(() -> stored(influx)
                        .containsKey(2L));
                assertThat(stored(influx)).isEqualTo(Map.of(2L, 7L));
                sendWindow(broker, 1, 6);
                await("a truer revision").atMost(PATIENCE).untilAsserted(() -> assertThat(stored(influx))
                        .isEqualTo(Map.of(1L, 6L, 2L, 7L)));
            }
        }
    }

    @Test
    void detectJobJudgesByThePastThatItsSavepointHas() throws Exception {
        for (String release : RELEASES) {
            Path data = directory.resolve("detect-" + release);
            restore(release, "detect", data);
            try (KafkaBroker broker = broker();
                    FlinkCluster flink = flink(data)) {
                for (int minute = 1; minute <= PAST_MINUTES; minute++) {
                    sendMinute(broker, minute, 1);
                }
                FlinkCluster.Job job = LocalJobs.startDetect(flink, kafka(broker));
                assertThat(job.restoredFrom()).isPresent();
                sendMinute(broker, PAST_MINUTES + 1, 1.5);
                sendMinute(broker, PAST_MINUTES + 2, 1);
                long slow = PAST_MINUTES + 1;
                await("the slow minute").atMost(PATIENCE).until(() -> verdicts(broker)
                        .containsKey(slow));
                Map<Long, DriftResult> verdicts = verdicts(broker);
                // Those that were given before the savepoint are not given again; the last waited for its minute's end.
                assertThat(verdicts.keySet()).containsExactly(slow - 1, slow);
                assertThat(verdicts.get(slow - 1).getRaw().getBaselineN())
                        .isEqualTo((PAST_MINUTES - 1) * REQUESTS_A_MINUTE);
                assertThat(verdicts.get(slow).getRaw().getBaselineN()).isEqualTo(PAST_MINUTES * REQUESTS_A_MINUTE);
                assertThat(verdicts.get(slow).getRaw().getVerdict()).isEqualTo(Verdict.DRIFT);
            }
        }
    }

    @Test
    @EnabledIfSystemProperty(named = DIRECTORY, matches = ".+")
    void writesSavepoints() throws Exception {
        Path target = Path.of(System.getProperty(DIRECTORY));
        try (KafkaBroker broker = broker();
                FlinkCluster flink = flink(directory.resolve("measure"))) {
            sendRequests(broker, 0, BEFORE_SAVEPOINT);
            LocalJobs.startMeasure(flink, kafka(broker), MeasureSettings.byDefault());
            try (PublishedWindows windows = new PublishedWindows(broker.bootstrapServers())) {
                await("the first windows").atMost(PATIENCE).until(() -> fleet(windows, ExactWindows.TEN_SECONDS)
                        .containsKey(20L));
            }
            save(flink, "measure", target);
        }
        try (KafkaBroker broker = broker();
                InfluxServer influx = influx();
                FlinkCluster flink = flink(directory.resolve("store"))) {
            sendWindow(broker, 1, 5);
            LocalJobs.startStore(flink, kafka(broker), InfluxConnection.of(influx.url()));
            await("the first minute").atMost(PATIENCE).until(() -> stored(influx)
                    .containsKey(1L));
            save(flink, "store", target);
        }
        try (KafkaBroker broker = broker();
                FlinkCluster flink = flink(directory.resolve("detect"))) {
            for (int minute = 1; minute <= PAST_MINUTES; minute++) {
                sendMinute(broker, minute, 1);
            }
            LocalJobs.startDetect(flink, kafka(broker));
            await("all verdicts but the last").atMost(PATIENCE).until(() -> verdicts(broker)
                    .containsKey(PAST_MINUTES - 1L));
            save(flink, "detect", target);
        }
    }

    private void save(FlinkCluster flink, String job, Path target) throws Exception {
        StringWriter out = new StringWriter();
        int status = InferwatchCommand.commandLine()
                .setOut(new PrintWriter(out))
                .execute("job", "savepoint", job, "--flink=" + flink.url(), "--savepoints=" + directory.toUri());
        assertThat(status).isZero();
        Path savepoint = Path.of(URI.create(out.toString().strip()));
        try (var files = Files.list(savepoint)) {
            assertThat(files).as("a savepoint in one file").hasSize(1);
        }
        Files.copy(
                savepoint.resolve("_metadata"),
                Files.createDirectories(target.resolve(job)).resolve("_metadata"));
    }

    /** Puts a release's savepoint where a cluster on the directory looks for the newest checkpoint. */
    private void restore(String release, String job, Path data) throws Exception {
        Path checkpoint =
                Files.createDirectories(data.resolve("checkpoints").resolve(job).resolve("released"));
        String resource = "savepoints/" + release + "/" + job + "/_metadata";
        try (InputStream in = Objects.requireNonNull(getClass().getResourceAsStream(resource), resource)) {
            Files.copy(in, checkpoint.resolve("_metadata"));
        }
    }

    private static FlinkCluster flink(Path data) {
        return FlinkCluster.start(FlinkCluster.Options.in(data)
                // A savepoint's state is within its one file.
                .withSettings(Map.of("execution.checkpointing.data-inline-threshold", "1mb")));
    }

    private static KafkaBroker broker() throws Exception {
        KafkaBroker broker = KafkaBroker.start();
        // The records' times lie in the past.
        broker.createTopic(Topic.WINDOWS.topicName(), PARTITIONS, Map.of("retention.ms", "-1"));
        KafkaTopics.create(kafka(broker), PARTITIONS, (short) 1);
        return broker;
    }

    private static KafkaConnection kafka(KafkaBroker broker) {
        return KafkaConnection.to(broker.bootstrapServers());
    }

    /** With a policy that keeps what lies in the past. */
    private InfluxServer influx() throws Exception {
        InfluxServer influx = InfluxServer.start(influxProgram.get(), InfluxServer.Options.temporary());
        String policy = RetentionPolicy.R1M.toString().toLowerCase(java.util.Locale.ROOT);
        for (String statement : List.of(
                "CREATE DATABASE inferwatch",
                "CREATE RETENTION POLICY " + policy + " ON inferwatch DURATION INF REPLICATION 1 DEFAULT")) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(
                            influx.url() + "/query?q=" + URLEncoder.encode(statement, StandardCharsets.UTF_8)))
                    .POST(HttpRequest.BodyPublishers.noBody())
                    .build();
            assertThat(HttpClient.newHttpClient()
                            .send(request, HttpResponse.BodyHandlers.ofString())
                            .body())
                    .doesNotContain("error");
        }
        LocalJobs.setUp(InfluxConnection.of(influx.url()));
        return influx;
    }

    /** Requests of each replica, from one number to before another; what they measure follows from their number. */
    private void sendRequests(KafkaBroker broker, int from, int before) {
        send(broker, producer -> {
            for (int number = from; number < before; number++) {
                for (int replica = 0; replica < PARTITIONS; replica++) {
                    long second = number < OF_THE_MINUTE ? number : LAST_SECOND;
                    RequestEvent request = RequestEvent.newBuilder()
                            .setStream("savepoint/replica-" + replica)
                            .setSequence(number)
                            .setStartedAtMicros(BEGIN_MICROS + second * SECOND)
                            .setCompletedAtMicros(BEGIN_MICROS + second * SECOND)
                            .setTraffic(Traffic.PRODUCTION)
                            .setOutcome(Outcome.OK)
                            .setReplica("replica-" + replica)
                            .setModel("model")
                            .setSource(Source.PROXY)
                            .setTtftMicros(ttftMicros(number))
                            .build();
                    var unused = producer.send(record(Topic.REQUESTS, replica, "replica-" + replica, null, request));
                }
            }
        });
    }

    private static long ttftMicros(long number) {
        return 100_000 + 1_000 * number;
    }

    private void sendWindow(KafkaBroker broker, int minute, long requests) {
        long endMicros = BEGIN_MICROS + minute * ExactWindows.MINUTE;
        WindowStat window = WindowStat.newBuilder()
                .setSeries("fleet")
                .setView("fleet")
                .setDimensions(List.of())
                .setWindowMicros(ExactWindows.MINUTE)
                .setWindowEndMicros(endMicros)
                .setRevision(0)
                .setRequests(requests)
                .setSums(List.of(new MetricSum("requests", requests)))
                .setSketches(List.of())
                .setGauges(List.of())
                .build();
        send(broker, producer -> {
            var unused = producer.send(record(Topic.WINDOWS, 0, "fleet", endMicros / 1000, window));
        });
    }

    /** A minute's window of a series in each partition, so that event time moves in all of them; the first is the fleet's. */
    private void sendMinute(KafkaBroker broker, int minute, double factor) {
        // Minutes differ by nature: by 2 % up and down.
        double natural = factor * (1 + 0.02 * Math.sin(minute));
        QuantileSketch ttft = new QuantileSketch();
        for (int i = 0; i < REQUESTS_A_MINUTE; i++) {
            ttft.add(Math.round(natural * (100_000 + 100 * i)));
        }
        long endMicros = BEGIN_MICROS + minute * ExactWindows.MINUTE;
        send(broker, producer -> {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                String replica = "replica-" + partition;
                boolean isFleet = partition == 0;
                String series = isFleet ? "fleet" : "replica-version/" + replica + "/none";
                WindowStat window = WindowStat.newBuilder()
                        .setSeries(series)
                        .setView(isFleet ? "fleet" : "replica-version")
                        .setDimensions(
                                isFleet
                                        ? List.of()
                                        : List.of(new Dimension("replica", replica), new Dimension("version", "none")))
                        .setWindowMicros(ExactWindows.MINUTE)
                        .setWindowEndMicros(endMicros)
                        .setRevision(0)
                        .setRequests(REQUESTS_A_MINUTE)
                        .setSums(List.of(new MetricSum("requests", (long) REQUESTS_A_MINUTE)))
                        .setSketches(List.of(new MetricSketch("ttft", ByteBuffer.wrap(SketchEncoding.encode(ttft)))))
                        .setGauges(List.of())
                        .build();
                var unused = producer.send(record(Topic.WINDOWS, partition, series, endMicros / 1000, window));
            }
        });
    }

    /** Of the P99 of the fleet's TTFT, by the minute. */
    private static Map<Long, DriftResult> verdicts(KafkaBroker broker) {
        return TopicContents.of(broker.bootstrapServers(), Topic.RESULTS).stream()
                .filter(DriftResult.class::isInstance)
                .map(DriftResult.class::cast)
                .filter(result -> result.getSeries().equals("fleet")
                        && result.getMetric().equals("ttft")
                        && result.getStatistic().equals("p99"))
                .collect(Collectors.toMap(
                        result -> (result.getWindowEndMicros() - BEGIN_MICROS) / ExactWindows.MINUTE,
                        result -> result,
                        (a, b) -> {
                            throw new AssertionError("judged twice: " + a + " and " + b);
                        },
                        TreeMap::new));
    }

    private ProducerRecord<byte[], byte[]> record(
            Topic topic, int partition, String key, Long timestampMillis, SpecificRecord value) {
        return new ProducerRecord<>(
                topic.topicName(),
                partition,
                timestampMillis,
                key.getBytes(StandardCharsets.UTF_8),
                codec.encode(value));
    }

    private interface Sending {
        void to(KafkaProducer<byte[], byte[]> producer);
    }

    private static void send(KafkaBroker broker, Sending sending) {
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", broker.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            sending.to(producer);
        }
    }

    /** The fleet's windows of one length by their end, in seconds after the beginning. */
    private static Map<Long, WindowStat> fleet(PublishedWindows windows, long windowMicros) {
        Map<Long, WindowStat> byEnd = new TreeMap<>();
        windows.read(windowMicros, end -> true).forEach((key, window) -> {
            if (key.view().equals("fleet")) {
                byEnd.put((key.endMicros() - BEGIN_MICROS) / SECOND, window);
            }
        });
        return byEnd;
    }

    private static void assertWindow(WindowStat window, long fromSecond, long beforeSecond) {
        assertThat(window.getRequests()).isEqualTo(PARTITIONS * (beforeSecond - fromSecond));
        ByteBuffer bytes = window.getSketches().stream()
                .filter(sketch -> sketch.getMetric().equals("ttft"))
                .findFirst()
                .orElseThrow()
                .getSketch()
                .duplicate();
        byte[] sketch = new byte[bytes.remaining()];
        bytes.get(sketch);
        long sum = 0;
        for (long second = fromSecond; second < beforeSecond; second++) {
            sum += PARTITIONS * ttftMicros(second);
        }
        assertThat(SketchEncoding.decode(sketch).sum()).isEqualTo(sum);
    }

    /** The requests of the fleet's minutes in InfluxDB, by the minute. */
    private static Map<Long, Long> stored(InfluxServer influx) {
        try (InfluxClient client = InfluxClient.open(InfluxConnection.of(influx.url()))) {
            return new InfluxReader(client)
                    .query(RetentionPolicy.R1M, "SELECT requests FROM request WHERE view = 'fleet'").stream()
                            .flatMap(series -> series.rows().stream())
                            .collect(Collectors.toMap(
                                    row -> (row.timeMicros() - BEGIN_MICROS) / ExactWindows.MINUTE,
                                    row -> row.integer("requests").orElseThrow()));
        }
    }
}
