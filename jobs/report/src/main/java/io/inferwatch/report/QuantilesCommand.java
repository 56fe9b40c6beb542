package io.inferwatch.report;

import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code inferwatch report quantiles}: the quantiles of a metric over any period, from the stored sketches. */
@Command(
        name = "quantiles",
        description = "Quantiles of a metric over any period of whole minutes, with 95 %% confidence limits, from the"
                + " sketches of one-minute windows: within 0.4 %% of those of the values themselves.",
        mixinStandardHelpOptions = true)
public final class QuantilesCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int NO_DATA = 1;

    @Option(names = "--metric", required = true, paramLabel = "NAME", description = "Metric, such as ttft or e2e.")
    private String metric = "";

    @Option(
            names = {"-q", "--q"},
            split = ",",
            paramLabel = "Q",
            description = "Quantiles, above 0 and below 1. Default: ${DEFAULT-VALUE}",
            defaultValue = "0.5,0.99")
    private List<Double> q = List.of();

    @Option(
            names = "--by",
            split = ",",
            paramLabel = "DIMENSION",
            description = "Dimensions to tell apart, such as model or replica. Default: the whole fleet")
    private List<String> by = List.of();

    @Mixin
    private final ReadingOptions reading = new ReadingOptions();

    @Spec
    private @Nullable CommandSpec spec;

    private final InstantSource clock;

    /** A command that takes now from the system. */
    public QuantilesCommand() {
        this(InstantSource.system());
    }

    QuantilesCommand(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public Integer call() {
        return reading.answer(spec, clock, this::question);
    }

    private ReadingOptions.Answer question(MetricCatalogue metrics, Instant from, Instant to) {
        QuantileRequest request = QuantileRequest.of(metrics, metric, by, q, from, to);
        return (reader, out, err) -> report(new StoredSketches(reader), request, out, err);
    }

    private int report(StoredSketches sketches, QuantileRequest request, PrintWriter out, PrintWriter err) {
        QuantileReport report = sketches.report(request);
        if (report.groups().isEmpty()) {
            err.println(sketches.noData(request.sketches()));
            return NO_DATA;
        }
        if (reading.isJson()) {
            out.println(QuantileText.json(report));
        } else {
            QuantileText.table(report).forEach(out::println);
        }
        return OK;
    }
}
