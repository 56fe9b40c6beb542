package io.inferwatch.jobs;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.influx.Credentials;
import io.inferwatch.influx.InfluxClient;
import io.inferwatch.influx.InfluxConnection;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.InfluxRow;
import io.inferwatch.influx.InfluxSeries;
import io.inferwatch.influx.InfluxSetup;
import io.inferwatch.influx.InfluxWriter;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.influx.Secret;
import io.inferwatch.jobs.store.WriterSettings;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.ChangeScale;
import io.inferwatch.schemas.ComparisonResult;
import io.inferwatch.schemas.DeadLetter;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.DriftResult;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.HealthSample;
import io.inferwatch.schemas.Judgement;
import io.inferwatch.schemas.MetricSketch;
import io.inferwatch.schemas.MetricSum;
import io.inferwatch.schemas.MixChange;
import io.inferwatch.schemas.MixShare;
import io.inferwatch.schemas.Severity;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.Verdict;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.servers.Availability;
import io.inferwatch.servers.InfluxProgram;
import io.inferwatch.servers.InfluxServer;
import io.inferwatch.servers.KafkaBroker;
import io.inferwatch.servers.TestServers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.ExceptionUtils;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The whole job between a real broker and a real InfluxDB. */
class StoreJobIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long MINUTE_MICROS = 60_000_000;

    private static final InMemoryReporter REPORTER = InMemoryReporter.createWithRetainedMetrics();

    @RegisterExtension
    private static final MiniClusterExtension FLINK =
            new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
                    .setConfiguration(REPORTER.addToConfiguration(new Configuration()))
                    .setNumberTaskManagers(1)
                    .setNumberSlotsPerTaskManager(2)
                    .build());

    @TempDir
    private Path directory = Path.of("");

    private final EventCodec codec = new EventCodec();
    private final long baseMicros = Instant.now().getEpochSecond() / 3600 * 3600 * 1_000_000 - 4 * 3600 * 1_000_000L;

    private @Nullable KafkaBroker broker;
    private @Nullable InfluxServer influxd;
    private @Nullable InfluxClient client;
    private @Nullable KafkaProducer<byte[], byte[]> producer;
    private @Nullable JobClient job;

    @BeforeEach
    void start() {
        Availability<InfluxProgram> program = TestServers.influx();
        assumeTrue(program.isFound(), program.reason());
        influxd = InfluxServer.start(program.get(), InfluxServer.Options.temporary());
        client = InfluxClient.open(InfluxConnection.of(influxd.url()));
        new InfluxSetup(client).run();
        broker = KafkaBroker.start();
        for (Topic topic : Topic.values()) {
            broker.createTopic(topic.topicName(), 2, topic.kafkaSettings());
        }
        Properties properties = kafka().clientProperties();
        producer = new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @AfterEach
    void stop() throws Exception {
        if (job != null && !requireNonNull(job.getJobStatus().get()).isGloballyTerminalState()) {
            job.cancel().get();
        }
        if (producer != null) {
            producer.close();
        }
        if (client != null) {
            client.close();
        }
        if (broker != null) {
            broker.close();
        }
        if (influxd != null) {
            influxd.close();
        }
    }

    @Test
    void everyRecordBecomesAPointOrADeadLetter() throws Exception {
        // A field that has another type in the shard of the hour's windows: those points are refused, no others.
        new InfluxWriter(requireNonNull(client)).write("r1h", List.of("request,view=x ttft_n=1.5 " + baseMicros));
        for (int minute = 1; minute <= 30; minute++) {
            for (int node = 0; node < 20; node++) {
                send(window("node", "n" + node, MINUTE_MICROS, baseMicros + minute * MINUTE_MICROS, 10, 0));
            }
        }
        send(window("node", "n0", 60 * MINUTE_MICROS, baseMicros, 600, 0));
        send(window("node", "n1", 60 * MINUTE_MICROS, baseMicros, 600, 0));
        // An older revision that a restored job sends again.
        send(window("node", "n7", MINUTE_MICROS, baseMicros + MINUTE_MICROS, 12, 1));
        send(window("node", "n7", MINUTE_MICROS, baseMicros + MINUTE_MICROS, 10, 0));
        send(Topic.WINDOWS, "k", new byte[] {0, 1, 2});
        send(Topic.RESULTS, "node/n7", codec.encode(drift()));
        send(Topic.RESULTS, "canary", codec.encode(comparison()));
        send(Topic.RESULTS, "stage/decode", codec.encode(figures("stage")));
        send(Topic.RESULTS, "steps", codec.encode(figures("steps")));
        send(Topic.RESULTS, "gone", null);
        send(Topic.ALERTS, "f", codec.encode(alert()));
        send(Topic.ALERTS, "f", null);
        send(Topic.HEALTH, "measure", codec.encode(new HealthSample("measure", "i", baseMicros, Map.of("lag", 2.5))));
        send(Topic.HEALTH, "x", "{}".getBytes(StandardCharsets.UTF_8));

        startJob(requireNonNull(influxd).url(), new Credentials.None(), 10_000);

        await().atMost(PATIENCE).untilAsserted(() -> assertThat(count(RetentionPolicy.R1M, "ttft_n", "request"))
                .isEqualTo(600));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(count(RetentionPolicy.R1M, "lag", "inferwatch_health"))
                .isEqualTo(1));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(count(RetentionPolicy.R1H, "state", "alert"))
                .isEqualTo(1));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(count(RetentionPolicy.R1M, "verdict", "drift"))
                .isEqualTo(1));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(count(RetentionPolicy.R1M, "total", "mix"))
                .isEqualTo(1));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(count(RetentionPolicy.R1H, "verdict", "comparison"))
                .isEqualTo(1));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(count(RetentionPolicy.R1M, "requests", "stage"))
                .isEqualTo(1));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(deadLetters()).hasSize(5));

        assertThat(deadLetters())
                .extracting(letter -> letter.getStage() + " " + letter.getTopic() + " " + letter.getReason())
                .containsExactlyInAnyOrder(
                        "store inferwatch.windows not-single-object",
                        "store inferwatch.health not-single-object",
                        "store inferwatch.results unknown-kind",
                        "influx-writer inferwatch.windows field-type-conflict",
                        "influx-writer inferwatch.windows field-type-conflict");
        InfluxRow corrected = reader().query(
                        RetentionPolicy.R1M,
                        "SELECT requests, revision, ttft_p50_seconds FROM request WHERE node = 'n7' AND time = "
                                + (baseMicros + MINUTE_MICROS) + "u")
                .get(0)
                .rows()
                .get(0);
        assertThat(corrected.integer("requests")).hasValue(12);
        assertThat(corrected.integer("revision")).hasValue(1);
        // The values are 1 to 12 ms.
        assertThat(corrected.real("ttft_p50_seconds").orElseThrow()).isBetween(0.006 * 0.996, 0.006 * 1.004);
        List<InfluxSeries> fleet =
                reader().query(RetentionPolicy.R1M, "SELECT requests FROM request WHERE \"view\" = 'node' GROUP BY *");
        assertThat(fleet).hasSize(20).allSatisfy(series -> assertThat(series.rows())
                .hasSize(30));
        InfluxSeries drifting = reader().query(
                        RetentionPolicy.R1M,
                        "SELECT verdict, change, mix_share, drifting, drifting_since_micros FROM drift GROUP BY *")
                .get(0);
        assertThat(drifting.tags())
                .isEqualTo(Map.of("view", "node-prompt", "node", "n7", "metric", "ttft", "statistic", "p99"));
        assertThat(drifting.rows().get(0).text("verdict")).hasValue("DRIFT");
        assertThat(drifting.rows().get(0).real("change")).hasValue(0.5);
        assertThat(drifting.rows().get(0).real("mix_share")).hasValue(0.25);
        assertThat(drifting.rows().get(0).integer("drifting")).hasValue(1);
        assertThat(drifting.rows().get(0).integer("drifting_since_micros")).hasValue(baseMicros - MINUTE_MICROS);
        assertThat(counted("Points of results", "reason.unknown-kind.dead_letters_total"))
                .isEqualTo(1);
        assertThat(counted("Points of results", "tombstones_total")).isEqualTo(1);
    }

    @Test
    void aLongOutageCostsNoPointAndNoRestart(@InjectMiniCluster MiniCluster cluster) throws Exception {
        startJob(requireNonNull(influxd).url(), new Credentials.None(), 100);
        int sent = 0;
        for (int minute = 1; minute <= 3; minute++) {
            sent += sendMinute(minute);
        }
        int before = sent;
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(count(RetentionPolicy.R1M, "ttft_n", "request"))
                .isEqualTo(before));

        requireNonNull(influxd).stop();
        for (int minute = 4; minute <= 20; minute++) {
            sent += sendMinute(minute);
        }
        // Checkpoints time out after two seconds: some of them fail, and the job goes on.
        await().atMost(PATIENCE).until(() -> failedCheckpoints(cluster) >= 2);
        assertThat(requireNonNull(job).getJobStatus().get()).isEqualTo(JobStatus.RUNNING);
        requireNonNull(influxd).restart();

        int all = sent;
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(count(RetentionPolicy.R1M, "ttft_n", "request"))
                .isEqualTo(all));
        assertThat(requireNonNull(job).getJobStatus().get()).isEqualTo(JobStatus.RUNNING);
        assertThat(deadLetters()).isEmpty();
    }

    @Test
    void aWrongPasswordEndsTheJobWithOneMessageAndWithoutRestarts() throws Exception {
        Path wrong = Files.writeString(directory.resolve("wrong"), "hush-hush");
        try (InfluxServer closed = InfluxServer.start(
                TestServers.influx().get(), InfluxServer.Options.temporary().withAdmin("root", "right"))) {
            send(window("node", "n", MINUTE_MICROS, baseMicros, 5, 0));
            startJob(closed.url(), new Credentials.UserPassword("root", Secret.inFile(wrong)), 10_000);

            await().atMost(PATIENCE)
                    .until(() -> requireNonNull(job).getJobStatus().get() == JobStatus.FAILED);
        }
        Throwable failure = null;
        try {
            requireNonNull(job).getJobExecutionResult().get();
        } catch (ExecutionException e) {
            failure = e;
        }
        assertThat(failure).isNotNull();
        String trace = ExceptionUtils.stringifyException(requireNonNull(failure));
        assertThat(trace)
                .contains("InfluxDB takes no points: HTTP 401", "check the credentials")
                .doesNotContain("hush-hush");
    }

    private int sendMinute(int minute) {
        for (int node = 0; node < 50; node++) {
            send(window("node", "n" + node, MINUTE_MICROS, baseMicros + minute * MINUTE_MICROS, 3, 0));
        }
        return 50;
    }

    private long failedCheckpoints(MiniCluster cluster) throws Exception {
        return requireNonNull(cluster.getExecutionGraph(requireNonNull(job).getJobID())
                        .get()
                        .getCheckpointStatsSnapshot())
                .getCounts()
                .getNumberOfFailedCheckpoints();
    }

    private void startJob(String url, Credentials credentials, int heldPoints) throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(PipelineOptions.OBJECT_REUSE, true);
        configuration.set(PipelineOptions.GENERIC_TYPES, false);
        configuration.set(PipelineOptions.AUTO_GENERATE_UIDS, false);
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(500));
        configuration.set(CheckpointingOptions.CHECKPOINTING_TIMEOUT, Duration.ofSeconds(2));
        configuration.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, Integer.MAX_VALUE);
        // Any failure is the end: a job that restarts has not survived.
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        environment.setParallelism(2);
        WriterSettings settings = new WriterSettings(
                Math.min(heldPoints, 2_000),
                4_000_000,
                heldPoints,
                Duration.ofMillis(20),
                Duration.ofMillis(50),
                Duration.ofMillis(500));
        StoreJob.build(
                environment,
                StoreJob.Sources.kafka(kafka()),
                StoreJob.Sinks.of(
                        new InfluxConnection(url, "inferwatch", "inferwatch", credentials), settings, kafka()),
                MetricCatalogue.shippedYaml());
        job = environment.executeAsync(StoreJob.NAME);
    }

    private WindowStat window(String view, String node, long windowMicros, long endMicros, int requests, int revision) {
        QuantileSketch sketch = new QuantileSketch();
        for (int i = 1; i <= requests; i++) {
            sketch.add(i * 1_000L);
        }
        return new WindowStat(
                view + "/" + node,
                view,
                List.of(new Dimension("node", node)),
                windowMicros,
                endMicros,
                revision,
                (long) requests,
                List.of(new MetricSum("requests", (long) requests)),
                List.of(new MetricSketch("ttft", ByteBuffer.wrap(SketchEncoding.encode(sketch)))),
                List.of(),
                List.of());
    }

    private Judgement judgement() {
        return new Judgement(
                Verdict.DRIFT,
                ChangeScale.RELATIVE,
                0.3,
                0.2,
                0.5,
                0.4,
                0.6,
                0.001,
                0.001,
                500L,
                5_000L,
                0.1,
                0.2,
                0.03);
    }

    private DriftResult drift() {
        return new DriftResult(
                "node-prompt/n7",
                "node-prompt",
                List.of(new Dimension("node", "n7")),
                "ttft",
                "p99",
                MINUTE_MICROS,
                baseMicros,
                1,
                1,
                "recent",
                judgement(),
                judgement(),
                new MixChange(1.0, 0.75, 0.25, 1.0, 0.75, 0.25, 1.0, List.of(new MixShare("0-511", 1.0, 1.0))),
                List.of(),
                true,
                baseMicros - MINUTE_MICROS,
                false);
    }

    private ComparisonResult comparison() {
        return new ComparisonResult(
                "canary",
                "model-version",
                List.of(new Dimension("model", "m")),
                "version",
                "v2",
                "v1",
                "ttft",
                "p99",
                60 * MINUTE_MICROS,
                baseMicros,
                false,
                judgement(),
                false,
                null);
    }

    private FigureResult figures(String kind) {
        return new FigureResult(
                kind,
                "fleet",
                List.of(new Dimension("stage", "decode")),
                MINUTE_MICROS,
                baseMicros,
                Map.of("requests", 9L),
                Map.of("p99_seconds", 0.5),
                Map.of());
    }

    /** The sum over the parallel parts of an operator's counter. */
    private long counted(String operator, String counter) {
        return REPORTER.findMetrics(requireNonNull(job).getJobID(), operator).entrySet().stream()
                .filter(metric -> metric.getKey().endsWith("." + counter))
                .mapToLong(metric -> ((Counter) metric.getValue()).getCount())
                .sum();
    }

    private Alert alert() {
        return new Alert(
                "f",
                "TtftDrift",
                AlertState.FIRING,
                Severity.TICKET,
                baseMicros,
                baseMicros,
                null,
                Map.of(),
                "TTFT rose",
                List.of(),
                List.of());
    }

    private void send(WindowStat window) {
        send(Topic.WINDOWS, window.getSeries(), codec.encode(window));
    }

    private void send(Topic topic, String key, byte @Nullable [] value) {
        try {
            requireNonNull(producer)
                    .send(new ProducerRecord<>(topic.topicName(), key.getBytes(StandardCharsets.UTF_8), value))
                    .get();
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError("the broker does not take the record", e);
        }
    }

    private long count(RetentionPolicy policy, String field, String measurement) {
        return reader()
                .query(policy, "SELECT count(\"" + field + "\") AS n FROM " + measurement + " WHERE \"view\" != 'x'")
                .stream()
                .mapToLong(series -> series.rows().get(0).integer("n").orElse(0))
                .sum();
    }

    private InfluxReader reader() {
        return new InfluxReader(requireNonNull(client));
    }

    private List<DeadLetter> deadLetters() throws Exception {
        List<DeadLetter> letters = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                kafka().clientProperties(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = List.of(
                    new TopicPartition(Topic.DEAD_LETTERS.topicName(), 0),
                    new TopicPartition(Topic.DEAD_LETTERS.topicName(), 1));
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (partitions.stream()
                    .anyMatch(partition -> consumer.position(partition) < requireNonNull(ends.get(partition)))) {
                for (var record : consumer.poll(Duration.ofMillis(200))) {
                    letters.add(codec.decode(record.value(), DeadLetter.class));
                }
            }
        }
        return letters;
    }

    private KafkaConnection kafka() {
        return KafkaConnection.to(requireNonNull(broker).bootstrapServers());
    }
}
