package io.inferwatch.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferwatch.influx.InfluxClient;
import io.inferwatch.influx.InfluxConnection;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.InfluxSeries;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.jobs.KafkaTopics;
import io.inferwatch.jobs.MeasureSettings;
import io.inferwatch.jobs.window.Windows;
import io.inferwatch.local.ExactWindows.Window;
import io.inferwatch.local.ExactWindows.WindowKey;
import io.inferwatch.schemas.DriftResult;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Source;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.Traffic;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.servers.Availability;
import io.inferwatch.servers.InfluxProgram;
import io.inferwatch.servers.InfluxServer;
import io.inferwatch.servers.KafkaBroker;
import io.inferwatch.servers.TestServers;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Seventy minutes of requests and samples through the jobs, then some of the first hour that come too late for them: a backfill brings these into windows and
 * points, which are then those that {@link ExactWindows} computes of all; once more it changes nothing; and what it cannot make whole it leaves alone.
 */
class BackfillIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Flink tells its metrics once a second. */
    private static final Duration PACE = Duration.ofSeconds(1);

    private static final int REPLICAS = 3;
    private static final Duration SPAN = Duration.ofMinutes(70);
    /** Event time passes the lateness of the whole hour with it. */
    private static final Duration LAST = Duration.ofMinutes(75);

    private static final Duration BETWEEN_REQUESTS = Duration.ofSeconds(30);
    private static final Duration BETWEEN_SAMPLES = Duration.ofSeconds(10);
    private static final int LATE_REQUESTS = 120;
    private static final int LATE_SAMPLES = 7;
    private static final int REPEATS = 8;
    private static final int TOKENS_A_SAMPLE = 50;

    private static final Map<Long, RetentionPolicy> POLICIES = new TreeMap<>(Map.of(
            ExactWindows.TEN_SECONDS, RetentionPolicy.R10S,
            ExactWindows.MINUTE, RetentionPolicy.R1M,
            ExactWindows.HOUR, RetentionPolicy.R1H));

    private final Availability<InfluxProgram> influxProgram = TestServers.influx();
    private final EventCodec codec = new EventCodec();
    private final SplittableRandom random = new SplittableRandom(20261130);
    private final Instant from = Instant.now().truncatedTo(ChronoUnit.HOURS).minus(Duration.ofHours(3));
    private final Instant to = from.plus(Duration.ofHours(1));

    private final List<RecordedRequest> requests = new ArrayList<>();
    private final Map<Long, RequestEvent> events = new HashMap<>();
    private final Map<String, Long> sequences = new HashMap<>();

    @TempDir
    private Path directory;

    private @Nullable KafkaBroker broker;
    private @Nullable InfluxServer influx;

    @Test
    void lateEventsComeIntoTheirWindowsOnceAndNothingShrinks() throws Exception {
        assumeTrue(influxProgram.isFound(), influxProgram.reason());
        try (KafkaBroker startedBroker = KafkaBroker.start();
                InfluxServer startedInflux =
                        InfluxServer.start(influxProgram.get(), InfluxServer.Options.temporary())) {
            broker = startedBroker;
            influx = startedInflux;
            KafkaTopics.create(kafka(), REPLICAS, (short) 1);
            LocalJobs.setUp(influxdb());
            try (FlinkCluster flink = FlinkCluster.start(
                    FlinkCluster.Options.in(directory.resolve("flink")).withParallelism(1))) {
                publishInTime();
                LocalJobs.startMeasure(
                        flink, kafka(), MeasureSettings.parse("test", "{idleness: 1h, alignment-drift: 1h}"));
                FlinkCluster.Job store = LocalJobs.startStore(flink, kafka(), influxdb());
                FlinkCluster.Job detect = LocalJobs.startDetect(flink, kafka());
                Map<Long, Map<WindowKey, Window>> inTime = expected();
                awaitPoints(inTime);
                awaitSamples(samplesInTime());

                publishLate();
                await("what is late")
                        .atMost(PATIENCE)
                        .pollInterval(PACE)
                        .until(() -> TopicContents.of(servers(), Topic.LATE).size() == LATE_REQUESTS + LATE_SAMPLES);
                assertThat(differences(inTime))
                        .as("nothing late is in the points")
                        .isEmpty();
                Map<Long, Map<WindowKey, Window>> all = expected();
                assertThat(differences(all)).isNotEmpty();

                backfill(store, detect, all);
            }
            eventsThatAreGoneAreMissed();
        }
    }

    private void backfill(FlinkCluster.Job store, FlinkCluster.Job detect, Map<Long, Map<WindowKey, Window>> all) {
        String plan = run(0, "--dry-run");
        assertThat(plan)
                .contains(from + " to " + to + ", 1 hour, from")
                .contains((LATE_REQUESTS + LATE_SAMPLES) + " events of these hours came too late for their windows");
        assertThat(madeAnew()).as("a dry run publishes nothing").isEmpty();
        long leftOut = detect.metric("corrections_left_out_total");
        long handled = handled(store);

        String told = run(0);

        List<WindowStat> anew = madeAnew();
        assertThat(anew).isNotEmpty().allSatisfy(window -> assertThat(window.getWindowEndMicros())
                .isBetween(micros(from) + 1, micros(to)));
        long ofHour = requests.stream()
                .map(request -> events(request).getCompletedAtMicros())
                .filter(at -> at >= micros(from) && at < micros(to))
                .count();
        assertThat(told)
                .contains(String.format(Locale.ROOT, "%,d requests are of these hours", ofHour))
                .contains("dropped " + REPEATS + " repeats")
                .contains(String.format(Locale.ROOT, "%,d windows published", anew.size()));
        awaitPoints(all);
        awaitSamples(samplesInTime() + LATE_SAMPLES);
        awaitSeen(anew.size(), leftOut, detect, handled, store);
        assertNothingIsJudgedTwice();

        Map<RetentionPolicy, List<InfluxSeries>> points = points();
        assertThat(summary(run(0))).isEqualTo(summary(told));
        assertThat(madeAnew()).hasSize(2 * anew.size());
        awaitSeen(2 * anew.size(), leftOut, detect, handled, store);
        assertThat(points()).as("again, and nothing changes").isEqualTo(points);
        assertNothingIsJudgedTwice();
    }

    /** What it says at its end. */
    private static String summary(String told) {
        return told.substring(told.indexOf("read "));
    }

    private static void awaitSeen(
            int windows, long leftOutBefore, FlinkCluster.Job detect, long handledBefore, FlinkCluster.Job store) {
        await("verdicts leave it out")
                .atMost(PATIENCE)
                .pollInterval(PACE)
                .until(() -> detect.metric("corrections_left_out_total") - leftOutBefore == windows);
        await("points of all of it")
                .atMost(PATIENCE)
                .pollInterval(PACE)
                .until(() -> handled(store) - handledBefore >= windows);
    }

    private static long handled(FlinkCluster.Job store) {
        return store.metric("points_written_total") + store.metric("windows_not_stored_total");
    }

    private void assertNothingIsJudgedTwice() {
        assertThat(TopicContents.of(servers(), Topic.RESULTS).stream()
                        .filter(DriftResult.class::isInstance)
                        .map(DriftResult.class::cast))
                .isNotEmpty()
                .extracting(
                        DriftResult::getSeries,
                        DriftResult::getMetric,
                        DriftResult::getStatistic,
                        DriftResult::getWindowEndMicros)
                .doesNotHaveDuplicates();
        assertThat(TopicContents.alerts(servers())).isEmpty();
    }

    /** Records are removed that Kafka promises to keep, then also by its promise. */
    private void eventsThatAreGoneAreMissed() throws Exception {
        int published = madeAnew().size();
        TopicPartition partition = new TopicPartition(Topic.REQUESTS.topicName(), 1);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers()))) {
            admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(10)))
                    .all()
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(run(1))
                    .contains("nothing is published: ")
                    .containsPattern("would hold less than was published: \\S+ lacks \\d+ events");

            admin.incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.TOPIC, partition.topic()),
                            List.of(new AlterConfigOp(
                                    new ConfigEntry("retention.ms", "3600000"), AlterConfigOp.OpType.SET))))
                    .all()
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(run(2))
                    .contains("--from: must be at least ")
                    .contains(", found " + from + ": inferwatch.requests-1 holds nothing from before ");
        }
        assertThat(madeAnew()).as("nothing is published").hasSize(published);
    }

    /** What it says; the hour is named by a part of it. */
    private String run(int status, String... more) {
        StringWriter said = new StringWriter();
        List<String> arguments = new ArrayList<>(List.of(
                "backfill",
                "--from=" + from.plus(Duration.ofMinutes(10)),
                "--to=" + to.minus(Duration.ofMinutes(10)),
                "--bootstrap-servers=" + servers(),
                "--data=" + directory.resolve("backfill")));
        arguments.addAll(List.of(more));
        PrintWriter writer = new PrintWriter(said);
        assertThat(InferwatchCommand.commandLine()
                        .setOut(writer)
                        .setErr(writer)
                        .execute(arguments.toArray(new String[0])))
                .as(said.toString())
                .isEqualTo(status);
        return said.toString();
    }

    private void publishInTime() {
        try (KafkaProducer<byte[], byte[]> producer = producer()) {
            for (Duration at = Duration.ZERO; at.compareTo(SPAN) < 0; at = at.plus(BETWEEN_REQUESTS)) {
                for (int replica = 0; replica < REPLICAS; replica++) {
                    RequestEvent event = request(replica, "usual", micros(from.plus(at)) + 1_000L * replica);
                    send(producer, Topic.REQUESTS, replica, event);
                    if (at.isZero()) {
                        send(producer, Topic.REQUESTS, replica, event);
                    }
                }
            }
            for (int replica = 0; replica < REPLICAS; replica++) {
                send(producer, Topic.REQUESTS, replica, request(replica, "usual", micros(from.plus(LAST))));
            }
            for (Duration at = Duration.ZERO; at.compareTo(LAST) <= 0; at = at.plus(BETWEEN_SAMPLES)) {
                long total = TOKENS_A_SAMPLE * at.dividedBy(BETWEEN_SAMPLES);
                send(
                        producer,
                        Topic.ENGINE,
                        0,
                        sample(micros(from.plus(at)))
                                .setGeneratedTokensTotal(total)
                                .build());
            }
            // A partition that was never heard of holds the others back three times as long as a quiet one.
            for (Topic topic : List.of(Topic.ENGINE, Topic.GPU, Topic.KERNELS, Topic.OPERATORS)) {
                for (int partition = 0; partition < REPLICAS; partition++) {
                    var unused = producer.send(new ProducerRecord<>(topic.topicName(), partition, null, null));
                }
            }
        }
    }

    /** Of all times of the hour, some of a tenant that had none in time, some twice; and readings of a sampled engine. */
    private void publishLate() {
        try (KafkaProducer<byte[], byte[]> producer = producer()) {
            for (int i = 0; i < LATE_REQUESTS; i++) {
                int replica = i % REPLICAS;
                long at = i < 2 ? micros(i == 0 ? from : to) - i : micros(from) + random.nextLong(ExactWindows.HOUR);
                RequestEvent event = request(replica, i % 4 == 0 ? "late" : "usual", at);
                send(producer, Topic.REQUESTS, replica, event);
                if (i < REPEATS - REPLICAS) {
                    send(producer, Topic.REQUESTS, replica, event);
                }
            }
            for (int i = 0; i < LATE_SAMPLES; i++) {
                send(
                        producer,
                        Topic.ENGINE,
                        0,
                        sample(micros(from) + random.nextLong(ExactWindows.HOUR))
                                .build());
            }
        }
    }

    private RequestEvent request(int replica, String tenant, long completedAtMicros) {
        long ttft = (long) (100_000 * Math.exp(0.8 * random.nextGaussian()));
        RecordedRequest request = new RecordedRequest(
                requests.size() + 1L,
                "model-" + replica % 2,
                random.nextLong(1, 40_000),
                random.nextLong(2, 900),
                random.nextLong(0, 300),
                ttft + random.nextLong(1, 30_000_000),
                ttft);
        String stream = "backfill/replica-" + replica;
        RequestEvent event = RequestEvent.newBuilder()
                .setStream(stream)
                .setSequence(sequences.merge(stream, 1L, Long::sum) - 1)
                .setRow(request.row())
                .setStartedAtMicros(completedAtMicros - Objects.requireNonNull(request.e2eMicros()))
                .setCompletedAtMicros(completedAtMicros)
                .setTraffic(Traffic.PRODUCTION)
                .setOutcome(Outcome.OK)
                .setReplica("replica-" + replica)
                .setTenant(tenant)
                .setModel(request.model())
                .setSource(Source.REPLAY)
                .setTtftMicros(request.ttftMicros())
                .setTpotNanos(request.tpotNanos())
                .setE2eMicros(request.e2eMicros())
                .setPromptTokens(request.promptTokens())
                .setCachedTokens(request.cachedTokens())
                .setOutputTokens(request.outputTokens())
                .build();
        requests.add(request);
        events.put(request.row(), event);
        return event;
    }

    private EngineSample.Builder sample(long atMicros) {
        return EngineSample.newBuilder()
                .setStream("backfill/engine")
                .setSequence(sequences.merge("engine", 1L, Long::sum) - 1)
                .setSampledAtMicros(atMicros)
                .setIntervalMicros(1_000 * BETWEEN_SAMPLES.toMillis())
                .setMapping("test")
                .setReplica("replica-0")
                .setModel("model-0")
                .setRunningRequests(4L);
    }

    /** The windows of each length that have ended, of all that was published so far. */
    private Map<Long, Map<WindowKey, Window>> expected() {
        Map<Long, Map<WindowKey, Window>> expected = new TreeMap<>();
        POLICIES.keySet().forEach(length -> {
            Map<WindowKey, Window> windows = ExactWindows.of(length, requests, events);
            windows.keySet().removeIf(key -> key.endMicros() > micros(lastEnd(length)));
            expected.put(length, windows);
        });
        return expected;
    }

    private Instant lastEnd(long length) {
        return length == ExactWindows.HOUR ? to : from.plus(SPAN);
    }

    private void awaitPoints(Map<Long, Map<WindowKey, Window>> expected) {
        await("points").atMost(PATIENCE).pollInterval(PACE).untilAsserted(() -> assertThat(differences(expected))
                .isEmpty());
    }

    private List<String> differences(Map<Long, Map<WindowKey, Window>> expected) {
        List<String> differences = new ArrayList<>();
        POLICIES.forEach((length, policy) -> differences.addAll(Differences.inInfluxDb(
                influxdb(), policy, Objects.requireNonNull(expected.get(length)), from, lastEnd(length))));
        return differences;
    }

    private long samplesInTime() {
        return Duration.ofHours(1).dividedBy(BETWEEN_SAMPLES);
    }

    /** Of the hour and of its minutes together, with what the total grew by. */
    private void awaitSamples(long samples) {
        long tokens = TOKENS_A_SAMPLE * samplesInTime();
        for (RetentionPolicy policy : List.of(RetentionPolicy.R1M, RetentionPolicy.R1H)) {
            await("samples in " + policy).atMost(PATIENCE).untilAsserted(() -> {
                try (InfluxClient client = InfluxClient.open(influxdb())) {
                    assertThat(new InfluxReader(client)
                                    .query(
                                            policy,
                                            "SELECT sum(samples) AS samples, sum(engine_generated_tokens) AS tokens"
                                                    + " FROM engine WHERE view = 'engine-fleet' AND time > "
                                                    + from.toEpochMilli() + "ms AND time <= " + to.toEpochMilli()
                                                    + "ms"))
                            .singleElement()
                            .satisfies(series -> assertThat(series.rows())
                                    .singleElement()
                                    .satisfies(row -> {
                                        assertThat(row.integer("samples")).hasValue(samples);
                                        assertThat(row.integer("tokens")).hasValue(tokens);
                                    }));
                }
            });
        }
    }

    /** All that lies in InfluxDB, with every field. */
    private Map<RetentionPolicy, List<InfluxSeries>> points() {
        Map<RetentionPolicy, List<InfluxSeries>> points = new EnumMap<>(RetentionPolicy.class);
        try (InfluxClient client = InfluxClient.open(influxdb())) {
            for (RetentionPolicy policy : POLICIES.values()) {
                points.put(policy, new InfluxReader(client).query(policy, "SELECT * FROM request, engine GROUP BY *"));
            }
        }
        return points;
    }

    private List<WindowStat> madeAnew() {
        return TopicContents.of(servers(), Topic.WINDOWS).stream()
                .map(WindowStat.class::cast)
                .filter(window -> window.getRevision() >= Windows.ANEW_REVISION)
                .toList();
    }

    private void send(KafkaProducer<byte[], byte[]> producer, Topic topic, int partition, SpecificRecord event) {
        var unused = producer.send(new ProducerRecord<>(
                topic.topicName(),
                partition,
                ("replica-" + partition).getBytes(StandardCharsets.UTF_8),
                codec.encode(event)));
    }

    private KafkaProducer<byte[], byte[]> producer() {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", servers()), new ByteArraySerializer(), new ByteArraySerializer());
    }

    private RequestEvent events(RecordedRequest request) {
        return Objects.requireNonNull(events.get(request.row()));
    }

    private static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }

    private KafkaConnection kafka() {
        return KafkaConnection.to(servers());
    }

    private String servers() {
        return Objects.requireNonNull(broker).bootstrapServers();
    }

    private InfluxConnection influxdb() {
        return InfluxConnection.of(Objects.requireNonNull(influx).url());
    }
}
