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
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code inferwatch report placement}: where GPUs and MIG instances sit, where their processes may run, and what mends it. */
@Command(
        name = "placement",
        description = "Tells of each GPU and MIG instance its NUMA node and the processors near it, on which its"
                + " processes may run, and the command that brings a process near that is bound elsewhere.",
        mixinStandardHelpOptions = true)
public final class PlacementCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int NO_DATA = 1;
    private static final int FAR = 1;

    @Option(names = "--fail-on-far", description = "End with status 1 when a process is far from its device.")
    private boolean failOnFar;

    @Mixin
    private final ReadingOptions reading = new ReadingOptions();

    @Spec
    private @Nullable CommandSpec spec;

    private final InstantSource clock;

    /** A command that takes now from the system. */
    public PlacementCommand() {
        this(InstantSource.system());
    }

    PlacementCommand(InstantSource clock) {
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
        PlacementReport report = PlacementReport.read(from, to, reader);
        if (report.devices().isEmpty()) {
            err.println("no data: from " + from + " to " + to
                    + " no device told where it sits; \"inferwatch probe gpu\" does");
            return NO_DATA;
        }
        if (reading.isJson()) {
            out.println(PlacementText.json(report));
        } else {
            PlacementText.table(report).forEach(out::println);
        }
        return failOnFar && report.hasFar() ? FAR : OK;
    }
}
