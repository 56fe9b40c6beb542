package io.inferwatch.local.bench;

import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.jobs.KafkaTopics;
import io.inferwatch.servers.KafkaBroker;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code inferwatch bench pipeline}: fills the requests topic once for each number of cells and lets every contestant work through it, each in a
 * fresh JVM. A figure of MeasureJob is printed only when the windows that it wrote hold every request once.
 */
@Command(
        name = "pipeline",
        description =
                "Events a second and processor time an event of MeasureJob, beside polling alone, on the same topic.",
        mixinStandardHelpOptions = true)
final class PipelineBenchCommand implements Callable<Integer> {
    private static final int PARTITIONS = 4;
    private static final int MOST_REPLICAS = 1_000;
    private static final long SEED = 1;
    private static final long QUICK_REQUESTS = 2_000_000;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--events",
            defaultValue = "15000000",
            description = "Requests in the topic (default: ${DEFAULT-VALUE}).")
    private long events;

    @Option(
            names = "--cells",
            split = ",",
            defaultValue = "200,5000,50000",
            description = "Distinct combinations of dimension values in a pane (default: ${DEFAULT-VALUE}).")
    private int @Nullable [] cells;

    @Option(
            names = "--event-rate",
            defaultValue = "500000",
            description =
                    "Requests in a second of event time (default: ${DEFAULT-VALUE}): the fewer, the more windows for the same events.")
    private long eventRate;

    @Option(
            names = "--only",
            split = ",",
            converter = ContestantConverter.class,
            description =
                    "Contestants: poll, decode, measure-hashmap, measure-rocksdb, kafka-streams, flink-sql (default: all but the peers).")
    private Contestant @Nullable [] only;

    @Option(
            names = "--peers",
            description =
                    "Also the same three distributions in Kafka Streams and in Flink SQL; needs a build with -Ppeers.")
    private boolean peers;

    @Option(names = "--quick", description = "200 cells and 2,000,000 requests: shows that it works, measures little.")
    private boolean quick;

    @Option(names = "--jfr", description = "Writes a flight recording of each contestant into this directory.")
    private @Nullable Path recordings;

    /** One row of the table. */
    private record Row(Contestant contestant, SteadyState steady, WindowCheck.@Nullable Result check) {}

    @Override
    public Integer call() throws Exception {
        CommandSpec command = Objects.requireNonNull(spec);
        PrintWriter out = command.commandLine().getOut();
        PrintWriter progress = command.commandLine().getErr();
        List<Contestant> contestants = contestants();
        boolean valid = true;
        for (int cellCount : quick ? new int[] {200} : Objects.requireNonNull(cells)) {
            FleetLoad.Plan plan = plan(quick ? QUICK_REQUESTS : events, cellCount);
            try (KafkaBroker broker =
                    KafkaBroker.start(KafkaBroker.Options.temporary().withHeap("1g"))) {
                KafkaConnection kafka = KafkaConnection.to(broker.bootstrapServers());
                KafkaTopics.create(kafka, PARTITIONS, (short) 1);
                tell(progress, "%,d cells: filling the topic with %,d requests", cellCount, plan.requests());
                LoadedTopic topic = LoadedTopic.fill(kafka, plan);
                tell(
                        progress,
                        "%,d records of %d bytes in %.0f s",
                        topic.records(),
                        topic.bytes() / topic.records(),
                        topic.seconds());
                List<Row> rows = new ArrayList<>();
                for (Contestant contestant : contestants) {
                    tell(progress, "measuring %s", contestant.title());
                    Row row = measure(broker, plan, topic, contestant);
                    rows.add(row);
                    valid &= row.check == null || row.check.isWhole();
                }
                print(out, plan, topic, rows);
            }
        }
        return valid ? 0 : 1;
    }

    private List<Contestant> contestants() {
        List<Contestant> contestants = only != null
                ? List.of(only)
                : Arrays.stream(Contestant.values())
                        .filter(contestant -> peers || !contestant.isPeer())
                        .toList();
        if (contestants.stream().anyMatch(Contestant::isPeer) && !PipelineChild.hasPeers()) {
            throw new ParameterException(
                    Objects.requireNonNull(spec).commandLine(),
                    "--peers: must be built in, found a build without: mvn -q -pl deploy/local -am -Ppeers -DskipTests -Dquick package");
        }
        return contestants;
    }

    /** Event time begins ten seconds before a full minute, so that every kind of window ends within what is measured. */
    private FleetLoad.Plan plan(long requests, int cellCount) {
        long past = Instant.now()
                .minus(Duration.ofSeconds(requests / Math.max(1, eventRate)))
                .minus(Duration.ofMinutes(2))
                .truncatedTo(ChronoUnit.MINUTES)
                .minusSeconds(10)
                .toEpochMilli();
        try {
            return new FleetLoad.Plan(requests, cellCount, PARTITIONS, MOST_REPLICAS, eventRate, past * 1_000, SEED);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(Objects.requireNonNull(spec).commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private Row measure(KafkaBroker broker, FleetLoad.Plan plan, LoadedTopic topic, Contestant contestant)
            throws Exception {
        if (!contestant.isMeasureJob()) {
            return new Row(contestant, ChildProcess.measure(broker, topic, contestant, recordings), null);
        }
        WindowCheck check = WindowCheck.begin(KafkaConnection.to(broker.bootstrapServers()));
        SteadyState steady = ChildProcess.measure(broker, topic, contestant, recordings);
        return new Row(contestant, steady, check.end(plan.requests()));
    }

    private static void print(PrintWriter out, FleetLoad.Plan plan, LoadedTopic topic, List<Row> rows) {
        Optional<SteadyState> polled = rows.stream()
                .filter(row -> row.contestant == Contestant.POLL)
                .map(Row::steady)
                .findFirst();
        out.printf(
                Locale.ROOT,
                "%n%,d cells, %d replicas; %,d records of %d bytes in %d partitions, %,d requests per second of event time%n",
                plan.cells(),
                plan.replicas(),
                topic.records(),
                topic.bytes() / topic.records(),
                plan.partitions(),
                plan.requestsPerSecond());
        out.println("| contestant | events/s | of poll only | by CPU | CPU us/event | broker us/event | others, cores "
                + "| measured, s | whole, s | windows |");
        out.println("|---|---:|---:|---:|---:|---:|---:|---:|---:|---|");
        for (Row row : rows) {
            boolean isVoid = row.check != null && !row.check.isWhole();
            out.printf(
                    Locale.ROOT,
                    "| %s | %s | %s | %s | %.2f | %.2f | %.2f | %.1f | %.1f | %s |%n",
                    row.contestant.title(),
                    isVoid ? "void" : String.format(Locale.ROOT, "%,.0f", row.steady.rate()),
                    isVoid ? "-" : ratio(polled.map(poll -> row.steady.rate() / poll.rate())),
                    isVoid ? "-" : ratio(polled.map(poll -> poll.bothMicros() / row.steady.bothMicros())),
                    row.steady.cpuMicros(),
                    row.steady.brokerMicros(),
                    row.steady.othersCores(),
                    row.steady.seconds(),
                    row.steady.wholeSeconds(),
                    row.check == null ? "" : row.check.sentence());
        }
        out.flush();
    }

    private static String ratio(Optional<Double> ratio) {
        return ratio.map(value -> String.format(Locale.ROOT, "%.2f", value)).orElse("-");
    }

    private static void tell(PrintWriter progress, String format, Object... values) {
        progress.printf(Locale.ROOT, "bench: " + format + "%n", values);
        progress.flush();
    }

    /** Contestants as they are named on the command line. */
    static final class ContestantConverter implements picocli.CommandLine.ITypeConverter<Contestant> {
        @Override
        public Contestant convert(String label) {
            return Arrays.stream(Contestant.values())
                    .filter(contestant -> contestant.label().equals(label))
                    .findFirst()
                    .orElseThrow(() -> new picocli.CommandLine.TypeConversionException("must be one of "
                            + String.join(
                                    ", ",
                                    Arrays.stream(Contestant.values())
                                            .map(Contestant::label)
                                            .toList())
                            + ", found '" + label + "'"));
        }
    }
}
