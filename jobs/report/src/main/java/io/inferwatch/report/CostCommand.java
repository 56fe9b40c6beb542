package io.inferwatch.report;

import io.inferwatch.influx.Field;
import io.inferwatch.influx.InfluxReader;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.RetentionPolicy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.DoubleFunction;
import picocli.CommandLine.Command;

/** {@code inferwatch report cost}: what serving cost in a period, what of it was for nothing, and on which device it would cost least. */
@Command(
        name = "cost",
        description =
                "What serving cost, by model, version and kind of device and by tenant: dollars, dollars for 1,000"
                        + " tokens and for a request, waste; and what the last load would cost on each device of the price"
                        + " list. Prices: inferwatch config set.",
        mixinStandardHelpOptions = true)
public final class CostCommand extends PeriodSubcommand {
    private static final Duration MINUTES_UP_TO = Duration.ofDays(2);
    private static final StoredLine.Question DEVICES = new StoredLine.Question(
            Measurement.COST,
            "gpu-product",
            List.of(
                    Field.DOLLARS,
                    Field.USEFUL_TOKENS,
                    Field.ANSWERED,
                    Field.DEVICE_SECONDS,
                    Field.IDLE_SECONDS,
                    Field.IDLE_DOLLARS,
                    Field.PREEMPTED_DOLLARS,
                    Field.FAILED_DOLLARS,
                    Field.GENERATED_TOKENS,
                    Field.GENERATING_SECONDS,
                    Field.GENERATING_DOLLARS),
            List.of(),
            List.of("model", "version", Field.PRODUCT));
    private static final StoredLine.Question TENANTS = new StoredLine.Question(
            Measurement.COST,
            "tenant-model",
            List.of(Field.DOLLARS, Field.USEFUL_TOKENS, Field.ANSWERED),
            List.of(),
            List.of("tenant", "model"));
    private static final StoredLine.Question CHOICES = new StoredLine.Question(
            Measurement.DEVICE_CHOICE,
            "",
            List.of(
                    Field.CHEAPNESS,
                    Field.DEVICES,
                    Field.EFFECTIVE_THROUGHPUT,
                    Field.DOLLARS_PER_THOUSAND,
                    Field.DOLLARS_PER_HOUR),
            List.of(),
            List.of("model", "version", Field.PRODUCT, Field.PRICED_DEVICE));

    /** A command that takes now from the system. */
    public CostCommand() {
        this(InstantSource.system());
    }

    CostCommand(InstantSource clock) {
        super(clock);
    }

    @Override
    Map<String, List<StoredLine>> read(Instant from, Instant to, InfluxReader reader) {
        RetentionPolicy policy =
                Duration.between(from, to).compareTo(MINUTES_UP_TO) > 0 ? RetentionPolicy.R1H : RetentionPolicy.R1M;
        Map<String, List<StoredLine>> lists = new LinkedHashMap<>();
        lists.put(
                "devices",
                DEVICES.sums(policy, from, to, reader).stream()
                        .map(CostCommand::perTokenAndRequest)
                        .map(line -> line.with(
                                        Field.DOLLARS_PER_THOUSAND,
                                        line.ratio(1_000, Field.GENERATING_DOLLARS, Field.GENERATED_TOKENS))
                                .with(
                                        Field.EFFECTIVE_THROUGHPUT,
                                        line.ratio(1, Field.GENERATED_TOKENS, Field.GENERATING_SECONDS)))
                        .toList());
        lists.put(
                "tenants",
                TENANTS.sums(policy, from, to, reader).stream()
                        .map(CostCommand::perTokenAndRequest)
                        .sorted(Comparator.comparingDouble(
                                line -> -line.figure(Field.DOLLARS).orElse(0)))
                        .toList());
        lists.put(
                "choices",
                CHOICES.latest(policy, from, to, reader).stream()
                        .sorted(Comparator.<StoredLine, String>comparing(line -> line.tag("model"))
                                .thenComparing(line -> line.tag("version"))
                                .thenComparing(line -> line.tag(Field.PRODUCT))
                                .thenComparing(
                                        line -> line.figure(Field.CHEAPNESS).orElse(0)))
                        .toList());
        return lists;
    }

    private static StoredLine perTokenAndRequest(StoredLine line) {
        return line.with(Field.ALL_IN_PER_THOUSAND, line.ratio(1_000, Field.DOLLARS, Field.USEFUL_TOKENS))
                .with(Field.DOLLARS_PER_REQUEST, line.ratio(1, Field.DOLLARS, Field.ANSWERED));
    }

    @Override
    List<String> table(Instant from, Instant to, Map<String, List<StoredLine>> lists) {
        List<String> lines = new ArrayList<>();
        lines.add("cost from " + from + " to " + to + "; a dash is not known, e.g. without a price");
        add(
                lines,
                lists.getOrDefault("devices", List.of()),
                3,
                List.of(
                        "model",
                        "version",
                        "device",
                        "hours",
                        "$",
                        "$ / 1k tokens",
                        "all-in",
                        "$ / request",
                        "tokens/s",
                        "idle",
                        "idle $",
                        "preempted $",
                        "failed $"),
                line -> List.of(
                        line.tag("model"),
                        line.tag("version"),
                        line.tag(Field.PRODUCT),
                        TableText.orNone(line.figure(Field.DEVICE_SECONDS), CostCommand::hours),
                        dollars(line, Field.DOLLARS),
                        dollars(line, Field.DOLLARS_PER_THOUSAND),
                        dollars(line, Field.ALL_IN_PER_THOUSAND),
                        dollars(line, Field.DOLLARS_PER_REQUEST),
                        number(line.figure(Field.EFFECTIVE_THROUGHPUT), "%.1f"),
                        TableText.orNone(line.ratio(1, Field.IDLE_SECONDS, Field.DEVICE_SECONDS), TableText::percent),
                        dollars(line, Field.IDLE_DOLLARS),
                        dollars(line, Field.PREEMPTED_DOLLARS),
                        dollars(line, Field.FAILED_DOLLARS)));
        add(
                lines,
                lists.getOrDefault("tenants", List.of()),
                2,
                List.of("tenant", "model", "$", "$ / 1k tokens all-in", "$ / request"),
                line -> List.of(
                        line.tag("tenant"),
                        line.tag("model"),
                        dollars(line, Field.DOLLARS),
                        dollars(line, Field.ALL_IN_PER_THOUSAND),
                        dollars(line, Field.DOLLARS_PER_REQUEST)));
        add(
                lines,
                lists.getOrDefault("choices", List.of()),
                4,
                List.of("model", "version", "measured on", "on", "tokens/s", "$ / 1k tokens", "devices", "$ / hour"),
                line -> List.of(
                        line.tag("model"),
                        line.tag("version"),
                        line.tag(Field.PRODUCT),
                        line.tag(Field.PRICED_DEVICE)
                                + (line.figure(Field.CHEAPNESS).orElse(0) == 1 ? " (cheapest)" : ""),
                        number(line.figure(Field.EFFECTIVE_THROUGHPUT), "%.1f"),
                        dollars(line, Field.DOLLARS_PER_THOUSAND),
                        number(line.figure(Field.DEVICES), "%.0f"),
                        dollars(line, Field.DOLLARS_PER_HOUR)));
        return lines;
    }

    private interface Row {
        List<String> of(StoredLine line);
    }

    private static void add(List<String> lines, List<StoredLine> subjects, int texts, List<String> heads, Row row) {
        if (subjects.isEmpty()) {
            return;
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(heads);
        subjects.forEach(subject -> rows.add(row.of(subject)));
        lines.add("");
        lines.addAll(TableText.align(rows, texts));
    }

    private static String dollars(StoredLine line, String field) {
        return TableText.orNone(line.figure(field), CostCommand::dollars);
    }

    /** Four significant digits, for thousandths of cents too. */
    private static String dollars(double value) {
        return TableText.value("dollars", value);
    }

    private static String hours(double seconds) {
        return String.format(Locale.ROOT, "%.2f", seconds / 3_600);
    }

    private static String number(OptionalDouble number, String format) {
        DoubleFunction<String> text = value -> String.format(Locale.ROOT, format, value);
        return TableText.orNone(number, text);
    }

    @Override
    String whenEmpty() {
        return "no device has told what it did: inferwatch probe gpu";
    }
}
