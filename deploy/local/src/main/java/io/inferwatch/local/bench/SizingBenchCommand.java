package io.inferwatch.local.bench;

import io.inferwatch.influx.Field;
import io.inferwatch.influx.InfluxClient;
import io.inferwatch.influx.InfluxConnection;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.InfluxSetup;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.jobs.KafkaTopics;
import io.inferwatch.jobs.MeasureSettings;
import io.inferwatch.schemas.Topic;
import io.inferwatch.servers.InfluxProgram;
import io.inferwatch.servers.InfluxServer;
import io.inferwatch.servers.KafkaBroker;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code inferwatch bench sizing}: what a fleet's requests come to. Publishes some event time of a made-up fleet, lets all three jobs work through it, and counts what is there then: series and
 * points in InfluxDB, its compacted bytes and Kafka's on disk, state in savepoints. Points are those of whole minutes; Kafka's bytes a day are what there is by the event time that it took.
 */
@Command(
        name = "sizing",
        description = "Series, points a second, state and bytes a day of a fleet, by running it through all jobs.",
        mixinStandardHelpOptions = true)
final class SizingBenchCommand implements Callable<Integer> {
    private static final int PARTITIONS = 4;
    private static final int CELLS_PER_REPLICA = 40;
    private static final Duration PATIENCE = Duration.ofMinutes(20);
    private static final Duration SETTLED = Duration.ofSeconds(8);
    private static final Duration COMPACTED = Duration.ofSeconds(30);
    private static final double DAY_SECONDS = 86_400;
    private static final double MEGA = 1e6;

    private static final List<Measurement> COUNTED = List.of(
            Measurement.REQUEST,
            Measurement.DRIFT,
            Measurement.MIX,
            Measurement.COMPARISON,
            Measurement.STAGE,
            Measurement.PROMPT_SHAPE,
            Measurement.KV_JOINT);

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--replicas", defaultValue = "100", description = "Replicas (default: ${DEFAULT-VALUE}).")
    private int replicas;

    @Option(
            names = "--rate",
            defaultValue = "10",
            description = "Requests a second of each replica (default: ${DEFAULT-VALUE}).")
    private int rate;

    @Option(
            names = "--minutes",
            defaultValue = "30",
            description = "Event time to run through (default: ${DEFAULT-VALUE}).")
    private int minutes;

    @Override
    public Integer call() throws Exception {
        CommandSpec command = Objects.requireNonNull(spec);
        if (replicas < PARTITIONS || replicas % PARTITIONS != 0 || rate < 1 || minutes < 3) {
            throw new ParameterException(
                    command.commandLine(),
                    "--replicas: must be a multiple of " + PARTITIONS
                            + ", --rate at least 1 and --minutes at least 3, found " + replicas + ", " + rate + ", "
                            + minutes);
        }
        PrintWriter progress = command.commandLine().getErr();
        Path directory = Files.createTempDirectory("inferwatch-bench-");
        try (KafkaBroker broker = KafkaBroker.start();
                InfluxServer influxd = InfluxServer.start(
                        InfluxProgram.find().get(),
                        InfluxServer.Options.temporary().compactedEarly());
                InfluxClient influx = InfluxClient.open(InfluxConnection.of(influxd.url()))) {
            KafkaConnection kafka = KafkaConnection.to(broker.bootstrapServers());
            KafkaTopics.create(kafka, PARTITIONS, (short) 1);
            new InfluxSetup(influx).run();
            Instant end = Instant.now().truncatedTo(ChronoUnit.MINUTES);
            FleetLoad.Plan plan = new FleetLoad.Plan(
                    60L * minutes * replicas * rate,
                    CELLS_PER_REPLICA * replicas,
                    PARTITIONS,
                    replicas,
                    (long) replicas * rate,
                    1_000 * end.minus(Duration.ofMinutes(minutes)).toEpochMilli(),
                    1);
            LoadedTopic loaded = LoadedTopic.fill(kafka, plan);
            tell(progress, "%,d events of %d minutes; the jobs work through them", loaded.records(), minutes);
            try (BenchJobs jobs = new BenchJobs(directory, kafka)) {
                jobs.measure(MeasureSettings.parse("bench sizing", "alignment-drift: 1h"));
                jobs.detect();
                jobs.store(influx.connection());
                InfluxReader reader = new InfluxReader(influx);
                Map<String, Long> points = settled(reader, progress);
                Map<String, Long> state = new LinkedHashMap<>();
                for (String job : List.of("measure", "detect")) {
                    state.put(job, bytes(jobs.stop(job)));
                }
                print(
                        command.commandLine().getOut(),
                        reader,
                        points,
                        state,
                        compacted(influxd.dataDirectory()),
                        kafkaBytes(kafka));
            }
        } finally {
            ChildProcess.delete(directory);
        }
        return 0;
    }

    /** Points by policy and measurement, once they have not grown for a while. */
    private Map<String, Long> settled(InfluxReader reader, PrintWriter progress) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        Map<String, Long> last = Map.of();
        long since = System.nanoTime();
        while (System.nanoTime() < deadline) {
            Map<String, Long> now = points(reader);
            if (!now.equals(last)) {
                last = now;
                since = System.nanoTime();
                tell(
                        progress,
                        "%,d points",
                        now.values().stream().mapToLong(n -> n).sum());
            } else if (!now.isEmpty() && System.nanoTime() - since > SETTLED.toNanos()) {
                return now;
            }
            LockSupport.parkNanos(Duration.ofSeconds(2).toNanos());
        }
        throw new IllegalStateException("points still came after " + PATIENCE.toMinutes() + " minutes");
    }

    private static Map<String, Long> points(InfluxReader reader) {
        Map<String, Long> points = new LinkedHashMap<>();
        for (RetentionPolicy policy : List.of(RetentionPolicy.R10S, RetentionPolicy.R1M)) {
            for (Measurement measurement : COUNTED) {
                String name = measurement.measurementName();
                long n = number(reader, policy, "SELECT count(\"" + always(measurement) + "\") AS n FROM " + name);
                if (n > 0) {
                    points.put(policy.policyName() + " " + name, n);
                }
            }
        }
        return points;
    }

    /** A field that all of its points have. */
    private static String always(Measurement measurement) {
        return switch (measurement) {
            case REQUEST -> Field.REQUESTS;
            case MIX -> Field.TOTAL;
            default -> Field.N;
        };
    }

    private void print(
            PrintWriter out,
            InfluxReader reader,
            Map<String, Long> points,
            Map<String, Long> state,
            long influxBytes,
            Map<Topic, Long> kafkaBytes) {
        double seconds = 60.0 * minutes;
        long series = number(
                reader,
                RetentionPolicy.R1M,
                "SELECT count(n) AS n FROM (SELECT last(requests) AS n FROM request GROUP BY *)");
        long all = points.values().stream().mapToLong(n -> n).sum();
        out.printf(
                Locale.ROOT,
                "%n%d replicas, %,d requests/s, %d minutes of event time%n",
                replicas,
                (long) replicas * rate,
                minutes);
        out.println("| | |");
        out.println("|---|---:|");
        row(out, "series of requests", "%,.0f", (double) series);
        points.forEach((name, n) -> row(out, "points/s, " + name, "%.1f", n / seconds));
        row(out, "**points/s**", "%.1f", all / seconds);
        state.forEach((job, bytes) -> row(out, "state of " + job + ", MB", "%.1f", bytes / MEGA));
        // Names of series and fields lie in every shard once: what a day comes to is told by two runs of different
        // length.
        row(out, "InfluxDB, MB of these minutes", "%.1f", influxBytes / MEGA);
        kafkaBytes.forEach((topic, bytes) ->
                row(out, "Kafka, " + topic.topicName() + ", MB/day", "%,.0f", bytes / seconds * DAY_SECONDS / MEGA));
        out.flush();
    }

    private static void row(PrintWriter out, String what, String format, double value) {
        out.printf(Locale.ROOT, "| %s | " + format + " |%n", what, value);
    }

    private static long number(InfluxReader reader, RetentionPolicy policy, String query) {
        return reader.query(policy, query).stream()
                .flatMap(one -> one.rows().stream())
                .mapToLong(row -> row.integer("n").orElse(0))
                .sum();
    }

    /** What the topics that grow with the fleet take on disk, compressed as the producers do. */
    private static Map<Topic, Long> kafkaBytes(KafkaConnection kafka) throws Exception {
        var properties = kafka.clientProperties();
        properties.put("bootstrap.servers", kafka.bootstrapServers());
        Map<Topic, Long> bytes = new LinkedHashMap<>();
        try (Admin admin = Admin.create(properties)) {
            List<Integer> brokers = admin.describeCluster().nodes().get().stream()
                    .map(node -> node.id())
                    .toList();
            for (var logs :
                    admin.describeLogDirs(brokers).allDescriptions().get().values()) {
                for (var log : logs.values()) {
                    log.replicaInfos().forEach((partition, replica) -> {
                        for (Topic topic : List.of(Topic.REQUESTS, Topic.WINDOWS, Topic.RESULTS)) {
                            if (topic.topicName().equals(partition.topic())) {
                                bytes.merge(topic, replica.size(), Long::sum);
                            }
                        }
                    });
                }
            }
        }
        return bytes;
    }

    /** What InfluxDB has on disk once it has not changed for a while. */
    private static long compacted(Path directory) throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        long last = bytes(directory);
        long since = System.nanoTime();
        while (System.nanoTime() < deadline && System.nanoTime() - since < COMPACTED.toNanos()) {
            LockSupport.parkNanos(Duration.ofSeconds(1).toNanos());
            long now = bytes(directory);
            if (now != last) {
                last = now;
                since = System.nanoTime();
            }
        }
        return last;
    }

    /** Files that go away meanwhile, as compacted ones do, count as nothing. */
    static long bytes(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            long sum = 0;
            for (Path file : files.toList()) {
                sum += file.toFile().isFile() ? file.toFile().length() : 0;
            }
            return sum;
        }
    }

    private static void tell(PrintWriter progress, String format, Object... values) {
        progress.printf(Locale.ROOT, format + "%n", values);
        progress.flush();
    }
}
