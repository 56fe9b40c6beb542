package io.inferwatch.local.bench;

import io.inferwatch.analytics.anomaly.AnomalyDetector;
import io.inferwatch.analytics.anomaly.AnomalyRule;
import io.inferwatch.analytics.anomaly.ForestOpinion;
import io.inferwatch.analytics.anomaly.Scale;
import io.inferwatch.analytics.anomaly.ShapeChannel;
import io.inferwatch.analytics.nab.EventCounts;
import io.inferwatch.analytics.nab.LabelledScores;
import io.inferwatch.analytics.nab.NabScore;
import io.inferwatch.analytics.nab.Profile;
import io.inferwatch.local.bench.NabCorpus.Series;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.IntToDoubleFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code inferwatch bench anomaly}: how good and how dear anomaly detection is. Runs the shape channel, and the whole detector, over the Numenta Anomaly Benchmark's series, each from its first to its last row, with the
 * parameters that everything uses, and scores what they say; then whole detectors over made-up series of windows of a minute, with their state as bytes between windows, as
 * a job keeps it. Time is this thread's processor time.
 */
@Command(
        name = "anomaly",
        description = "What anomaly detection scores on the Numenta Anomaly Benchmark, and what it costs.",
        mixinStandardHelpOptions = true)
final class AnomalyBenchCommand implements Callable<Integer> {
    private static final String DETECTOR = "inferwatch";
    private static final String WHOLE = "inferwatchWhole";
    private static final int FLEET = 100_000;
    private static final int MINUTES_A_DAY = 1_440;

    /** A Monday, 00:00 UTC. */
    private static final long START_MICROS = 1_735_516_800_000_000L;

    private static final long MINUTE_MICROS = 60_000_000;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--nab",
            required = true,
            paramLabel = "DIR",
            description = "A checkout of the benchmark, or a part of it: data/ and labels/combined_windows.json.")
    private @Nullable Path nab;

    @Option(
            names = "--results",
            paramLabel = "DIR",
            description = "Write each row's score there, in the benchmark's format.")
    private @Nullable Path results;

    @Option(names = "--forest", description = "Score the second opinion, Random Cut Forest, too: it takes minutes.")
    private boolean isForest;

    @Option(
            names = "--series",
            defaultValue = "20",
            description = "Made-up series for the cost of a window (default: ${DEFAULT-VALUE}).")
    private int madeUp;

    @Option(
            names = "--days",
            defaultValue = "7",
            description = "Their length, of which the last one is measured (default: ${DEFAULT-VALUE}).")
    private int days;

    @Override
    public Integer call() throws IOException {
        CommandSpec command = Objects.requireNonNull(spec);
        PrintWriter out = command.commandLine().getOut();
        if (madeUp < 1 || days < 3) {
            throw new ParameterException(
                    command.commandLine(),
                    "--series: must be at least 1, and --days at least 3, found " + madeUp + ", " + days);
        }
        List<Series> corpus;
        try {
            corpus = NabCorpus.read(Objects.requireNonNull(nab));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), Objects.requireNonNull(e.getMessage()), e);
        }
        run(DETECTOR, corpus, AnomalyBenchCommand::shape, out);
        run(WHOLE, corpus, WholeDetector::new, out);
        if (isForest) {
            run("randomCutForest", corpus, AnomalyBenchCommand::forest, out);
        }
        printCost(out);
        out.flush();
        return 0;
    }

    private static IntToDoubleFunction shape(Series series) {
        double[] values = series.numbers();
        ShapeChannel channel = new ShapeChannel(AnomalyRule.STANDARD.shape(), LabelledScores.probation(values.length));
        return row -> channel.score(values[row]);
    }

    private static IntToDoubleFunction forest(Series series) {
        double[] values = series.numbers();
        ForestOpinion forest = new ForestOpinion(LabelledScores.probation(values.length));
        return row -> forest.score(values[row]);
    }

    /** Runs a detector, made anew for each series, from each series' first to its last row. */
    private void run(
            String detector, List<Series> corpus, Function<Series, IntToDoubleFunction> detectors, PrintWriter out)
            throws IOException {
        List<LabelledScores> scored = new ArrayList<>();
        long rows = 0;
        long spentNanos = 0;
        for (Series series : corpus) {
            double[] scores = new double[series.values().size()];
            IntToDoubleFunction fresh = detectors.apply(series);
            long before = processorNanos();
            Arrays.setAll(scores, fresh);
            spentNanos += processorNanos() - before;
            rows += scores.length;
            LabelledScores labelled = new LabelledScores(series.file(), scores, series.windows());
            scored.add(labelled);
            if (results != null) {
                NabResults.write(results, detector, series, labelled);
            }
        }
        print(out, detector, scored, spentNanos / 1e3 / rows);
    }

    private static void print(PrintWriter out, String detector, List<LabelledScores> scored, double micros) {
        out.printf(
                Locale.ROOT,
                "%s, %s: %d series, %d rows, %d windows, %.1f us/point with compilation%n%n",
                LocalDate.now(ZoneOffset.UTC),
                detector,
                scored.size(),
                scored.stream().mapToInt(one -> one.scores().length).sum(),
                scored.stream().mapToInt(one -> one.windows().size()).sum(),
                micros);
        Map<Profile, NabScore> best = new TreeMap<>((a, b) -> Profile.ALL.indexOf(a) - Profile.ALL.indexOf(b));
        Profile.ALL.forEach(profile -> best.put(profile, NabScore.best(scored, profile)));
        out.printf("%-24s %8s %10s%n", "profile", "score", "threshold");
        best.forEach((profile, score) ->
                out.printf(Locale.ROOT, "%-24s %8.2f %10.4f%n", profile.name(), score.normalised(), score.threshold()));
        double threshold = Objects.requireNonNull(best.get(Profile.STANDARD)).threshold();
        Map<String, List<LabelledScores>> groups = new TreeMap<>();
        List<LabelledScores> serverLike = new ArrayList<>();
        for (LabelledScores one : scored) {
            groups.computeIfAbsent(one.category(), key -> new ArrayList<>()).add(one);
            if (isServerLike(one.file())) {
                serverLike.add(one);
            }
        }
        out.printf(
                "%n%-24s %6s %8s %8s %6s %6s %9s %7s%n",
                "standard, one threshold", "series", "score", "windows", "found", "alarms", "precision", "recall");
        groups.forEach((category, members) -> printGroup(out, category, members, threshold));
        printGroup(out, "server metrics", serverLike, threshold);
        printGroup(out, "all", scored, threshold);
        out.println();
    }

    private static void printGroup(PrintWriter out, String name, List<LabelledScores> members, double threshold) {
        EventCounts events = EventCounts.at(threshold, members);
        boolean hasWindows = events.windows() > 0;
        out.printf(
                Locale.ROOT,
                "%-24s %6d %8s %8d %6d %6d %9s %7s%n",
                name,
                members.size(),
                hasWindows
                        ? String.format(
                                Locale.ROOT,
                                "%.2f",
                                NabScore.at(threshold, members, Profile.STANDARD)
                                        .normalised())
                        : "-",
                events.windows(),
                events.found(),
                events.alarms(),
                events.alarms() > 0 ? String.format(Locale.ROOT, "%.2f", events.precision()) : "-",
                hasWindows ? String.format(Locale.ROOT, "%.2f", events.recall()) : "-");
    }

    /** Utilisation, bytes, requests and latencies of servers. */
    private static boolean isServerLike(String file) {
        return file.startsWith("realAWSCloudwatch/")
                || List.of(
                                "realKnownCause/cpu_utilization_asg_misconfiguration.csv",
                                "realKnownCause/ec2_request_latency_system_failure.csv",
                                "artificialWithAnomaly/art_load_balancer_spikes.csv")
                        .contains(file);
    }

    private void printCost(PrintWriter out) {
        long windows = 0;
        long spentNanos = 0;
        long bytes = 0;
        for (int i = 0; i < madeUp; i++) {
            SplittableRandom random = new SplittableRandom(i);
            byte[] state = new AnomalyDetector(AnomalyRule.STANDARD, Scale.LOG, Duration.ofMinutes(1)).toBytes();
            int measuredFrom = (days - 1) * MINUTES_A_DAY;
            AnomalyDetector detector = AnomalyDetector.ofBytes(state, AnomalyRule.STANDARD);
            for (int minute = 0; minute < days * MINUTES_A_DAY; minute++) {
                double hour = 2 * Math.PI * minute / MINUTES_A_DAY;
                double value = (2 + Math.sin(hour)) * Math.exp(0.05 * random.nextGaussian());
                long endMicros = START_MICROS + (minute + 1) * MINUTE_MICROS;
                if (minute < measuredFrom) {
                    detector.observe(endMicros, value, FLEET);
                    continue;
                }
                if (minute == measuredFrom) {
                    state = detector.toBytes();
                }
                long before = processorNanos();
                AnomalyDetector restored = AnomalyDetector.ofBytes(state, AnomalyRule.STANDARD);
                restored.observe(endMicros, value, FLEET);
                state = restored.toBytes();
                spentNanos += processorNanos() - before;
                windows++;
            }
            bytes += state.length;
        }
        double micros = spentNanos / 1e3 / windows;
        out.printf(
                Locale.ROOT,
                "whole detectors, windows of a minute, day %d: %.1f us/window with state read and written, %.0f bytes/series; %d series take %.0f %% of a core%n",
                days,
                micros,
                bytes / (double) madeUp,
                FLEET,
                100 * micros * FLEET / 60e6);
    }

    private static long processorNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
