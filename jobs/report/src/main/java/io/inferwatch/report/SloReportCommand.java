package io.inferwatch.report;

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

/** {@code inferwatch report slo}: how what is promised stands. */
@Command(
        name = "slo",
        description = "The latest minute of each objective and series: whether it is kept, how fast its error budget"
                + " burns, how much of it is left and for how long.",
        mixinStandardHelpOptions = true)
public final class SloReportCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int NO_DATA = 1;
    private static final int BREACH = 1;

    @Option(names = "--slo", paramLabel = "NAME", description = "This objective alone.")
    private @Nullable String slo;

    @Option(names = "--fail-on-breach", description = "End with status 1 when an objective is broken.")
    private boolean failOnBreach;

    @Mixin
    private final ReadingOptions reading = new ReadingOptions();

    @Spec
    private @Nullable CommandSpec spec;

    private final InstantSource clock;

    /** A command that takes now from the system. */
    public SloReportCommand() {
        this(InstantSource.system());
    }

    SloReportCommand(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public Integer call() {
        return reading.answer(spec, clock, (metrics, from, to) -> {
            if (!from.isBefore(to)) {
                throw new InvalidRequestException("--from, --to: must be in this order, found " + from + " to " + to);
            }
            return (reader, out, err) -> tell(SloReport.read(from, to, reader), out, err);
        });
    }

    private int tell(SloReport all, PrintWriter out, PrintWriter err) {
        Instant from = all.from();
        Instant to = all.to();
        List<SloReport.Standing> chosen = all.objectives().stream()
                .filter(one -> slo == null || one.slo().equals(slo))
                .toList();
        SloReport report = new SloReport(from, to, chosen);
        if (chosen.isEmpty()) {
            err.println("no data: nothing is told of " + (slo == null ? "any objective" : "objective " + slo) + " from "
                    + from + " to " + to + "; \"inferwatch slo apply\" hands objectives to the jobs");
            return NO_DATA;
        }
        if (reading.isJson()) {
            out.println(SloReportText.json(report));
        } else {
            SloReportText.table(report).forEach(out::println);
        }
        return failOnBreach && report.hasBroken() ? BREACH : OK;
    }
}
