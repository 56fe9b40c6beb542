package io.inferwatch.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inferwatch.influx.InfluxClient;
import io.inferwatch.influx.InfluxConnection;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.jobs.KafkaTopics;
import io.inferwatch.jobs.MeasureJob;
import io.inferwatch.jobs.MeasureSettings;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.servers.InfluxProgram;
import io.inferwatch.servers.InfluxServer;
import io.inferwatch.servers.KafkaBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;

/** The {@link WatchedFleet} in InfluxDB, brought there and judged by the real jobs. */
final class StoredFleet implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final String HEALTH_INTERVAL = "metrics.reporter.inferwatch.interval";

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final InfluxConnection influx;

    private StoredFleet(InfluxProgram program, Path data) throws Exception {
        opened.push(() -> Trees.delete(data));
        KafkaBroker broker =
                KafkaBroker.start(KafkaBroker.Options.in(data.resolve("kafka")).withQuickStart());
        opened.push(broker);
        InfluxServer server = InfluxServer.start(program, InfluxServer.Options.in(data.resolve("influxdb")));
        opened.push(server);
        influx = InfluxConnection.of(server.url());
        LocalJobs.setUp(influx);
        KafkaConnection kafka = KafkaConnection.to(broker.bootstrapServers());
        KafkaTopics.create(kafka, 3, (short) 1);
        Instant now = Instant.now();
        WatchedFleet fleet = new WatchedFleet(kafka, start(now), now);
        opened.push(fleet);
        fleet.publish();
        LoadedRuns runs = LoadedRuns.publish(broker.bootstrapServers(), data);
        FlinkCluster flink = FlinkCluster.start(
                FlinkCluster.Options.in(data.resolve("flink")).withSettings(settings(kafka)));
        opened.push(flink);
        FlinkCluster.Job measure = measure(flink, kafka);
        await("every window").atMost(PATIENCE).until(measure::status, JobStatus.FINISHED::equals);
        new VirtualRun(kafka).detect();
        LocalJobs.startStore(flink, kafka, influx);
        InfluxClient client = InfluxClient.open(influx);
        opened.push(client);
        InfluxReader reader = new InfluxReader(client);
        awaitAll(reader, fleet.requests());
        await("verdicts on loads").atMost(PATIENCE).untilAsserted(() -> assertThat(runs.differences(reader))
                .isEmpty());
    }

    static StoredFleet start(InfluxProgram program) {
        try {
            return new StoredFleet(program, Files.createTempDirectory("inferwatch-fleet-"));
        } catch (Exception e) {
            throw new IllegalStateException("no fleet to look at", e);
        }
    }

    InfluxConnection influx() {
        return influx;
    }

    @Override
    public void close() {
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception e) {
                throw new IllegalStateException("not all of it stopped", e);
            }
        }
    }

    /** Long enough ago that an hour has ended since, and that drift has a past to be judged by. */
    private static Instant start(Instant now) {
        Instant hour = now.truncatedTo(ChronoUnit.HOURS).minus(Duration.ofMinutes(1));
        Instant usual = now.minus(Duration.ofMinutes(50));
        return usual.isBefore(hour) ? usual : hour;
    }

    /** The measuring job has an end, which may come before the usual ten seconds in which it would tell of its health. */
    private static Map<String, String> settings(KafkaConnection kafka) {
        Map<String, String> settings = new HashMap<>(LocalJobs.clusterSettings(kafka));
        assertThat(settings.replace(HEALTH_INTERVAL, "500 MILLISECONDS")).isNotNull();
        return settings;
    }

    /** With an end, which ends every window; nothing is late, however slowly a busy machine reads. */
    private static FlinkCluster.Job measure(FlinkCluster flink, KafkaConnection kafka) {
        String catalogue = MetricCatalogue.shippedYaml();
        return flink.start(
                "measure",
                MeasureJob.NAME,
                environment -> MeasureJob.build(
                        environment,
                        new MeasureJob.Sources(
                                MeasureJob.requests(kafka, catalogue)
                                        .setBounded(OffsetsInitializer.latest())
                                        .build(),
                                MeasureJob.samples(kafka, catalogue)
                                        .setBounded(OffsetsInitializer.latest())
                                        .build()),
                        MeasureJob.Sinks.kafka(kafka),
                        catalogue,
                        MeasureSettings.parse("test", "{idleness: 1h, alignment-drift: 1h, lateness: 1h}")));
    }

    private static void awaitAll(InfluxReader reader, long requests) {
        await("every request").atMost(PATIENCE).untilAsserted(() -> {
            assertThat(sum(reader, RetentionPolicy.R1M, "request", "requests")).isEqualTo(requests);
            assertThat(sum(reader, RetentionPolicy.R1H, "request", "requests")).isEqualTo(requests);
            assertThat(sum(reader, RetentionPolicy.R10S, "request", "requests")).isEqualTo(requests);
        });
        await("samples, alerts, verdicts, health").atMost(PATIENCE).untilAsserted(() -> {
            for (String view : List.of("engine-replica", "gpu-device")) {
                String measurement = view.substring(0, view.indexOf('-'));
                assertThat(reader.query(
                                RetentionPolicy.R1M,
                                "SELECT last(samples) FROM " + measurement + " WHERE view = '" + view
                                        + "' GROUP BY replica, gpu"))
                        .hasSize(WatchedFleet.SERVERS);
            }
            assertThat(reader.query(RetentionPolicy.R1H, "SELECT state FROM alert GROUP BY fingerprint"))
                    .hasSizeGreaterThanOrEqualTo(2);
            assertThat(reader.query(RetentionPolicy.R1M, "SELECT change FROM drift WHERE verdict = 'DRIFT' LIMIT 1"))
                    .isNotEmpty();
            for (String measurement : List.of(
                    "mix",
                    "comparison",
                    "stage",
                    "prompt_shape",
                    "kv_joint",
                    "memory",
                    "fragmentation",
                    "kv_cache",
                    "bottleneck",
                    "placement",
                    "graph_capture",
                    "scheduler",
                    "contention",
                    "kernel_cache",
                    "kernel_timing",
                    "anomaly",
                    "straggler",
                    "anomaly_finding",
                    "cost",
                    "device_choice",
                    "tenant",
                    "cause",
                    "slo")) {
                assertThat(reader.query(RetentionPolicy.R1M, "SELECT * FROM " + measurement + " LIMIT 1"))
                        .as(measurement)
                        .isNotEmpty();
            }
            assertThat(reader.query(RetentionPolicy.R1H, "SELECT * FROM jitter_study LIMIT 1"))
                    .isNotEmpty();
            // Only a store job that has written says how.
            assertThat(reader.query(
                            RetentionPolicy.R1M,
                            "SELECT last(last_write_milliseconds), last(checkpoint_bytes) FROM inferwatch_health"))
                    .isNotEmpty();
        });
    }

    private static long sum(InfluxReader reader, RetentionPolicy policy, String measurement, String field) {
        return reader
                .query(policy, "SELECT sum(" + field + ") AS n FROM " + measurement + " WHERE view = 'fleet'")
                .stream()
                .flatMap(series -> series.rows().stream())
                .mapToLong(row -> row.integer("n").orElse(0))
                .sum();
    }
}
