package io.inferwatch.report;

import io.inferwatch.influx.InfluxReader;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A reading of what a period's points say, as tables or as JSON. Status 1 where there is nothing. */
abstract class PeriodSubcommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int NO_DATA = 1;

    @Mixin
    private final ReadingOptions reading = new ReadingOptions();

    @Spec
    private @Nullable CommandSpec spec;

    private final InstantSource clock;

    PeriodSubcommand(InstantSource clock) {
        this.clock = clock;
    }

    /** Lists by name, those that a table shows in its order. */
    abstract Map<String, List<StoredLine>> read(Instant from, Instant to, InfluxReader reader);

    /** The same for people. */
    abstract List<String> table(Instant from, Instant to, Map<String, List<StoredLine>> lists);

    /** Why there may be nothing. */
    abstract String whenEmpty();

    @Override
    public Integer call() {
        return reading.answer(spec, clock, (metrics, from, to) -> {
            if (!from.isBefore(to)) {
                throw new InvalidRequestException("--from, --to: must be in this order, found " + from + " to " + to);
            }
            return (reader, out, err) -> tell(read(from, to, reader), from, to, out, err);
        });
    }

    private int tell(Map<String, List<StoredLine>> lists, Instant from, Instant to, PrintWriter out, PrintWriter err) {
        if (lists.values().stream().allMatch(List::isEmpty)) {
            err.println("no data: from " + from + " to " + to + " " + whenEmpty());
            return NO_DATA;
        }
        if (reading.isJson()) {
            out.println(StoredLine.json(from, to, lists));
        } else {
            table(from, to, lists).forEach(out::println);
        }
        return OK;
    }
}
