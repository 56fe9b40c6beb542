package io.inferwatch.local.docs;

import io.inferwatch.influx.Statistic;
import io.inferwatch.jobs.store.StoredField;
import io.inferwatch.jobs.store.WindowPoints;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.catalogue.BaselineRule;
import io.inferwatch.schemas.catalogue.DriftWatches;
import io.inferwatch.schemas.catalogue.GroupingDimension;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.Ratio;
import io.inferwatch.schemas.catalogue.View;
import io.inferwatch.schemas.catalogue.Watch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** The metrics, ratios, views and dimensions of the catalogue that is shipped, what is judged of them, and under which names points hold them. */
public final class MetricReference {
    private final MetricCatalogue catalogue = MetricCatalogue.shipped();

    public String text() {
        StringBuilder text = new StringBuilder();
        for (Metric.Origin origin : Metric.Origin.values()) {
            text.append("### Metrics of ")
                    .append(label(origin))
                    .append("\n\n")
                    .append(metrics(origin))
                    .append('\n');
        }
        text.append("### Ratios\n\n").append(ratios()).append('\n');
        text.append("## Views\n\n").append(views()).append('\n');
        text.append("## Dimensions\n\n").append(dimensions()).append('\n');
        text.append("## What is judged\n\n").append(judged());
        text.append("### Comparisons\n\n").append(comparisons()).append('\n');
        text.append("### Figures\n\n").append(figures());
        return text.toString();
    }

    private String metrics(Metric.Origin origin) {
        MarkdownTable table =
                new MarkdownTable("metric", "kind", "of", "stored in", "better", "fields of points", "what it is");
        Set<String> stored = WindowPoints.fields(catalogue, origin.views()).stream()
                .map(StoredField::name)
                .collect(Collectors.toSet());
        catalogue.metrics().stream()
                .filter(metric -> metric.of() == origin)
                .forEach(metric -> table.row(
                        code(metric.name()),
                        label(metric.kind()),
                        value(metric),
                        metric.unit().base(),
                        better(metric.better()),
                        fields(metric, stored),
                        metric.help()));
        return table.toString();
    }

    private static String value(Metric metric) {
        List<String> parts = new ArrayList<>(List.of(code(metric.value())));
        if (!metric.outcomes().isEmpty()) {
            parts.add("of "
                    + Arrays.stream(Outcome.values())
                            .filter(metric.outcomes()::contains)
                            .map(Enum::name)
                            .collect(Collectors.joining(", ")));
        }
        metric.when().ifPresent(field -> parts.add("where " + code(field) + " is known"));
        metric.granularity()
                .ifPresent(
                        granularity -> parts.add("for a " + label(granularity).replace('-', ' ')));
        return String.join(" ", parts);
    }

    /** All fields but for distributions and engines' histograms, whose fields differ by the statistic alone. */
    private static String fields(Metric metric, Set<String> stored) {
        return switch (metric.kind()) {
            case QUANTILE -> only(WindowPoints.fieldName(metric, Statistic.P99), stored) + " …";
            case HISTOGRAM -> only(WindowPoints.fieldName(metric, Statistic.P99_AT_MOST), stored) + " …";
            case SUM, COUNTER, GAUGE -> {
                List<String> names = new ArrayList<>(List.of(metric.name()));
                for (Statistic statistic : Statistic.values()) {
                    names.add(WindowPoints.fieldName(metric, statistic));
                }
                yield names.stream()
                        .filter(stored::contains)
                        .distinct()
                        .map(MarkdownTable::code)
                        .collect(Collectors.joining(", "));
            }
        };
    }

    private static String only(String field, Set<String> stored) {
        if (!stored.contains(field)) {
            throw new AssertionError(field + " is not stored");
        }
        return code(field);
    }

    private String ratios() {
        MarkdownTable table = new MarkdownTable("ratio, and field", "is", "better", "what it is");
        for (Ratio ratio : catalogue.ratios()) {
            table.row(
                    code(ratio.name()),
                    code(ratio.numerator()) + " / " + code(ratio.denominator()),
                    better(ratio.better()),
                    ratio.help());
        }
        return table.toString();
    }

    private String views() {
        MarkdownTable table = new MarkdownTable(
                "view",
                "of",
                "by",
                "series",
                "points every",
                "keeps sketches",
                "watched for drift",
                "for anomalies",
                "metrics");
        for (View view : catalogue.views()) {
            table.row(
                    code(view.name()),
                    label(view.of()) + (view.synthetic() ? ", synthetic" : ""),
                    view.dimensionNames().stream().map(MarkdownTable::code).collect(Collectors.joining(", "))
                            + (view.knownOnly() ? ", known only" : ""),
                    number(view.maxSeries()),
                    resolutions(view),
                    view.storeSketches() ? "yes" : "",
                    view.drift()
                            ? view.mix()
                                    .map(mix -> "over all values of " + code(mix))
                                    .orElse("yes")
                            : "",
                    view.anomaly()
                            ? view.peers()
                                    .map(peers -> "yes, stragglers by " + code(peers))
                                    .orElse("yes")
                            : "",
                    view.metrics().isEmpty()
                            ? "all"
                            : catalogue.metrics().stream()
                                    .map(Metric::name)
                                    .filter(view.metrics()::contains)
                                    .map(MarkdownTable::code)
                                    .collect(Collectors.joining(", ")));
        }
        return table.toString();
    }

    private static String resolutions(View view) {
        String shortest = view.pane().toSeconds() + " s, ";
        return (view.storeShortest() ? shortest : "") + "1 min, 1 h";
    }

    private String dimensions() {
        MarkdownTable table = new MarkdownTable("dimension, and tag", "of", "values");
        for (GroupingDimension dimension : catalogue.dimensions()) {
            table.row(code(dimension.name()), field(dimension), values(dimension));
        }
        return table.toString();
    }

    private static String field(GroupingDimension dimension) {
        if (dimension instanceof GroupingDimension.Values values) {
            return code(values.field());
        }
        if (dimension instanceof GroupingDimension.Buckets buckets) {
            return code(buckets.field())
                    + buckets.shareOf()
                            .map(whole -> " in percent of " + code(whole))
                            .orElse("")
                    + buckets.when()
                            .map(when -> ", where " + code(when) + " is known")
                            .orElse("");
        }
        GroupingDimension.Product product = (GroupingDimension.Product) dimension;
        return code(product.first().name()) + " and " + code(product.second().name());
    }

    private static String values(GroupingDimension dimension) {
        if (dimension instanceof GroupingDimension.Values values) {
            return "at most " + number(values.limit())
                    + values.per().map(per -> " for each " + code(per)).orElse("") + ", then "
                    + code(GroupingDimension.OTHER);
        }
        if (dimension instanceof GroupingDimension.Buckets buckets) {
            return buckets.labels().stream().map(MarkdownTable::code).collect(Collectors.joining(", "));
        }
        GroupingDimension.Product product = (GroupingDimension.Product) dimension;
        return code(product.first().labels().get(0) + "."
                        + product.second().labels().get(0)) + " …";
    }

    private String judged() {
        DriftWatches drift = catalogue.drift();
        MarkdownTable table = new MarkdownTable("watched for drift", "change that matters");
        for (Watch watch : drift.of()) {
            table.row(
                    code(watch.toString()),
                    percent(drift.threshold(watch.metric()))
                            + (watch.statistic() == Watch.Statistic.SHARE ? ", in points" : ""));
        }
        MarkdownTable anomalies = new MarkdownTable("watched for anomalies", "in views");
        for (Watch watch : catalogue.anomalies()) {
            anomalies.row(
                    code(watch.toString()),
                    catalogue.views().stream()
                            .filter(view -> view.anomaly() && catalogue.keeps(view, watch.metric()))
                            .map(view -> code(view.name()))
                            .collect(Collectors.joining(", ")));
        }
        return table + "\n" + anomalies + "\n";
    }

    private static String percent(double threshold) {
        return String.format(Locale.ROOT, "%s %%", Math.round(threshold * 1e6) / 1e4)
                .replace(".0 %", " %");
    }

    private String comparisons() {
        MarkdownTable table =
                new MarkdownTable("comparison", "view", "values of", "against", "statistics", "opens an alert");
        for (BaselineRule rule : catalogue.baselines()) {
            table.row(
                    code(rule.name()),
                    code(rule.view()),
                    code(rule.across()),
                    code(rule.against()) + (rule.pinned() ? ", pinned" : ""),
                    rule.of().stream().map(watch -> code(watch.toString())).collect(Collectors.joining(", ")),
                    rule.alert() ? "yes" : "");
        }
        return table.toString();
    }

    private String figures() {
        MarkdownTable table = new MarkdownTable("figures", "measurement", "view", "put together across");
        catalogue
                .figures()
                .forEach(rule -> table.row(
                        code(rule.name()),
                        code(rule.kind().measurement()),
                        code(rule.view().name()),
                        rule.input().across().stream().map(MarkdownTable::code).collect(Collectors.joining(", "))));
        return table.toString();
    }

    private static String better(Metric.Better better) {
        return better == Metric.Better.NEITHER ? "" : label(better);
    }

    private static String number(int number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static String label(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static String code(String text) {
        return MarkdownTable.code(text);
    }
}
