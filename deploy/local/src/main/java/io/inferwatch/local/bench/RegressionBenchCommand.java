package io.inferwatch.local.bench;

import io.inferwatch.analytics.change.Change;
import io.inferwatch.analytics.change.ChangeRule;
import io.inferwatch.analytics.change.ChangeRule.Energy;
import io.inferwatch.analytics.change.Changes;
import io.inferwatch.analytics.change.EnergyDivisive;
import io.inferwatch.analytics.change.PartitionScore;
import io.inferwatch.analytics.change.Run;
import io.inferwatch.analytics.change.RunHistory;
import io.inferwatch.local.bench.RegressionCorpus.Labelled;
import io.inferwatch.local.bench.RegressionCorpus.Marked;
import io.inferwatch.local.bench.RegressionCorpus.Series;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code inferwatch bench regression}: how good and how dear the search for regressions is, beside the method that is widely used, on recorded histories: changes that are found where nothing changed,
 * changes that are found where one was put, agreement with people's marks and with the tests of other projects. Every method has one set of parameters for all. Time is this thread's processor time.
 */
@Command(
        name = "regression",
        description = "What the search for regressions finds in recorded histories of benchmarks, and what it costs.",
        mixinStandardHelpOptions = true)
final class RegressionBenchCommand implements Callable<Integer> {
    private static final double[] STEPS = {0.05, 0.10, 0.20};
    private static final int[] AFTER = {6, 30};
    private static final int SLICE = 60;
    private static final int SLICES_APART = 150;
    private static final int MARGIN = 5;
    private static final String CONTROLS = "%-34s %9s %9s   %-16s %-16s %6s %6s %9s%n";

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--series",
            required = true,
            paramLabel = "DIR",
            description = "Recorded histories: azure_vm_noise/, rocksdb_ci/, tcpd/ and labelled sets, all or some.")
    private @Nullable Path directory;

    @Option(
            names = "--nightly",
            description =
                    "Also count the incidents of runs that come one by one, some of which are withdrawn: it takes minutes.")
    private boolean isNightly;

    private record Method(String name, Function<double[], List<Integer>> search) {
        int[] search(Series series) {
            return search.apply(series.values()).stream()
                    .mapToInt(Integer::intValue)
                    .toArray();
        }
    }

    private static final List<Method> METHODS = List.of(
            rule("inferwatch, any change", ChangeRule.STANDARD.withMinChange(0)),
            rule("inferwatch, 3 %", ChangeRule.STANDARD),
            energy("energy division, any change", Energy.PUBLISHED),
            energy("energy division, 3 %", Energy.PUBLISHED.withMagnitude(0.03)),
            rule(
                    "energy + gates, any change",
                    ChangeRule.STANDARD.withMinChange(0).withCandidates(Energy.PUBLISHED)),
            rule("energy + gates, 3 %", ChangeRule.STANDARD.withCandidates(Energy.PUBLISHED)),
            new Method("never a change", values -> List.of()));

    private static Method rule(String name, ChangeRule rule) {
        return new Method(name, values -> Changes.of(values, rule).confirmed().stream()
                .map(Change::at)
                .toList());
    }

    private static Method energy(String name, Energy energy) {
        return new Method(name, values -> Arrays.stream(EnergyDivisive.of(values, energy))
                .boxed()
                .toList());
    }

    @Override
    public Integer call() throws IOException {
        CommandSpec command = Objects.requireNonNull(spec);
        PrintWriter out = command.commandLine().getOut();
        RegressionCorpus corpus;
        try {
            corpus = RegressionCorpus.read(Objects.requireNonNull(directory));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), Objects.requireNonNull(e.getMessage()), e);
        }
        out.printf(
                Locale.ROOT,
                "%s: without change %d series of rented machines (%d runs) and %d of one RocksDB version (%d runs); %d marked by people%n%n",
                LocalDate.now(ZoneOffset.UTC),
                corpus.azure().size(),
                runs(corpus.azure()),
                corpus.rocksdb().size(),
                runs(corpus.rocksdb()),
                corpus.marked().size());
        printControls(out, corpus);
        printLabelled(out, corpus.labelled());
        if (isNightly) {
            printNightly(out, "rented machines", corpus.azure());
            printNightly(out, "one RocksDB version", corpus.rocksdb());
        }
        out.flush();
        return 0;
    }

    private static int runs(List<Series> series) {
        return series.stream().mapToInt(one -> one.values().length).sum();
    }

    private static void printControls(PrintWriter out, RegressionCorpus corpus) {
        out.printf(
                "%-34s %19s   %-16s %-16s %13s %9s%n",
                "", "false per 1,000", "found, 6 after", "found, 30 after", "TCPD", "");
        out.printf(CONTROLS, "", "machines", "RocksDB", "5 / 10 / 20 %", "5 / 10 / 20 %", "F1", "cover", "us/run");
        for (Method method : METHODS) {
            long before = processorNanos();
            String machines = falsePerThousand(method, corpus.azure());
            double micros = (processorNanos() - before) / 1e3 / Math.max(1, runs(corpus.azure()));
            double f1 = 0;
            double cover = 0;
            for (Marked marked : corpus.marked()) {
                PartitionScore score = PartitionScore.of(
                        marked.series().values().length,
                        method.search.apply(marked.series().values()),
                        marked.marks());
                f1 += score.f1() / corpus.marked().size();
                cover += score.cover() / corpus.marked().size();
            }
            out.printf(
                    CONTROLS,
                    method.name,
                    machines,
                    falsePerThousand(method, corpus.rocksdb()),
                    power(method, corpus, AFTER[0]),
                    power(method, corpus, AFTER[1]),
                    String.format(Locale.ROOT, "%.3f", f1),
                    String.format(Locale.ROOT, "%.3f", cover),
                    String.format(Locale.ROOT, "%.1f", micros));
        }
        out.println();
        for (Series series : corpus.shifted()) {
            out.printf(
                    "machine changed, %s: inferwatch %s%n",
                    series.name(), Arrays.toString(METHODS.get(1).search(series)));
        }
    }

    private static String falsePerThousand(Method method, List<Series> series) {
        int found = series.stream().mapToInt(one -> method.search(one).length).sum();
        return series.isEmpty() ? "-" : String.format(Locale.ROOT, "%.2f", 1e3 * found / runs(series));
    }

    /** The share of slices of sixty runs in which a step that was put so many runs before the end is found within five runs. */
    private static String power(Method method, RegressionCorpus corpus, int after) {
        List<double[]> slices = new ArrayList<>();
        for (List<Series> set : List.of(corpus.azure(), corpus.rocksdb())) {
            for (Series series : set) {
                for (int from = 0; from + SLICE <= series.values().length; from += SLICES_APART) {
                    double[] slice = Arrays.copyOfRange(series.values(), from, from + SLICE);
                    if (canMove(slice)) {
                        slices.add(slice);
                    }
                }
            }
        }
        List<String> shares = new ArrayList<>();
        for (double step : STEPS) {
            long found = slices.stream()
                    .filter(slice -> method.search.apply(moved(slice, after, step)).stream()
                            .anyMatch(at -> Math.abs(at - (SLICE - after)) <= MARGIN))
                    .count();
            shares.add(slices.isEmpty() ? "-" : String.format(Locale.ROOT, "%.2f", (double) found / slices.size()));
        }
        return String.join(" ", shares);
    }

    /** A slice that varies, and of which most values are other than 0, which no factor moves. */
    private static boolean canMove(double[] slice) {
        return Arrays.stream(slice).distinct().count() > 1
                && Arrays.stream(slice).filter(value -> value != 0).count() > SLICE / 2;
    }

    private static double[] moved(double[] slice, int after, double step) {
        double[] moved = slice.clone();
        for (int i = SLICE - after; i < SLICE; i++) {
            moved[i] *= 1 + step;
        }
        return moved;
    }

    private static void printLabelled(PrintWriter out, List<Labelled> labelled) {
        Map<String, List<Labelled>> sets = new TreeMap<>();
        labelled.forEach(
                one -> sets.computeIfAbsent(one.set(), key -> new ArrayList<>()).add(one));
        if (sets.isEmpty()) {
            return;
        }
        out.printf("%n%-34s", "expected changes: found, and others");
        sets.forEach((set, members) -> out.printf(
                "%18s",
                set + " (" + members.stream().mapToInt(one -> one.from().size()).sum() + ")"));
        out.println();
        for (Method method : METHODS) {
            out.printf("%-34s", method.name);
            for (List<Labelled> members : sets.values()) {
                int found = 0;
                int others = 0;
                for (Labelled one : members) {
                    int[] search = method.search(one.series());
                    int hits = hits(search, one);
                    found += hits;
                    others += (int) Arrays.stream(search)
                            .filter(at -> !isExpected(at, one))
                            .count();
                }
                out.printf("%18s", found + " + " + others);
            }
            out.println();
        }
    }

    private static int hits(int[] found, Labelled labelled) {
        int hits = 0;
        for (int i = 0; i < labelled.from().size(); i++) {
            int from = labelled.from().get(i) - MARGIN;
            int to = labelled.to().get(i) + MARGIN;
            hits += Arrays.stream(found).anyMatch(at -> at >= from && at <= to) ? 1 : 0;
        }
        return hits;
    }

    private static boolean isExpected(int at, Labelled labelled) {
        for (int i = 0; i < labelled.from().size(); i++) {
            if (at >= labelled.from().get(i) - MARGIN && at <= labelled.to().get(i) + MARGIN) {
                return true;
            }
        }
        return labelled.optional().stream().anyMatch(row -> Math.abs(at - row) <= MARGIN);
    }

    /** Each run is a commit's of its own, looked at when it comes, among the last 500. */
    private static void printNightly(PrintWriter out, String name, List<Series> series) {
        int opened = 0;
        int withdrawn = 0;
        long before = processorNanos();
        for (Series one : series) {
            RunHistory history = new RunHistory(ChangeRule.STANDARD.withMinChange(0));
            Set<Long> closed = new HashSet<>();
            for (int night = 0; night < one.values().length; night++) {
                RunHistory.News news =
                        history.observe(new Run(night * 86_400_000_000L, "c" + night, one.values()[night]));
                opened += news.opened().size();
                news.closed().forEach(incident -> closed.add(incident.id()));
            }
            withdrawn += closed.size();
        }
        out.printf(
                Locale.ROOT,
                "night by night, %s, any change: %.2f incidents per 1,000 runs, %.2f of them withdrawn or recovered later; %.1f ms a run%n",
                name,
                1e3 * opened / runs(series),
                1e3 * withdrawn / runs(series),
                (processorNanos() - before) / 1e6 / runs(series));
    }

    private static long processorNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
