package io.inferwatch.local.bench;

import io.inferwatch.influx.InfluxClient;
import io.inferwatch.influx.InfluxConnection;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.InfluxSetup;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.jobs.KafkaTopics;
import io.inferwatch.jobs.MeasureSettings;
import io.inferwatch.servers.InfluxProgram;
import io.inferwatch.servers.InfluxServer;
import io.inferwatch.servers.KafkaBroker;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code inferwatch bench latency}: live load through a broker, MeasureJob, StoreJob and InfluxDB, all on this machine; how long after a window's end its points
 * can be read, seen by a query for every tenth replica that is asked again and again; asking for all would take half of InfluxDB's time. A point that became readable between
 * two answers counts with the time of the later one. That all points came, and hold every request once, is looked up in the end.
 */
@Command(
        name = "latency",
        description =
                "From a window's end to its points readable in InfluxDB, beyond the watermark delay, under live load.",
        mixinStandardHelpOptions = true)
final class LatencyBenchCommand implements Callable<Integer> {
    private static final int PARTITIONS = 4;
    private static final int CELLS_PER_REPLICA = 4;
    private static final Duration WINDOW = Duration.ofSeconds(10);
    private static final Duration ASK_INTERVAL = Duration.ofMillis(10);
    private static final Duration PATIENCE = Duration.ofSeconds(8);

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--rate", defaultValue = "50000", description = "Requests a second (default: ${DEFAULT-VALUE}).")
    private long rate;

    @Option(
            names = "--series",
            defaultValue = "2000",
            description = "Replicas, a series each, beside those of models and the fleet (default: ${DEFAULT-VALUE}).")
    private int series;

    @Option(
            names = "--windows",
            defaultValue = "12",
            description = "Ten-second windows to measure (default: ${DEFAULT-VALUE}).")
    private int windows;

    @Option(names = "--warm-up", defaultValue = "6", description = "Windows before them (default: ${DEFAULT-VALUE}).")
    private int warmUp;

    /**
     * How late one point was.
     *
     * @param lateMillis after the window's end, less the watermark delay
     * @param endsMinute whether minute windows ended with it
     */
    private record Sample(double lateMillis, boolean endsMinute) {}

    @Override
    public Integer call() throws Exception {
        CommandSpec command = Objects.requireNonNull(spec);
        if (series < PARTITIONS || series % PARTITIONS != 0 || rate < 1 || windows < 1 || warmUp < 1) {
            throw new ParameterException(
                    command.commandLine(),
                    "--series: must be a multiple of " + PARTITIONS
                            + ", and --rate, --windows, --warm-up at least 1, found " + series + ", " + rate + ", "
                            + windows + ", " + warmUp);
        }
        PrintWriter out = command.commandLine().getOut();
        PrintWriter progress = command.commandLine().getErr();
        Path directory = Files.createTempDirectory("inferwatch-bench-");
        try (KafkaBroker broker = KafkaBroker.start();
                InfluxServer influxd =
                        InfluxServer.start(InfluxProgram.find().get(), InfluxServer.Options.temporary());
                InfluxClient influx = InfluxClient.open(InfluxConnection.of(influxd.url()))) {
            KafkaConnection kafka = KafkaConnection.to(broker.bootstrapServers());
            KafkaTopics.create(kafka, PARTITIONS, (short) 1);
            new InfluxSetup(influx).run();
            try (BenchJobs jobs = new BenchJobs(directory, kafka)) {
                jobs.measure(MeasureSettings.byDefault());
                jobs.store(influx.connection());
                return measure(kafka, new InfluxReader(influx), out, progress);
            }
        } finally {
            ChildProcess.delete(directory);
        }
    }

    private int measure(KafkaConnection kafka, InfluxReader reader, PrintWriter out, PrintWriter progress) {
        FleetLoad.Plan plan =
                new FleetLoad.Plan(PARTITIONS, CELLS_PER_REPLICA * series, PARTITIONS, series, rate, 0, 1);
        long windowMicros = micros(WINDOW);
        long delayMicros = micros(MeasureSettings.byDefault().watermarkDelay());
        List<Sample> samples = new ArrayList<>();
        long missing = 0;
        long miscounted = 0;
        try (LiveLoad load = LiveLoad.start(plan, kafka, WINDOW)) {
            long begin = nowMicros();
            // The first window that is whole.
            long first = begin - Math.floorMod(begin, windowMicros) + 2 * windowMicros;
            long settled = first + (warmUp - 1) * windowMicros;
            tell(progress, "warming up for %d windows", warmUp);
            await(settled + delayMicros + micros(PATIENCE));
            load.check();
            long expected = count(reader, settled);
            long watched = watched(reader, settled);
            tell(
                    progress,
                    "%,d points in a window, %,d of them watched; measuring %d windows",
                    expected,
                    watched,
                    windows);
            // Waiting for the last warm-up window may have taken longer than a window.
            long from = settled + 2 * windowMicros;
            for (int i = 0; i < windows; i++) {
                long end = from + i * windowMicros;
                watch(reader, end, delayMicros, watched, samples);
                load.check();
            }
            await(nowMicros() + micros(PATIENCE));
            for (int i = 0; i < windows; i++) {
                long end = from + i * windowMicros;
                missing += expected - count(reader, end);
                if (fleet(reader, end) != load.requests(end)) {
                    miscounted++;
                }
            }
            long seconds = (nowMicros() - begin) / 1_000_000;
            print(out, samples, load.sent() / seconds, expected, missing, miscounted);
        }
        return missing == 0 && miscounted == 0 ? 0 : 1;
    }

    /** Asks until all watched points of the window can be read; those that cannot within a while count as that late. */
    private static void watch(
            InfluxReader reader, long endMicros, long delayMicros, long expected, List<Sample> samples) {
        boolean endsMinute = Math.floorMod(endMicros, 60_000_000L) == 0;
        long due = endMicros + delayMicros;
        await(due);
        long seen = 0;
        while (seen < expected && nowMicros() < due + micros(PATIENCE)) {
            long now = watched(reader, endMicros);
            double late = (nowMicros() - due) / 1e3;
            for (; seen < now; seen++) {
                samples.add(new Sample(late, endsMinute));
            }
            LockSupport.parkNanos(ASK_INTERVAL.toNanos());
        }
        for (; seen < expected; seen++) {
            samples.add(new Sample(micros(PATIENCE) / 1e3, endsMinute));
        }
    }

    private static long watched(InfluxReader reader, long endMicros) {
        return number(
                reader, "SELECT count(requests) AS n FROM request WHERE replica =~ /7$/ AND time = " + endMicros + "u");
    }

    private static long count(InfluxReader reader, long endMicros) {
        return number(reader, "SELECT count(requests) AS n FROM request WHERE time = " + endMicros + "u");
    }

    private static long fleet(InfluxReader reader, long endMicros) {
        return number(
                reader, "SELECT requests AS n FROM request WHERE \"view\" = 'fleet' AND time = " + endMicros + "u");
    }

    private static long number(InfluxReader reader, String query) {
        return reader.query(RetentionPolicy.R10S, query).stream()
                .flatMap(one -> one.rows().stream())
                .mapToLong(row -> row.integer("n").orElse(0))
                .sum();
    }

    private void print(
            PrintWriter out, List<Sample> samples, long sentPerSecond, long expected, long missing, long miscounted) {
        out.printf(
                Locale.ROOT,
                "%n%,d requests/s asked, %,d sent; %,d series of ten-second windows, %d windows; milliseconds over the watermark delay of %s%n",
                rate,
                sentPerSecond,
                expected,
                windows,
                io.inferwatch.schemas.settings.Settings.write(
                        MeasureSettings.byDefault().watermarkDelay()));
        out.println("| windows | points | p50 | p90 | p99 | max |");
        out.println("|---|---:|---:|---:|---:|---:|");
        row(out, "all", samples);
        row(
                out,
                "that end with a minute",
                samples.stream().filter(Sample::endsMinute).toList());
        row(out, "others", samples.stream().filter(sample -> !sample.endsMinute).toList());
        out.println(
                missing == 0 && miscounted == 0
                        ? "Every point was there, and the fleet's windows hold every request once."
                        : missing + " points were not there within " + PATIENCE.toSeconds() + " s, and " + miscounted
                                + " windows of the fleet do not hold every request once.");
        out.flush();
    }

    private static void row(PrintWriter out, String which, List<Sample> samples) {
        double[] late =
                samples.stream().mapToDouble(Sample::lateMillis).sorted().toArray();
        if (late.length > 0) {
            out.printf(
                    Locale.ROOT,
                    "| %s | %,d | %.0f | %.0f | %.0f | %.0f |%n",
                    which,
                    late.length,
                    atQuantile(late, 0.5),
                    atQuantile(late, 0.9),
                    atQuantile(late, 0.99),
                    late[late.length - 1]);
        }
    }

    private static double atQuantile(double[] sorted, double q) {
        return sorted[Math.max(0, (int) Math.ceil(q * sorted.length) - 1)];
    }

    private static void await(long micros) {
        for (long left = micros - nowMicros(); left > 0; left = micros - nowMicros()) {
            LockSupport.parkNanos(left * 1_000);
        }
    }

    private static long micros(Duration duration) {
        return duration.toNanos() / 1_000;
    }

    private static long nowMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    private static void tell(PrintWriter progress, String format, Object... values) {
        progress.printf(Locale.ROOT, "bench: " + format + "%n", values);
        progress.flush();
    }
}
