package io.inferwatch.local.docs;

import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.influx.RetentionPolicy;
import io.inferwatch.influx.Statistic;
import io.inferwatch.jobs.health.HealthMetric;
import io.inferwatch.jobs.store.StoredField;
import io.inferwatch.jobs.store.WindowPoints;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The measurements with their tags and fields: names by the constants that the sink writes, what they mean by the comments of these constants. A constant
 * without such a comment is an error.
 */
public final class MeasurementReference {
    private static final Pattern FIELD =
            Pattern.compile("/\\*\\* (.+) \\*/\\s+public static final String (\\w+) = \"(\\w+)\";");
    private static final Pattern CONSTANT = Pattern.compile("/\\*\\* (.+) \\*/\\s+([A-Z][A-Z0-9_]*)\\(\"");
    private static final Pattern ROLE =
            Pattern.compile("(Tag|Field) of (.*?)(?:, (text|real[^:]*|integer[^:]*))?: (.+)");
    private static final Pattern LINK = Pattern.compile("\\{@link (?:\\w+)?#(\\w+)}");

    private final Map<String, String> measurements;
    private final Map<String, String> statistics;
    private final List<Named> fields = new ArrayList<>();

    /** A constant of {@link Field}: name, and what its comment says. */
    private record Named(String name, boolean isTag, String measurements, String type, String meaning) {
        boolean isOf(Measurement measurement) {
            Matcher links = LINK.matcher(measurements);
            return links.results().anyMatch(link -> link.group(1).equals(measurement.name()));
        }
    }

    /** By the sources of the module that names what is stored. */
    public MeasurementReference(Path sources) {
        measurements = constants(sources.resolve("Measurement.java"));
        statistics = constants(sources.resolve("Statistic.java"));
        Matcher matcher = FIELD.matcher(read(sources.resolve("Field.java")));
        while (matcher.find()) {
            Matcher role = ROLE.matcher(matcher.group(1));
            if (!role.matches()) {
                throw new AssertionError(
                        "Field." + matcher.group(2) + " must say of what it is, found: " + matcher.group(1));
            }
            fields.add(new Named(
                    matcher.group(3),
                    role.group(1).equals("Tag"),
                    role.group(2),
                    role.group(3) == null ? "" : role.group(3),
                    plain(role.group(4))));
        }
        long declared = Arrays.stream(Field.class.getFields())
                .filter(field -> Modifier.isStatic(field.getModifiers()))
                .count();
        if (declared != fields.size()) {
            throw new AssertionError("Field: must have a comment of one line on each constant, found " + fields.size()
                    + " on " + declared);
        }
    }

    public String text() {
        StringBuilder text = new StringBuilder();
        text.append(
                "A real *with limits* has its 95 %% limits beside it: of `share` these are `%s` and `%s`, of `mean_seconds` `%s` and `%s`.\n\n"
                        .formatted(
                                Field.low(Field.SHARE, ""),
                                Field.high(Field.SHARE, ""),
                                Field.low(Field.MEAN, "seconds"),
                                Field.high(Field.MEAN, "seconds")));
        text.append("### Statistics in names of fields\n\n")
                .append(statistics())
                .append('\n');
        for (Measurement measurement : Measurement.values()) {
            text.append("### ").append(measurement.measurementName()).append("\n\n");
            text.append(plain(measurements.get(measurement.name()))).append("\n\n");
            text.append(fields(measurement));
        }
        return text.toString();
    }

    public String policies() {
        MarkdownTable table = new MarkdownTable("retention policy", "keeps", "in shards of");
        for (RetentionPolicy policy : RetentionPolicy.values()) {
            table.row(
                    MarkdownTable.code(policy.policyName())
                            + (policy == RetentionPolicy.DEFAULT ? ", the default" : ""),
                    policy.keep().toDays() + " days",
                    policy.shard().toDays() + (policy.shard().toDays() == 1 ? " day" : " days"));
        }
        return table.toString();
    }

    private String statistics() {
        MarkdownTable table = new MarkdownTable("name", "meaning");
        for (Statistic statistic : Statistic.values()) {
            table.row(
                    MarkdownTable.code("METRIC_" + statistic.suffix() + (statistic.hasUnit() ? "_UNIT" : "")),
                    plain(statistics.get(statistic.name())));
        }
        return table.toString();
    }

    private String fields(Measurement measurement) {
        MarkdownTable table = new MarkdownTable("tag or field", "type", "meaning");
        int rows = 0;
        for (Named field : fields) {
            if (field.isOf(measurement)) {
                table.row(MarkdownTable.code(field.name), field.isTag ? "tag" : field.type, field.meaning);
                rows++;
            }
        }
        if (measurement == Measurement.DRIFT) {
            table.row(
                    MarkdownTable.code(Field.adjusted("FIELD")),
                    "as FIELD",
                    "As if the traffic's mix were still that of the baseline: "
                            + "verdict, change and its limits, p, q, n, n_baseline, detectable_change");
        }
        if (measurement == Measurement.MIX) {
            table.row(MarkdownTable.code(Field.shareNow("BUCKET")), "real", "A bucket's share of the current requests");
            table.row(
                    MarkdownTable.code(Field.shareThen("BUCKET")),
                    "real",
                    "A bucket's share of the baseline's requests");
        }
        if (measurement == Measurement.HEALTH) {
            for (HealthMetric metric : HealthMetric.values()) {
                table.row(MarkdownTable.code(metric.label()), "real", metric.help());
            }
            table.row(
                    MarkdownTable.code("requests_per_second"),
                    "real",
                    "Growth of `requests_total` since the sample before");
            table.row(MarkdownTable.code("checkpoint_age_seconds"), "real", "Time since `checkpoint_id` last grew");
        }
        if (measurement == Measurement.KV_JOINT) {
            table.row(
                    MarkdownTable.code(Field.cell(90, 30)),
                    "integer",
                    "Requests from 90 % fill and from 30 % reuse on, and so each of 10 x 10 cells");
            for (String figure : List.of(Field.FILL, Field.REUSE)) {
                table.row(
                        MarkdownTable.code(Field.step(figure, 90)),
                        "integer",
                        "Requests from 90 % " + figure + " on, and so each tenth");
            }
        }
        if (measurement == Measurement.KERNEL_TIMING) {
            for (String source : List.of("cuda_events", "kineto", "nsight_compute")) {
                table.row(MarkdownTable.code(Field.calls(source)), "integer", "Calls as this source timed them");
                table.row(MarkdownTable.code(Field.estimate(source, "seconds")), "real", "Their mean");
            }
            for (String source : List.of("kineto", "nsight_compute")) {
                table.row(
                        MarkdownTable.code(Field.estimate(source, Field.CHANGE)),
                        "real with limits",
                        "Against `cuda_events`, where both tell their calls one by one");
            }
        }
        return (rows > 0 ? table + "\n" : "") + ofWindows(measurement);
    }

    /** How many fields a measurement of windows has, and which of them are no metric's. */
    private static String ofWindows(Measurement measurement) {
        for (Metric.Origin origin : Metric.Origin.values()) {
            if (origin == origin.views() && WindowPoints.measurement(origin) == measurement) {
                List<StoredField> stored = WindowPoints.fields(MetricCatalogue.shipped(), origin);
                return "Up to " + stored.size() + " fields: "
                        + MarkdownTable.code(stored.get(0).name()) + ", "
                        + MarkdownTable.code(stored.get(1).name()) + ", and those of the metrics of "
                        + origin.name().toLowerCase(Locale.ROOT) + " and their ratios.\n\n";
            }
        }
        return "";
    }

    private static Map<String, String> constants(Path file) {
        Map<String, String> constants = new LinkedHashMap<>();
        Matcher matcher = CONSTANT.matcher(read(file));
        while (matcher.find()) {
            constants.put(matcher.group(2), matcher.group(1));
        }
        return constants;
    }

    /** Javadoc without its links. */
    private static String plain(String javadoc) {
        Matcher links = LINK.matcher(javadoc);
        return links.replaceAll(link -> MarkdownTable.code(link.group(1).toLowerCase(Locale.ROOT)))
                .replaceAll("\\{@code ([^}]*)}", "`$1`");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(file + " cannot be read", e);
        }
    }
}
