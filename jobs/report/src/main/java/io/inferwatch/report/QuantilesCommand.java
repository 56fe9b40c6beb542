package io.inferwatch.report;

import io.inferwatch.influx.InfluxClient;
import io.inferwatch.influx.InfluxConfigurationException;
import io.inferwatch.influx.InfluxOptions;
import io.inferwatch.influx.InfluxQueryException;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.InfluxUnavailableException;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.io.PrintWriter;
import java.nio.file.Path;
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
    private static final int BAD_INPUT = 2;

    /** How the answer is written. */
    enum Output {
        table,
        json
    }

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
            names = "--from",
            paramLabel = "TIME",
            description = "Start: an instant such as 2026-11-30T12:00:00Z, or -30m. Default: ${DEFAULT-VALUE}",
            defaultValue = "-1h")
    private String from = "-1h";

    @Option(
            names = "--to",
            paramLabel = "TIME",
            description = "End, in the same ways, or now. Default: ${DEFAULT-VALUE}",
            defaultValue = "now")
    private String to = "now";

    @Option(
            names = "--by",
            split = ",",
            paramLabel = "DIMENSION",
            description = "Dimensions to tell apart, such as model or replica. Default: the whole fleet")
    private List<String> by = List.of();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            description = "${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}",
            defaultValue = "table")
    private Output output = Output.table;

    @Option(
            names = "--catalogue",
            paramLabel = "FILE",
            description = "Metric catalogue of the jobs. Default: the one that is shipped")
    private @Nullable Path catalogue;

    @Mixin
    private final InfluxOptions influxdb = new InfluxOptions();

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
        if (spec == null) {
            throw new IllegalStateException("the command was not made by picocli");
        }
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        try {
            MetricCatalogue metrics = catalogue == null ? MetricCatalogue.shipped() : MetricCatalogue.read(catalogue);
            Instant now = clock.instant();
            QuantileRequest request = QuantileRequest.of(
                    metrics, metric, by, q, TimeText.parse("--from", from, now), TimeText.parse("--to", to, now));
            try (InfluxClient client = InfluxClient.open(influxdb.connection())) {
                return report(new StoredSketches(new InfluxReader(client)), request, out, err);
            }
        } catch (InvalidRequestException
                | InvalidSettingsException
                | InfluxConfigurationException
                | InfluxUnavailableException
                | InfluxQueryException e) {
            err.println(e.getMessage());
            return BAD_INPUT;
        } finally {
            out.flush();
            err.flush();
        }
    }

    private int report(StoredSketches sketches, QuantileRequest request, PrintWriter out, PrintWriter err) {
        QuantileReport report = sketches.report(request);
        if (report.groups().isEmpty()) {
            err.println(sketches.noData(request.sketches()));
            return NO_DATA;
        }
        if (output == Output.json) {
            out.println(QuantileText.json(report));
        } else {
            QuantileText.table(report).forEach(out::println);
        }
        return OK;
    }
}
