package io.inferwatch.report;

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

/** {@code inferwatch report memory}: where the memory of devices and KV caches is, how fragmented it is, and when it will be full. */
@Command(
        name = "memory",
        description = "The latest minute of each device and each replica's KV cache: where the memory is, how much of"
                + " it is wasted, how that grows and when it will be full, with 95 %% limits. What is estimated is"
                + " marked.",
        mixinStandardHelpOptions = true)
public final class MemoryCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int NO_DATA = 1;

    @Option(names = "--replica", paramLabel = "NAME", description = "This replica and its devices alone.")
    private @Nullable String replica;

    @Mixin
    private final ReadingOptions reading = new ReadingOptions();

    @Spec
    private @Nullable CommandSpec spec;

    private final InstantSource clock;

    /** A command that takes now from the system. */
    public MemoryCommand() {
        this(InstantSource.system());
    }

    MemoryCommand(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public Integer call() {
        return reading.answer(spec, clock, (metrics, from, to) -> {
            if (!from.isBefore(to)) {
                throw new InvalidRequestException("--from, --to: must be in this order, found " + from + " to " + to);
            }
            return (reader, out, err) -> tell(MemoryReport.read(from, to, reader), from, to, out, err);
        });
    }

    private int tell(MemoryReport all, Instant from, Instant to, PrintWriter out, PrintWriter err) {
        MemoryReport report = replica == null ? all : all.of(replica);
        if (report.isEmpty()) {
            err.println("no data: there is nothing of " + (replica == null ? "any memory" : "replica " + replica)
                    + " from " + from + " to " + to);
            return NO_DATA;
        }
        if (reading.isJson()) {
            out.println(MemoryText.json(report));
        } else {
            MemoryText.table(report).forEach(out::println);
        }
        return OK;
    }
}
