package io.inferwatch.schemas.catalogue;

import io.inferwatch.schemas.Granularity;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.settings.Settings;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What is measured, by which dimensions, within which limits; read from {@code metrics.yaml}, where the grammar is explained. */
public final class MetricCatalogue {
    /** Series that one job may keep, over all views of requests, and as many over those of all other events. */
    public static final int MAX_SERIES = 50_000;

    private static final int MAX_DIMENSIONS = 3;

    private static final Map<String, Metric.Unit> UNITS_BY_SUFFIX = Map.of(
            "Micros", Metric.Unit.MICROSECONDS,
            "Nanos", Metric.Unit.NANOSECONDS,
            "Tokens", Metric.Unit.TOKENS,
            "Bytes", Metric.Unit.BYTES,
            "BytesTotal", Metric.Unit.BYTES,
            "BytesPerSecond", Metric.Unit.BYTES_PER_SECOND,
            "Milliwatts", Metric.Unit.MILLIWATTS,
            "Celsius", Metric.Unit.CELSIUS,
            "Megahertz", Metric.Unit.MEGAHERTZ,
            "Ppm", Metric.Unit.PPM);

    private static final List<String> OUTCOMES =
            Arrays.stream(Outcome.values()).map(Outcome::name).toList();

    /** Tags that points have besides dimensions; InfluxDB takes no tag named time. */
    private static final List<String> RESERVED =
            List.of("time", "view", "metric", "statistic", "comparison", "against");

    private final List<Metric> metrics;
    private final List<Ratio> ratios;
    private final List<GroupingDimension> dimensions;
    private final List<View> views;
    private final Set<String> storedSketches;
    private final DriftWatches drift;
    private final List<Watch> anomalies;
    private final List<BaselineRule> baselines;
    private final List<FigureRule> figures;

    private MetricCatalogue(
            List<Metric> metrics,
            List<Ratio> ratios,
            List<GroupingDimension> dimensions,
            List<View> views,
            Set<String> storedSketches,
            DriftWatches drift,
            List<Watch> anomalies,
            List<BaselineRule> baselines,
            List<FigureRule> figures) {
        this.metrics = List.copyOf(metrics);
        this.ratios = List.copyOf(ratios);
        this.dimensions = List.copyOf(dimensions);
        this.views = List.copyOf(views);
        this.storedSketches = Set.copyOf(storedSketches);
        this.drift = drift;
        this.anomalies = List.copyOf(anomalies);
        this.baselines = List.copyOf(baselines);
        this.figures = List.copyOf(figures);
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
        return of(Settings.read(file));
    }

    /** A catalogue from a text; the name stands for it in messages. */
    public static MetricCatalogue parse(String name, String yaml) {
        return of(Settings.parse(name, yaml));
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

    /** What is watched for drift. */
    public DriftWatches drift() {
        return drift;
    }

    /** What is watched for anomalies in every view that asks for it, as far as the view keeps it. */
    public List<Watch> anomalies() {
        return anomalies;
    }

    /** What is compared across the values of a dimension, unless the running jobs' configuration says otherwise. */
    public List<BaselineRule> baselines() {
        return baselines;
    }

    /** What is computed of groups of windows. */
    public List<FigureRule> figures() {
        return figures;
    }

    /** Which way is better for the metric or ratio of that name; neither where there is none. */
    public Metric.Better better(String name) {
        return better(name, metrics, ratios);
    }

    static Metric.Better better(String name, List<Metric> metrics, List<Ratio> ratios) {
        return Stream.concat(
                        metrics.stream()
                                .filter(metric -> metric.name().equals(name))
                                .map(Metric::better),
                        ratios.stream()
                                .filter(ratio -> ratio.name().equals(name))
                                .map(Ratio::better))
                .findFirst()
                .orElse(Metric.Better.NEITHER);
    }

    /** Whether the view keeps the metric of that name, or both parts of the ratio. */
    public boolean keeps(View view, String name) {
        return keeps(view, name, metrics, ratios);
    }

    static boolean keeps(View view, String name, List<Metric> metrics, List<Ratio> ratios) {
        List<String> needed = ratios.stream()
                .filter(ratio -> ratio.name().equals(name))
                .findFirst()
                .map(ratio -> List.of(ratio.numerator(), ratio.denominator()))
                .orElse(List.of(name));
        return metrics.stream().filter(view::keeps).map(Metric::name).toList().containsAll(needed);
    }

    /** Whether the metric's sketches are stored where a view keeps sketches. */
    public boolean storesSketchOf(Metric metric) {
        return storedSketches.contains(metric.name());
    }

    /**
     * A catalogue from a file's root section.
     *
     * @throws io.inferwatch.schemas.settings.InvalidSettingsException with all its problems, when it has any
     */
    public static MetricCatalogue of(Settings root) {
        List<Metric> metrics = new ArrayList<>();
        root.section("metrics").sections().forEach((name, entry) -> metrics.add(readMetric(name, entry)));
        Set<String> metricNames = names(metrics, Metric.Kind.values());

        List<Ratio> ratios = new ArrayList<>();
        Set<String> sums = names(metrics, Metric.Kind.SUM, Metric.Kind.COUNTER);
        root.section("ratios").sections().forEach((name, entry) -> {
            if (metricNames.contains(name)) {
                root.problem("ratios." + name, "a name that no metric has", "it twice");
            }
            ratios.add(readRatio(name, entry, sums, metrics));
        });

        Map<String, GroupingDimension> dimensions = new LinkedHashMap<>();
        Settings dimensionEntries = root.section("dimensions");
        Map<String, Settings> products = new LinkedHashMap<>();
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

        dimensions.values().forEach(dimension -> checkPer(dimension, dimensions, dimensionEntries));

        List<View> views = new ArrayList<>();
        Settings viewEntries = root.section("views");
        viewEntries.sections().forEach((name, entry) -> views.add(readView(name, entry, dimensions, metrics)));
        checkSeries(root, "", views.stream().filter(view -> view.of() == Metric.Origin.REQUESTS));
        checkSeries(root, " over samples", views.stream().filter(view -> view.of() != Metric.Origin.REQUESTS));
        if (views.isEmpty()) {
            root.problem("views", "at least one view", "none");
        }

        Set<String> quantiles = names(metrics, Metric.Kind.QUANTILE);
        List<String> storedSketches = root.names("stored-sketches", "a quantile metric of this catalogue", quantiles);
        List<BaselineRule> baselines = new ArrayList<>();
        root.section("baselines")
                .sections()
                .forEach((name, entry) -> baselines.add(BaselineRule.read(name, entry, metrics, ratios, views)));
        DriftWatches drift = DriftWatches.read(root.section("drift"), metrics, ratios, baselines);
        Settings anomalyEntry = root.section("anomalies");
        List<Watch> anomalies =
                anomalyEntry.has("of") ? Watch.read(anomalyEntry, metrics, ratios, Watch.Kinds.FOLLOWED) : List.of();
        List<FigureRule> figures = new ArrayList<>();
        root.section("figures").sections().forEach((name, entry) -> FigureRule.read(name, entry, views)
                .ifPresent(figures::add));
        root.check();
        return new MetricCatalogue(
                metrics,
                ratios,
                List.copyOf(dimensions.values()),
                views,
                Set.copyOf(storedSketches),
                drift,
                anomalies,
                baselines,
                figures);
    }

    private static void checkSeries(Settings root, String which, Stream<View> views) {
        long series = views.mapToLong(View::maxSeries).sum();
        if (series > MAX_SERIES) {
            root.problem(
                    "views",
                    "at most " + MAX_SERIES + " series by the sum of max-series" + which,
                    Long.toString(series));
        }
    }

    private static Metric readMetric(String name, Settings entry) {
        checkName(name, entry);
        List<Outcome> outcomes = entry.names("outcomes", "an outcome", OUTCOMES).stream()
                .map(Outcome::valueOf)
                .toList();
        Metric.Kind kind = entry.choice("kind", Metric.Kind.class);
        Metric metric = new Metric(
                name,
                entry.choice("of", Metric.Origin.class),
                kind,
                entry.text("value"),
                outcomes.isEmpty() ? Set.of() : EnumSet.copyOf(outcomes),
                when(entry),
                entry.choice("unit", Metric.Unit.class),
                entry.choice("better", Metric.Better.class, Metric.Better.NEITHER),
                entry.flag("rate", false) || kind == Metric.Kind.COUNTER,
                entry.has("granularity")
                        ? Optional.of(entry.choice("granularity", Granularity.class))
                        : Optional.empty(),
                entry.text("help"));
        checkMetric(metric, entry);
        return metric;
    }

    private static Optional<String> when(Settings entry) {
        String field = entry.text("when", "");
        return field.isEmpty() ? Optional.empty() : Optional.of(field);
    }

    private static void checkMetric(Metric metric, Settings entry) {
        if (metric.rate() && !metric.kind().isSum()) {
            entry.problem("rate", "left out unless kind is sum", "true");
        }
        Set<Metric.Kind> kinds = kindsOf(metric.of());
        if (!kinds.contains(metric.kind())) {
            entry.problem(
                    "kind",
                    kinds.stream().map(MetricCatalogue::label).collect(Collectors.joining(" or ")) + " for "
                            + label(metric.of()),
                    label(metric.kind()));
        }
        if (metric.of() != Metric.Origin.REQUESTS && !metric.outcomes().isEmpty()) {
            entry.problem(
                    "outcomes",
                    "left out for " + label(metric.of()),
                    metric.outcomes().toString());
        }
        boolean takesWhen = metric.of() == Metric.Origin.REQUESTS
                ? metric.kind() == Metric.Kind.QUANTILE
                : metric.of() == Metric.Origin.KERNELS && metric.kind() == Metric.Kind.SUM;
        if (metric.when().isPresent() && !takesWhen) {
            entry.problem(
                    "when",
                    "left out unless kind is quantile, of requests, or sum, of kernels",
                    "'" + entry.text("when", "") + "'");
        } else {
            metric.when().ifPresent(field -> EventFields.of(metric.of()).requireKnown(field, "when", entry));
        }
        if (metric.granularity().isPresent() != (metric.of() == Metric.Origin.OPERATORS)) {
            entry.problem(
                    "granularity",
                    "there for operators, and for them alone",
                    metric.granularity().map(MetricCatalogue::label).orElse("nothing"));
        }
        if (!metric.value().isEmpty()) {
            checkValue(metric, entry);
        }
    }

    private static Set<Metric.Kind> kindsOf(Metric.Origin of) {
        return switch (of) {
            case REQUESTS -> sorted(Metric.Kind.SUM, Metric.Kind.QUANTILE);
            case HEARTBEATS -> sorted(Metric.Kind.GAUGE);
            case ENGINE ->
                sorted(
                        Metric.Kind.SUM,
                        Metric.Kind.QUANTILE,
                        Metric.Kind.GAUGE,
                        Metric.Kind.COUNTER,
                        Metric.Kind.HISTOGRAM);
            case GPU -> sorted(Metric.Kind.QUANTILE, Metric.Kind.GAUGE, Metric.Kind.COUNTER);
            case KERNELS -> sorted(Metric.Kind.SUM, Metric.Kind.QUANTILE, Metric.Kind.GAUGE);
            case OPERATORS -> sorted(Metric.Kind.SUM, Metric.Kind.QUANTILE, Metric.Kind.GAUGE);
        };
    }

    private static Set<Metric.Kind> sorted(Metric.Kind first, Metric.Kind... others) {
        return EnumSet.of(first, others);
    }

    private static void checkValue(Metric metric, Settings entry) {
        if (metric.kind() == Metric.Kind.HISTOGRAM || metric.of() == Metric.Origin.OPERATORS) {
            if (!metric.value().matches("[A-Za-z][A-Za-z0-9_.:-]{0,63}")) {
                entry.problem("value", "a name of letters, digits and _ . : -", "'" + metric.value() + "'");
            }
            return;
        }
        if (metric.of() == Metric.Origin.REQUESTS
                && (metric.value().equals("1") || metric.value().equals("good"))) {
            if (metric.kind() != Metric.Kind.SUM || metric.unit() != Metric.Unit.REQUESTS) {
                entry.problem("value", "a field unless kind is sum and unit is requests", "'" + metric.value() + "'");
            }
            return;
        }
        Optional<DerivedValue> derived = DerivedValue.of(metric.value());
        if (derived.isPresent()) {
            checkDerived(metric, derived.get(), entry);
            return;
        }
        EventFields fields = EventFields.of(metric.of());
        List<String> shares = List.of(metric.value().split(" / ", -1));
        if (shares.size() == 2) {
            checkShare(metric, shares, fields, entry);
            return;
        }
        List<String> sums = List.of(metric.value().split(" \\+ ", -1));
        if (sums.size() == 2) {
            checkSum(metric, sums, fields, entry);
            return;
        }
        List<String> terms = List.of(metric.value().split(" - ", -1));
        if (terms.size() > 2) {
            entry.problem("value", "1, good, a field or a difference of two fields", "'" + metric.value() + "'");
            return;
        }
        for (String field : terms) {
            boolean sketch = terms.size() == 1
                    && metric.kind() == Metric.Kind.QUANTILE
                    && fields.holds(field).equals(Optional.of(EventFields.Holds.SKETCH));
            if (sketch || fields.require(field, EventFields.Holds.NUMBER, "value", entry)) {
                checkUnit(metric, field, entry);
            }
        }
    }

    private static void checkShare(Metric metric, List<String> terms, EventFields fields, Settings entry) {
        List<String> parts = List.of(terms.get(0).split(" \\+ ", -1));
        boolean isOfRequests = metric.of() == Metric.Origin.REQUESTS;
        boolean isOfSamples = metric.of() == Metric.Origin.ENGINE || metric.of() == Metric.Origin.GPU;
        if ((!isOfRequests && !isOfSamples)
                || metric.kind() != Metric.Kind.QUANTILE
                || metric.unit() != Metric.Unit.PPM) {
            entry.problem(
                    "value",
                    "no share unless kind is quantile, of requests, engine or gpu, in ppm",
                    "'" + metric.value() + "'");
        }
        if (parts.size() > (isOfRequests ? 1 : 2)) {
            entry.problem(
                    "value",
                    isOfRequests ? "the share of one field" : "the share of one field or of two",
                    "'" + metric.value() + "'");
        }
        Stream.concat(parts.stream(), Stream.of(terms.get(1)))
                .forEach(field -> fields.require(field, EventFields.Holds.NUMBER, "value", entry));
    }

    private static void checkSum(Metric metric, List<String> terms, EventFields fields, Settings entry) {
        if (metric.of() != Metric.Origin.REQUESTS || metric.kind() != Metric.Kind.QUANTILE) {
            entry.problem("value", "no sum unless kind is quantile, of requests", "'" + metric.value() + "'");
        }
        for (String field : terms) {
            if (fields.require(field, EventFields.Holds.NUMBER, "value", entry)) {
                checkUnit(metric, field, entry);
            }
        }
    }

    private static void checkDerived(Metric metric, DerivedValue derived, Settings entry) {
        if (metric.of() != derived.of() || metric.kind() != Metric.Kind.GAUGE || metric.unit() != Metric.Unit.PPM) {
            entry.problem(
                    "value",
                    "a field unless kind is gauge, of " + label(derived.of()) + ", in ppm",
                    "'" + metric.value() + "'");
        }
    }

    /** A field's name says its unit; only what events count otherwise is free. */
    private static void checkUnit(Metric metric, String field, Settings entry) {
        Metric.Unit said = UNITS_BY_SUFFIX.entrySet().stream()
                .filter(suffix -> field.endsWith(suffix.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(metric.unit());
        if (said != metric.unit()) {
            entry.problem("unit", label(said) + " as " + field + " says", label(metric.unit()));
        }
    }

    private static Ratio readRatio(String name, Settings entry, Set<String> sums, List<Metric> metrics) {
        checkName(name, entry);
        List<Metric.Origin> origins = metrics.stream()
                .filter(metric -> metric.name().equals(entry.text("numerator", ""))
                        || metric.name().equals(entry.text("denominator", "")))
                .map(Metric::of)
                .distinct()
                .toList();
        if (origins.size() > 1) {
            entry.problem("denominator", "a metric of the same events as the numerator", origins.toString());
        }
        return new Ratio(
                name,
                knownText("numerator", entry, sums),
                knownText("denominator", entry, sums),
                entry.choice("better", Metric.Better.class, Metric.Better.NEITHER),
                entry.text("help"));
    }

    private static GroupingDimension readDimension(String name, Settings entry) {
        checkDimensionName(name, entry);
        String field = entry.text("field");
        if (!entry.has("edges")) {
            String per = entry.text("per", "");
            if (!field.isEmpty()) {
                requireText(field, entry);
            }
            return new GroupingDimension.Values(
                    name,
                    field,
                    (int) entry.integer("limit", 1, MAX_SERIES),
                    per.isEmpty() ? Optional.empty() : Optional.of(per));
        }
        if (!field.isEmpty()) {
            requireSomewhere(field, EventFields.Holds.NUMBER, "field", entry);
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
        if (Set.copyOf(labels).size() < labels.size()) {
            entry.problem("labels", "all different", labels.toString());
        }
        String shareOf = entry.text("share-of", "");
        if (!shareOf.isEmpty()) {
            requireSomewhere(shareOf, EventFields.Holds.NUMBER, "share-of", entry);
        }
        return new GroupingDimension.Buckets(
                name, field, shareOf.isEmpty() ? Optional.empty() : Optional.of(shareOf), when(entry), edges, labels);
    }

    private static void requireText(String field, Settings entry) {
        boolean isList = Arrays.stream(Metric.Origin.values())
                .anyMatch(of -> EventFields.of(of).holds(field).equals(Optional.of(EventFields.Holds.TEXTS)));
        if (!isList) {
            requireSomewhere(field, EventFields.Holds.TEXT, "field", entry);
        }
    }

    /** Some kind of event must have the field; a view checks that its own does. */
    private static void requireSomewhere(String field, EventFields.Holds holds, String key, Settings entry) {
        boolean isSomewhere = Arrays.stream(Metric.Origin.values())
                .anyMatch(of -> EventFields.of(of).holds(field).equals(Optional.of(holds)));
        if (!isSomewhere) {
            EventFields.of(Metric.Origin.REQUESTS).require(field, holds, key, entry);
        }
    }

    private static @Nullable GroupingDimension readProduct(
            String name, Settings entry, Map<String, GroupingDimension> dimensions) {
        checkDimensionName(name, entry);
        List<String> factors = entry.names("product", "a dimension of this catalogue", dimensions.keySet());
        if (factors.size() == 2
                && dimensions.get(factors.get(0)) instanceof GroupingDimension.Buckets first
                && dimensions.get(factors.get(1)) instanceof GroupingDimension.Buckets second) {
            return new GroupingDimension.Product(name, first, second);
        }
        entry.problem("product", "two dimensions with edges", factors.toString());
        return null;
    }

    private static View readView(
            String name, Settings entry, Map<String, GroupingDimension> dimensions, List<Metric> metrics) {
        checkName(name, entry);
        Metric.Origin of = entry.choice("of", Metric.Origin.class, Metric.Origin.REQUESTS);
        if (of != of.views()) {
            entry.problem("of", label(of.views()) + ", whose views keep them", label(of));
        }
        List<String> by = entry.names("by", "a dimension of this catalogue", dimensions.keySet());
        if (by.size() > MAX_DIMENSIONS) {
            entry.problem("by", "at most " + MAX_DIMENSIONS + " dimensions", Integer.toString(by.size()));
        }
        if (Set.copyOf(by).size() < by.size()) {
            entry.problem("by", "dimensions that are all different", by.toString());
        }
        List<GroupingDimension> grouping = new ArrayList<>();
        by.forEach(dimension -> {
            GroupingDimension known = dimensions.get(dimension);
            if (known != null) {
                grouping.add(known);
                requireOn(of, known, entry);
            }
        });
        if (of != Metric.Origin.REQUESTS && entry.has("known-only")) {
            entry.problem("known-only", "left out unless of requests", "it");
        }
        String traffic = entry.text("traffic", "production");
        if (!traffic.equals("production") && !traffic.equals("synthetic")) {
            entry.problem("traffic", "production or synthetic", "'" + traffic + "'");
        }
        Duration tenSeconds = Duration.ofSeconds(10);
        Duration pane = entry.duration("pane", Duration.ofSeconds(1), tenSeconds, tenSeconds);
        if (pane == null || Duration.ofMinutes(1).toNanos() % pane.toNanos() != 0) {
            entry.problem("pane", "a divisor of one minute", pane == null ? "nothing" : Settings.write(pane));
            pane = tenSeconds;
        }
        return new View(
                name,
                of,
                grouping,
                Set.copyOf(entry.names(
                        "metrics",
                        "a metric of its events",
                        names(
                                metrics.stream()
                                        .filter(metric -> metric.of().views() == of)
                                        .toList(),
                                Metric.Kind.values()))),
                traffic.equals("synthetic"),
                pane,
                entry.flag("known-only", false),
                (int) entry.integer("max-series", 1, MAX_SERIES),
                entry.flag("ten-seconds", false),
                entry.flag("sketches", false),
                entry.flag("drift", false),
                entry.flag("anomaly", false),
                readPeers(entry, by),
                readMix(entry, by, dimensions));
    }

    private static Optional<String> readPeers(Settings entry, List<String> by) {
        String peers = entry.text("peers", "");
        if (peers.isEmpty()) {
            return Optional.empty();
        }
        if (!by.contains(peers)) {
            entry.problem("peers", "one of the view's dimensions", "'" + peers + "'");
        }
        return Optional.of(peers);
    }

    private static Optional<String> readMix(
            Settings entry, List<String> by, Map<String, GroupingDimension> dimensions) {
        String mix = entry.text("mix", "");
        if (mix.isEmpty()) {
            return Optional.empty();
        }
        if (!by.contains(mix) || dimensions.get(mix) instanceof GroupingDimension.Values) {
            entry.problem("mix", "one of the view's dimensions that has edges or is a product", "'" + mix + "'");
        }
        return Optional.of(mix);
    }

    private static void requireOn(Metric.Origin of, GroupingDimension dimension, Settings entry) {
        EventFields fields = EventFields.of(of);
        if (dimension instanceof GroupingDimension.Values values
                && !values.field().isEmpty()) {
            boolean isListOfSample = of != Metric.Origin.REQUESTS
                    && fields.holds(values.field()).equals(Optional.of(EventFields.Holds.TEXTS));
            if (!isListOfSample) {
                fields.require(values.field(), EventFields.Holds.TEXT, "by", entry);
            }
        } else if (dimension instanceof GroupingDimension.Buckets buckets
                && !buckets.field().isEmpty()) {
            fields.require(buckets.field(), EventFields.Holds.NUMBER, "by", entry);
            buckets.shareOf().ifPresent(field -> fields.require(field, EventFields.Holds.NUMBER, "by", entry));
            buckets.when().ifPresent(field -> fields.requireKnown(field, "by", entry));
        } else if (dimension instanceof GroupingDimension.Product product) {
            requireOn(of, product.first(), entry);
            requireOn(of, product.second(), entry);
        }
    }

    static void checkName(String name, Settings entry) {
        if (!name.matches("[a-z][a-z0-9_-]*")) {
            entry.problem("name", "lower-case letters, digits, _ and -", "'" + name + "'");
        }
    }

    private static void checkDimensionName(String name, Settings entry) {
        checkName(name, entry);
        if (RESERVED.contains(name)) {
            entry.problem(
                    "name",
                    "none of " + String.join(", ", RESERVED) + ", which points use themselves",
                    "'" + name + "'");
        }
    }

    private static void checkPer(
            GroupingDimension dimension, Map<String, GroupingDimension> dimensions, Settings entries) {
        if (dimension instanceof GroupingDimension.Values values) {
            List<String> limited = dimensions.values().stream()
                    .filter(other -> other instanceof GroupingDimension.Values && other != dimension)
                    .map(GroupingDimension::name)
                    .toList();
            values.per().filter(per -> !limited.contains(per)).ifPresent(per -> entries.section(values.name())
                    .problem(
                            "per", "another dimension with a limit", "'" + per + "'" + Settings.nearest(per, limited)));
        }
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

    private static String knownText(String key, Settings entry, Set<String> sums) {
        String name = entry.text(key);
        if (!name.isEmpty() && !sums.contains(name)) {
            entry.problem(key, "a sum metric of this catalogue", "'" + name + "'" + Settings.nearest(name, sums));
        }
        return name;
    }

    /** In the catalogue's order, so that a suggestion among equally near names is always the same. */
    private static Set<String> names(List<Metric> metrics, Metric.Kind... kinds) {
        Set<String> names = new LinkedHashSet<>();
        metrics.stream()
                .filter(metric -> List.of(kinds).contains(metric.kind()))
                .forEach(metric -> names.add(metric.name()));
        return names;
    }

    private static String label(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
