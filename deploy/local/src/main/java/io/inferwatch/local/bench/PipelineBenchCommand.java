package io.inferwatch.local.bench;

import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.jobs.KafkaTopics;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.servers.KafkaBroker;
import java.io.IOException;
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
                    "Contestants: poll, decode, measure-hashmap, measure-rocksdb, measure-as-peers, kafka-streams, flink-sql (default: the first four).")
    private Contestant @Nullable [] only;

    @Option(
            names = "--peers",
            description =
                    "Also three distributions by replica in MeasureJob, in Kafka Streams and in Flink SQL; needs a build with -Ppeers.")
    private boolean peers;

    @Option(names = "--quick", description = "200 cells and 2,000,000 requests: shows that it works, measures little.")
    private boolean quick;

    @Option(names = "--jfr", description = "Writes a flight recording of each contestant into this directory.")
    private @Nullable Path recordings;

    /** One row of the table; without a steady state where the contestant failed. */
    private record Row(Contestant contestant, Optional<SteadyState> steady, WindowCheck.@Nullable Result check) {
        boolean isValid() {
            return steady.isPresent() && (check == null || check.isWhole());
        }
    }

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
                    Row row = measure(broker, plan, topic, contestant, progress);
                    rows.add(row);
                    valid &= row.isValid();
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
                        .filter(contestant -> peers || !contestant.isForPeers())
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

    /** A contestant that fails takes none of the others' figures with it. */
    private Row measure(
            KafkaBroker broker, FleetLoad.Plan plan, LoadedTopic topic, Contestant contestant, PrintWriter progress)
            throws IOException, InterruptedException, UndecodableEventException {
        WindowCheck check = WindowCheck.begin(KafkaConnection.to(broker.bootstrapServers()));
        SteadyState steady;
        try {
            steady = ChildProcess.measure(broker, topic, contestant, recordings);
        } catch (IllegalStateException e) {
            tell(progress, "%s", String.valueOf(e.getMessage()));
            return new Row(contestant, Optional.empty(), null);
        }
        return new Row(
                contestant,
                Optional.of(steady),
                contestant.isMeasureJob()
                        ? check.end(plan.requests(), contestant == Contestant.MEASURE_AS_PEERS ? "replica" : "fleet")
                        : null);
    }

    private static void print(PrintWriter out, FleetLoad.Plan plan, LoadedTopic topic, List<Row> rows) {
        Optional<SteadyState> polled = rows.stream()
                .filter(row -> row.contestant == Contestant.POLL)
                .flatMap(row -> row.steady.stream())
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
            if (row.steady.isEmpty()) {
                out.printf(Locale.ROOT, "| %s | failed | - | - | - | - | - | - | - | |%n", row.contestant.title());
                continue;
            }
            SteadyState steady = row.steady.get();
            out.printf(
                    Locale.ROOT,
                    "| %s | %s | %s | %s | %.2f | %.2f | %.2f | %.1f | %.1f | %s |%n",
                    row.contestant.title(),
                    row.isValid() ? String.format(Locale.ROOT, "%,.0f", steady.rate()) : "void",
                    row.isValid() ? ratio(polled.map(poll -> steady.rate() / poll.rate())) : "-",
                    row.isValid() ? ratio(polled.map(poll -> poll.bothMicros() / steady.bothMicros())) : "-",
                    steady.cpuMicros(),
                    steady.brokerMicros(),
                    steady.othersCores(),
                    steady.seconds(),
                    steady.wholeSeconds(),
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
