package io.inferwatch.report;

import io.inferwatch.influx.Field;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.RetentionPolicy;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.DoubleFunction;
import picocli.CommandLine.Command;

/** {@code inferwatch report tenants}: whose latency is restless, and whom the neighbours disturb. */
@Command(
        name = "tenants",
        description =
                "The latest minute of each tenant: how far its P99 of TTFT wandered over the hour before, and what"
                        + " the other tenants' load on its replicas does to its latency, with 95 %% limits; beside it how near"
                        + " the replicas' control groups are to their limits.",
        mixinStandardHelpOptions = true)
public final class TenantsCommand extends PeriodSubcommand {
    private static final String TENANTS = "tenants";
    private static final String SECONDS = "seconds";
    private static final String JITTER = Field.estimate(Field.P99_JITTER, SECONDS);
    private static final String JITTER_LOW = Field.low(Field.P99_JITTER, SECONDS);
    private static final String JITTER_HIGH = Field.high(Field.P99_JITTER, SECONDS);
    private static final String P99 = Field.estimate(Field.P99_MEAN, SECONDS);
    private static final String RATIO_LOW = Field.low(Field.NEIGHBOUR_RATIO, "");
    private static final String RATIO_HIGH = Field.high(Field.NEIGHBOUR_RATIO, "");
    private static final StoredLine.Question LATEST = new StoredLine.Question(
            Measurement.TENANT,
            "",
            List.of(
                    Field.JITTER_WINDOWS,
                    P99,
                    JITTER,
                    JITTER_LOW,
                    JITTER_HIGH,
                    Field.NEIGHBOUR_RATIO,
                    RATIO_LOW,
                    RATIO_HIGH,
                    Field.NEIGHBOUR_P,
                    Field.NEIGHBOUR_LOAD,
                    Field.DISTURBED,
                    Field.TENANT_REPLICAS,
                    Field.CGROUP_MEMORY_SHARE,
                    Field.CGROUP_CPU_SHARE,
                    Field.CGROUP_THROTTLED_SHARE),
            List.of(),
            List.of("tenant"));

    /** A command that takes now from the system. */
    public TenantsCommand() {
        this(InstantSource.system());
    }

    TenantsCommand(InstantSource clock) {
        super(clock);
    }

    @Override
    Map<String, List<StoredLine>> read(Instant from, Instant to, InfluxReader reader) {
        return Map.of(
                TENANTS,
                LATEST.latest(RetentionPolicy.R1M, from, to, reader).stream()
                        .sorted(Comparator.<StoredLine>comparingDouble(
                                        line -> -line.figure(JITTER).orElse(0))
                                .thenComparing(line -> line.tag("tenant")))
                        .toList());
    }

    @Override
    List<String> table(Instant from, Instant to, Map<String, List<StoredLine>> lists) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of(
                "tenant",
                "at",
                "minutes",
                "P99",
                "jitter",
                "95 % limits",
                "neighbours",
                "95 % limits",
                "p",
                "disturbed",
                "memory of limit",
                "processors of limit",
                "held back"));
        for (StoredLine line : lists.getOrDefault(TENANTS, List.of())) {
            rows.add(List.of(
                    line.tag("tenant"),
                    line.at().toString(),
                    TableText.orNone(line.figure(Field.JITTER_WINDOWS), TenantsCommand::whole),
                    TableText.orNone(line.figure(P99), TenantsCommand::seconds),
                    TableText.orNone(line.figure(JITTER), TenantsCommand::seconds),
                    limits(line, JITTER_LOW, JITTER_HIGH, TenantsCommand::seconds),
                    TableText.orNone(line.figure(Field.NEIGHBOUR_RATIO), TenantsCommand::times),
                    limits(line, RATIO_LOW, RATIO_HIGH, TenantsCommand::times),
                    TableText.orNone(line.figure(Field.NEIGHBOUR_P), TableText::probability),
                    TableText.orNone(line.figure(Field.DISTURBED), value -> value == 1 ? "yes" : "no"),
                    TableText.orNone(line.figure(Field.CGROUP_MEMORY_SHARE), TableText::percent),
                    TableText.orNone(line.figure(Field.CGROUP_CPU_SHARE), TableText::percent),
                    TableText.orNone(line.figure(Field.CGROUP_THROTTLED_SHARE), TableText::percent)));
        }
        List<String> table = new ArrayList<>();
        table.add("tenants: latest minute of each from " + from + " to " + to
                + "; jitter: deviation of the minutes' P99 of TTFT; neighbours: what latency is multiplied by where the"
                + " others do more");
        table.addAll(TableText.align(rows, 2));
        return table;
    }

    private static String limits(StoredLine line, String low, String high, DoubleFunction<String> text) {
        return line.figure(low).isEmpty() || line.figure(high).isEmpty()
                ? TableText.NONE
                : text.apply(line.figure(low).getAsDouble()) + " to "
                        + text.apply(line.figure(high).getAsDouble());
    }

    private static String seconds(double value) {
        return TableText.value(SECONDS, value);
    }

    private static String times(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }

    private static String whole(double value) {
        return Long.toString(Math.round(value));
    }

    @Override
    String whenEmpty() {
        return "no tenant is known: requests must tell theirs, for ten minutes";
    }
}
