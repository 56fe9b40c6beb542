package io.inferwatch.schemas.catalogue;

import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.settings.Settings;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What is measured, by which dimensions, within which limits; read from {@code metrics.yaml}, where the grammar is explained. */
public final class MetricCatalogue {
    /** Series that one job may keep, over all views. */
    public static final int MAX_SERIES = 50_000;

    private static final int MAX_DIMENSIONS = 3;

    private final List<Metric> metrics;
    private final List<Ratio> ratios;
    private final List<GroupingDimension> dimensions;
    private final List<View> views;
    private final Set<String> storedSketches;

    private MetricCatalogue(
            List<Metric> metrics,
            List<Ratio> ratios,
            List<GroupingDimension> dimensions,
            List<View> views,
            Set<String> storedSketches) {
        this.metrics = List.copyOf(metrics);
        this.ratios = List.copyOf(ratios);
        this.dimensions = List.copyOf(dimensions);
        this.views = List.copyOf(views);
        this.storedSketches = Set.copyOf(storedSketches);
    }

    /** The catalogue that is shipped. */
    public static MetricCatalogue shipped() {
        return parse("metrics.yaml", shippedYaml());
    }

    /** The text of the catalogue that is shipped. */
    public static String shippedYaml() {
        try (InputStream yaml = MetricCatalogue.class.getResourceAsStream("metrics.yaml")) {
            if (yaml == null) {
                throw new IllegalStateException("metrics.yaml is missing from the jar");
            }
            return new String(yaml.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * A catalogue from a file.
     *
     * @throws io.inferwatch.schemas.settings.InvalidSettingsException with all its problems, when it has any
     */
    public static MetricCatalogue read(Path file) {
        return read(Settings.read(file));
    }

    /** A catalogue from a text; the name stands for it in messages. */
    public static MetricCatalogue parse(String name, String yaml) {
        return read(Settings.parse(name, yaml));
    }

    /** All metrics, in the catalogue's order. */
    public List<Metric> metrics() {
        return metrics;
    }

    /** The metrics of one kind and origin, in the catalogue's order. */
    public List<Metric> metrics(Metric.Origin of, Metric.Kind kind) {
        return metrics.stream().filter(m -> m.of() == of && m.kind() == kind).toList();
    }

    /** The metric of that name, if there is one. */
    public Optional<Metric> metric(String name) {
        return metrics.stream().filter(m -> m.name().equals(name)).findFirst();
    }

    /** The ratios computed from sums. */
    public List<Ratio> ratios() {
        return ratios;
    }

    /** All dimensions. */
    public List<GroupingDimension> dimensions() {
        return dimensions;
    }

    /** All views, in the catalogue's order. */
    public List<View> views() {
        return views;
    }

    /** The view of that name, if there is one. */
    public Optional<View> view(String name) {
        return views.stream().filter(v -> v.name().equals(name)).findFirst();
    }

    /** Whether the metric's sketches are stored where a view keeps sketches. */
    public boolean storesSketchOf(Metric metric) {
        return storedSketches.contains(metric.name());
    }

    private static MetricCatalogue read(Settings root) {
        List<Metric> metrics = new ArrayList<>();
        root.section("metrics").sections().forEach((name, entry) -> metrics.add(readMetric(name, entry)));
        Set<String> metricNames = names(metrics.stream().map(Metric::name).toList());

        List<Ratio> ratios = new ArrayList<>();
        root.section("ratios").sections().forEach((name, entry) -> ratios.add(readRatio(name, entry, metricNames)));

        Map<String, GroupingDimension> dimensions = new LinkedHashMap<>();
        Settings dimensionEntries = root.section("dimensions");
        Map<String, Settings> products = new HashMap<>();
        dimensionEntries.sections().forEach((name, entry) -> {
            if (entry.has("product")) {
                products.put(name, entry);
            } else {
                dimensions.put(name, readDimension(name, entry));
            }
        });
        products.forEach((name, entry) -> {
            GroupingDimension product = readProduct(name, entry, dimensions);
            if (product != null) {
                dimensions.put(name, product);
            }
        });

        List<View> views = new ArrayList<>();
        Settings viewEntries = root.section("views");
        viewEntries.sections().forEach((name, entry) -> views.add(readView(name, entry, dimensions, metricNames)));
        long series = views.stream().mapToLong(View::maxSeries).sum();
        if (series > MAX_SERIES) {
            root.problem("views", "at most " + MAX_SERIES + " series by the sum of max-series", Long.toString(series));
        }
        if (views.isEmpty()) {
            root.problem("views", "at least one view", "none");
        }

        List<String> storedSketches = root.list("stored-sketches", name -> known(name, metricNames), List.of());
        root.check();
        return new MetricCatalogue(
                metrics, ratios, List.copyOf(dimensions.values()), views, Set.copyOf(storedSketches));
    }

    private static Metric readMetric(String name, Settings entry) {
        checkName(name, entry);
        Metric.Unit unit = entry.choice("unit", Metric.Unit.class, Metric.Unit.REQUESTS);
        List<Outcome> outcomes = entry.list("outcomes", MetricCatalogue::outcome, List.of());
        return new Metric(
                name,
                entry.choice("of", Metric.Origin.class, Metric.Origin.REQUESTS),
                entry.choice("kind", Metric.Kind.class, Metric.Kind.SUM),
                entry.text("value"),
                outcomes.isEmpty() ? Set.of() : EnumSet.copyOf(outcomes),
                unit,
                entry.choice("better", Metric.Better.class, Metric.Better.NEITHER),
                entry.flag("rate", false),
                entry.text("help"));
    }

    private static Ratio readRatio(String name, Settings entry, Set<String> metricNames) {
        checkName(name, entry);
        return new Ratio(
                name,
                knownText("numerator", entry, metricNames),
                knownText("denominator", entry, metricNames),
                entry.choice("better", Metric.Better.class, Metric.Better.NEITHER),
                entry.text("help"));
    }

    private static GroupingDimension readDimension(String name, Settings entry) {
        checkName(name, entry);
        String field = entry.text("field");
        if (!entry.has("edges")) {
            String per = entry.text("per", "");
            return new GroupingDimension.Values(
                    name,
                    field,
                    (int) entry.integer("limit", 1, MAX_SERIES, 1),
                    per.isEmpty() ? Optional.empty() : Optional.of(per));
        }
        List<Long> edges = entry.list("edges", MetricCatalogue::edge, List.of());
        List<String> labels = entry.list("labels", MetricCatalogue::tagValue, List.of());
        for (int i = 1; i < edges.size(); i++) {
            if (edges.get(i) <= edges.get(i - 1)) {
                entry.problem("edges", "rising", edges.toString());
            }
        }
        if (labels.size() != edges.size() + 1) {
            entry.problem("labels", "one more than the " + edges.size() + " edges", Integer.toString(labels.size()));
        }
        String shareOf = entry.text("share-of", "");
        return new GroupingDimension.Buckets(
                name, field, shareOf.isEmpty() ? Optional.empty() : Optional.of(shareOf), edges, labels);
    }

    private static @Nullable GroupingDimension readProduct(
            String name, Settings entry, Map<String, GroupingDimension> dimensions) {
        List<String> factors = entry.list("product", factor -> known(factor, dimensions.keySet()), List.of());
        if (factors.size() == 2
                && dimensions.get(factors.get(0)) instanceof GroupingDimension.Buckets first
                && dimensions.get(factors.get(1)) instanceof GroupingDimension.Buckets second) {
            return new GroupingDimension.Product(name, first, second);
        }
        entry.problem("product", "two dimensions with edges", factors.toString());
        return null;
    }

    private static View readView(
            String name, Settings entry, Map<String, GroupingDimension> dimensions, Set<String> metricNames) {
        checkName(name, entry);
        List<String> by = entry.list("by", dimension -> known(dimension, dimensions.keySet()), List.of());
        if (by.size() > MAX_DIMENSIONS) {
            entry.problem("by", "at most " + MAX_DIMENSIONS + " dimensions", Integer.toString(by.size()));
        }
        List<GroupingDimension> grouping = new ArrayList<>();
        by.forEach(dimension -> {
            GroupingDimension known = dimensions.get(dimension);
            if (known != null) {
                grouping.add(known);
            }
        });
        String traffic = entry.text("traffic", "production");
        if (!traffic.equals("production") && !traffic.equals("synthetic")) {
            entry.problem("traffic", "production or synthetic", "'" + traffic + "'");
        }
        Duration tenSeconds = Duration.ofSeconds(10);
        Duration pane = entry.duration("pane", Duration.ofSeconds(1), tenSeconds, tenSeconds);
        if (pane == null || Duration.ofMinutes(1).toMillis() % pane.toMillis() != 0) {
            entry.problem("pane", "a divisor of one minute", String.valueOf(pane));
            pane = tenSeconds;
        }
        return new View(
                name,
                grouping,
                Set.copyOf(entry.list("metrics", metric -> known(metric, metricNames), List.of())),
                traffic.equals("synthetic"),
                pane,
                (int) entry.integer("max-series", 1, MAX_SERIES, 1),
                entry.flag("ten-seconds", false),
                entry.flag("sketches", false));
    }

    private static void checkName(String name, Settings entry) {
        if (!name.matches("[a-z][a-z0-9_-]*")) {
            entry.problem("name", "lower-case letters, digits, _ and -", "'" + name + "'");
        }
    }

    private static Outcome outcome(String text) {
        for (Outcome outcome : Outcome.values()) {
            if (outcome.name().equals(text)) {
                return outcome;
            }
        }
        throw new IllegalArgumentException("an outcome"
                + Settings.nearest(
                        text.toUpperCase(Locale.ROOT),
                        List.of(Outcome.values()).stream().map(Outcome::name).toList()));
    }

    private static Long edge(String text) {
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("a whole number", e);
        }
    }

    private static String tagValue(String text) {
        if (!text.matches("[A-Za-z0-9_.+-]+")) {
            throw new IllegalArgumentException("letters, digits, _ . + -");
        }
        return text;
    }

    private static String known(String name, Set<String> names) {
        if (!names.contains(name)) {
            throw new IllegalArgumentException("a name of this catalogue" + Settings.nearest(name, names));
        }
        return name;
    }

    private static String knownText(String key, Settings entry, Set<String> names) {
        String name = entry.text(key);
        if (!names.contains(name)) {
            entry.problem(key, "a name of this catalogue" + Settings.nearest(name, names), "'" + name + "'");
        }
        return name;
    }

    private static Set<String> names(List<String> names) {
        return Set.copyOf(names);
    }
}
