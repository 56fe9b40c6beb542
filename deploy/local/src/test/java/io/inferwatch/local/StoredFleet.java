package io.inferwatch.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inferwatch.influx.InfluxClient;
import io.inferwatch.influx.InfluxConnection;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.InfluxWriter;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.jobs.KafkaTopics;
import io.inferwatch.jobs.MeasureJob;
import io.inferwatch.jobs.MeasureSettings;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.servers.InfluxProgram;
import io.inferwatch.servers.InfluxServer;
import io.inferwatch.servers.KafkaBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;

/** The {@link WatchedFleet} in InfluxDB, brought there by the real jobs, and verdicts on it under the names that they are stored by. */
final class StoredFleet implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final String HEALTH_INTERVAL = "metrics.reporter.inferwatch.interval";

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final InfluxConnection influx;

    private StoredFleet(InfluxProgram program, Path data) throws Exception {
        KafkaBroker broker = KafkaBroker.start(KafkaBroker.Options.in(data.resolve("kafka")));
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
        FlinkCluster flink = FlinkCluster.start(
                FlinkCluster.Options.in(data.resolve("flink")).withSettings(settings(kafka)));
        opened.push(flink);
        measure(flink, kafka);
        LocalJobs.startStore(flink, kafka, influx);
        InfluxClient client = InfluxClient.open(influx);
        opened.push(client);
        assertThat(new InfluxWriter(client).write(RetentionPolicy.R1M.policyName(), verdicts(now)))
                .satisfies(report -> assertThat(report.refused()).isEmpty());
        awaitAll(new InfluxReader(client), fleet.requests());
    }

    static StoredFleet start(InfluxProgram program, Path data) throws Exception {
        return new StoredFleet(program, data);
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

    /** Long enough ago that an hour has ended since. */
    private static Instant start(Instant now) {
        Instant hour = now.truncatedTo(ChronoUnit.HOURS).minus(Duration.ofMinutes(1));
        Instant usual = now.minus(Duration.ofMinutes(35));
        return usual.isBefore(hour) ? usual : hour;
    }

    /** The measuring job has an end, which may come before the usual ten seconds in which it would tell of its health. */
    private static Map<String, String> settings(KafkaConnection kafka) {
        Map<String, String> settings = new HashMap<>(LocalJobs.clusterSettings(kafka));
        assertThat(settings.replace(HEALTH_INTERVAL, "500 MILLISECONDS")).isNotNull();
        return settings;
    }

    /** With an end, which ends every window; nothing is late, however slowly a busy machine reads. */
    private static void measure(FlinkCluster flink, KafkaConnection kafka) {
        String catalogue = MetricCatalogue.shippedYaml();
        var unused = flink.start(
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
        await("samples, alerts, health").atMost(PATIENCE).untilAsserted(() -> {
            for (String view : List.of("engine-replica", "gpu-device")) {
                String measurement = view.substring(0, view.indexOf('-'));
                assertThat(reader.query(
                                RetentionPolicy.R1M,
                                "SELECT last(samples) FROM " + measurement + " WHERE view = '" + view
                                        + "' GROUP BY replica, gpu"))
                        .hasSize(WatchedFleet.SERVERS);
            }
            assertThat(reader.query(RetentionPolicy.R1H, "SELECT state FROM alert GROUP BY fingerprint"))
                    .hasSize(2);
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

    /** A model whose new version is slower by a quarter, from twenty minutes ago on; half of what is seen is due to longer prompts. */
    private static List<String> verdicts(Instant now) {
        List<String> lines = new ArrayList<>();
        for (int minute = 40; minute >= 1; minute--) {
            long at = ChronoUnit.MICROS.between(Instant.EPOCH, now.truncatedTo(ChronoUnit.MINUTES))
                    - minute * 60_000_000L;
            for (String version : List.of("v1", "v2")) {
                boolean isSlow = version.equals("v2") && minute <= 20;
                double change = isSlow ? 0.24 + 0.01 * Math.sin(minute) : 0.01 * Math.sin(minute + version.hashCode());
                lines.add(String.format(
                        Locale.ROOT,
                        "drift,view=mix-model-version,model=simulated-llama-3.1-8b,version=%s,metric=ttft,statistic=p99 "
                                + "verdict=\"%s\",adjusted_verdict=\"%s\",change=%f,change_low=%f,change_high=%f,"
                                + "adjusted_change=%f,adjusted_change_low=%f,adjusted_change_high=%f,mix_share=%f,"
                                + "detectable_change=0.04,threshold=0.03,p=%f,n=840i,n_baseline=50400i %d",
                        version,
                        isSlow ? "DRIFT" : "NO_DRIFT",
                        isSlow ? "DRIFT" : "NO_DRIFT",
                        change,
                        change - 0.03,
                        change + 0.03,
                        change / 2,
                        change / 2 - 0.03,
                        change / 2 + 0.03,
                        isSlow ? 0.5 : 0.1,
                        isSlow ? 0.0004 : 0.4,
                        at));
                lines.add(String.format(
                        Locale.ROOT,
                        "mix,view=mix-model-version,model=simulated-llama-3.1-8b,version=%s,metric=ttft,statistic=p99 "
                                + "total=%f,mix=%f,rate=%f,mix_share=0.5,mean_total=%f,mean_mix=%f,mean_rate=%f %d",
                        version,
                        change / 5,
                        change / 10,
                        change / 10,
                        change / 5,
                        change / 10,
                        change / 10,
                        at));
            }
            lines.add(
                    "comparison,comparison=template,view=template-model,model=simulated-llama-3.1-8b,template=react,against=zero-shot,"
                            + "metric=ttft,statistic=mean verdict=\"DRIFT\",change=0.27,change_low=0.19,change_high=0.36,p=0.0002,"
                            + "n=840i,n_baseline=840i,current=0.61,baseline=0.48 " + at);
        }
        return lines;
    }
}
