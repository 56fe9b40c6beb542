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
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** What every reading of stored windows is asked with, and how it ends when it cannot be answered: one message, status 2. */
final class ReadingOptions {
    private static final int BAD_INPUT = 2;

    private enum Output {
        table,
        json
    }

    /** What is asked, checked before InfluxDB is. */
    interface Question {
        /** Checks it. */
        Answer of(MetricCatalogue catalogue, Instant from, Instant to);
    }

    /** What is told, and the status that it ends with. */
    interface Answer {
        /** Reads and tells. */
        int tell(InfluxReader reader, PrintWriter out, PrintWriter err);
    }

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

    boolean isJson() {
        return output == Output.json;
    }

    int answer(@Nullable CommandSpec spec, InstantSource clock, Question question) {
        if (spec == null) {
            throw new IllegalStateException("the command was not made by picocli");
        }
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        try {
            MetricCatalogue metrics = catalogue == null ? MetricCatalogue.shipped() : MetricCatalogue.read(catalogue);
            Instant now = clock.instant();
            Answer answer = question.of(metrics, TimeText.parse("--from", from, now), TimeText.parse("--to", to, now));
            try (InfluxClient client = InfluxClient.open(influxdb.connection())) {
                return answer.tell(new InfluxReader(client), out, err);
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
}
