package io.inferwatch.report;

import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code inferwatch report drift}: values of a dimension compared over any period, or the latest verdicts on what is watched. */
@Command(
        name = "drift",
        description = "With --baseline compares the values of a dimension over any period of whole minutes, from the"
                + " sketches of one-minute windows. Without it tells the latest verdict on each key that is watched"
                + " for drift.",
        mixinStandardHelpOptions = true)
public final class DriftCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int NO_DATA = 1;
    private static final int DRIFT = 1;

    @Option(names = "--metric", required = true, paramLabel = "NAME", description = "Metric, such as ttft or e2e.")
    private String metric = "";

    @Option(
            names = "--statistic",
            paramLabel = "NAME",
            description = "p50, p90, p95, p99 or mean. Default: p99 with --baseline, else all that are watched")
    private @Nullable String statistic;

    @Option(
            names = "--by",
            split = ",",
            paramLabel = "DIMENSION",
            description = "The dimension whose values are compared, such as version; without --baseline those to tell"
                    + " apart. Default: the whole fleet")
    private List<String> by = List.of();

    @Option(names = "--baseline", paramLabel = "VALUE", description = "The value that the others are compared with.")
    private @Nullable String baseline;

    @Option(
            names = "--candidate",
            paramLabel = "VALUE",
            description =
                    "The value to judge. Default: all others, with the share of false alarms over them below 5 %%")
    private @Nullable String candidate;

    @Option(
            names = "--threshold",
            paramLabel = "PERCENT",
            description = "With --baseline: the change that matters, such as 5%%. Default: the catalogue's")
    private @Nullable String threshold;

    @Option(
            names = "--fail-on-drift",
            description = "End with status 1 when a verdict is DRIFT; without --baseline when a drift is confirmed.")
    private boolean failOnDrift;

    @Mixin
    private final ReadingOptions reading = new ReadingOptions();

    @Spec
    private @Nullable CommandSpec spec;

    private final InstantSource clock;

    /** A command that takes now from the system. */
    public DriftCommand() {
        this(InstantSource.system());
    }

    DriftCommand(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public Integer call() {
        return reading.answer(spec, clock, this::question);
    }

    private ReadingOptions.Answer question(MetricCatalogue metrics, Instant from, Instant to) {
        Optional<String> statisticAsked = Optional.ofNullable(statistic);
        if (baseline == null) {
            requireNoBaselineNeeded("--candidate", candidate);
            requireNoBaselineNeeded("--threshold", threshold);
            StandingRequest request = StandingRequest.of(metrics, metric, statisticAsked, by, from, to);
            return (reader, out, err) -> tell(StandingReport.read(request, reader), out, err);
        }
        ComparisonRequest request = ComparisonRequest.of(
                metrics,
                metric,
                statisticAsked,
                by,
                baseline,
                Optional.ofNullable(candidate),
                Optional.ofNullable(threshold),
                from,
                to);
        return (reader, out, err) -> compare(request, new StoredSketches(reader), out, err);
    }

    private int compare(ComparisonRequest request, StoredSketches sketches, PrintWriter out, PrintWriter err) {
        Arms arms = new Arms(request);
        sketches.read(request.sketches(), arms);
        if (arms.byValue().isEmpty()) {
            err.println(sketches.noData(request.sketches()));
            return NO_DATA;
        }
        ComparisonReport report = ComparisonReport.of(request, arms);
        if (report.judged().isEmpty()) {
            err.println("no data: from " + request.sketches().from() + " to "
                    + request.sketches().to() + " there is no " + request.dimension() + " but "
                    + request.baseline());
            return NO_DATA;
        }
        if (reading.isJson()) {
            out.println(ComparisonText.json(report));
        } else {
            ComparisonText.table(report).forEach(out::println);
        }
        return failOnDrift && report.hasDrift() ? DRIFT : OK;
    }

    private int tell(StandingReport report, PrintWriter out, PrintWriter err) {
        if (report.keys().isEmpty()) {
            err.println("no data: view " + report.request().view().name() + " has no verdicts on " + metric + " from "
                    + report.request().from() + " to " + report.request().to());
            return NO_DATA;
        }
        if (reading.isJson()) {
            out.println(StandingText.json(report));
        } else {
            StandingText.table(report).forEach(out::println);
        }
        return failOnDrift && report.hasDrift() ? DRIFT : OK;
    }

    private static void requireNoBaselineNeeded(String option, @Nullable String value) {
        if (value != null) {
            throw new InvalidRequestException(option + ": must come with --baseline, found it alone");
        }
    }
}
