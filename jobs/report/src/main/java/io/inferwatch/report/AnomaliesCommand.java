package io.inferwatch.report;

import io.inferwatch.influx.InfluxReader;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code inferwatch report anomalies}: what was not as usual, and what of it was, or would have been, an alert. */
@Command(
        name = "anomalies",
        description = "Tells what series had in common that were not as usual, from when to when, on what evidence, and"
                + " whether it was an alert or in shadow; and how often each watched statistic was judged anomalous.",
        mixinStandardHelpOptions = true)
public final class AnomaliesCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int NO_DATA = 1;

    @Mixin
    private final ReadingOptions reading = new ReadingOptions();

    @Spec
    private @Nullable CommandSpec spec;

    private final InstantSource clock;

    /** A command that takes now from the system. */
    public AnomaliesCommand() {
        this(InstantSource.system());
    }

    AnomaliesCommand(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public Integer call() {
        return reading.answer(spec, clock, this::question);
    }

    private ReadingOptions.Answer question(MetricCatalogue metrics, Instant from, Instant to) {
        if (!from.isBefore(to)) {
            throw new InvalidRequestException("--from, --to: must be in this order, found " + from + " to " + to);
        }
        return (reader, out, err) -> tell(from, to, reader, out, err);
    }

    private int tell(Instant from, Instant to, InfluxReader reader, PrintWriter out, PrintWriter err) {
        AnomalyReport report = AnomalyReport.read(from, to, reader);
        if (report.watched().isEmpty() && report.findings().isEmpty()) {
            err.println("no data: from " + from + " to " + to
                    + " no minute was judged; the metric catalogue says what is watched, and minutes of fewer than 30"
                    + " requests are not judged");
            return NO_DATA;
        }
        if (reading.isJson()) {
            out.println(AnomalyText.json(report));
        } else {
            AnomalyText.table(report).forEach(out::println);
        }
        return OK;
    }
}
