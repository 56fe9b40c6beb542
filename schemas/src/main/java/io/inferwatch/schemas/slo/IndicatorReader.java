package io.inferwatch.schemas.slo;

import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.View;
import io.inferwatch.schemas.settings.Settings;
import io.inferwatch.schemas.slo.Documents.Document;
import io.inferwatch.schemas.slo.Documents.Kind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads SLIs: which metric of the catalogue, in which view. */
final class IndicatorReader {
    private static final String TYPE = "inferwatch";
    private static final Map<String, Double> SECONDS = Map.of("us", 1e-6, "ms", 1e-3, "s", 1.0);

    private final MetricCatalogue catalogue;
    private final Documents documents;
    private final Map<Settings, Sli> read = new HashMap<>();

    IndicatorReader(MetricCatalogue catalogue, Documents documents) {
        this.catalogue = catalogue;
        this.documents = documents;
    }

    /**
     * What an SLI says.
     *
     * @param share the ratio; empty where single values have a limit
     * @param metric whose values have one; empty where it is a ratio, or unknown
     * @param unitsPerStored of a limit as it is written, in the unit in which events store the value
     */
    record Sli(
            Optional<Indicator.Share> share,
            Optional<Metric> metric,
            double unitsPerStored,
            String view,
            Map<String, String> where,
            double leastPerSecond) {}

    /** What an SLI says; once, however many refer to it. */
    Sli read(Document sli) {
        Sli known = read.get(sli.root());
        if (known == null) {
            known = readSpec(sli.spec());
            read.put(sli.root(), known);
        }
        return known;
    }

    /** What the specification of one says, wherever it stands. */
    Sli readSpec(Settings spec) {
        spec.text("description", "");
        if (spec.has("thresholdMetric") == spec.has("ratioMetric")) {
            spec.problem("thresholdMetric, ratioMetric", "one of both", spec.has("ratioMetric") ? "both" : "none");
            return new Sli(Optional.empty(), Optional.empty(), 1, "", Map.of(), 0);
        }
        return spec.has("thresholdMetric")
                ? values(spec.section("thresholdMetric"))
                : share(spec.section("ratioMetric"));
    }

    private Sli values(Settings threshold) {
        Settings spec = source(threshold);
        Optional<Metric> metric = metric(spec, Metric.Kind.QUANTILE);
        String unit = spec.text("unit", "");
        double scale = metric.map(of -> scale(of, unit, spec)).orElse(1.0);
        return sli(spec, Optional.empty(), metric, scale, metric.stream().toList());
    }

    private static double scale(Metric metric, String unit, Settings spec) {
        boolean isTime = metric.unit().base().equals("seconds");
        if (!unit.isEmpty() && !(isTime && SECONDS.containsKey(unit))) {
            spec.problem(
                    "unit",
                    isTime
                            ? "one of us, ms, s"
                            : "left out: " + metric.name() + " is in "
                                    + metric.unit().base(),
                    "'" + unit + "'");
        }
        return SECONDS.getOrDefault(unit, 1.0) / metric.unit().scale();
    }

    private Sli share(Settings ratio) {
        for (String key : List.of("raw", "rawType")) {
            if (ratio.has(key)) {
                ratio.problem(key, "left out: a ratio that is measured as such cannot be counted", "it");
            }
        }
        ratio.flag("counter", true);
        boolean isGood = ratio.has("good");
        if (isGood == ratio.has("bad")) {
            ratio.problem("good, bad", "one of both", isGood ? "both" : "none");
        }
        Settings part = source(ratio.section(isGood ? "good" : "bad"));
        Settings total = source(ratio.section("total"));
        Optional<Metric> partMetric = metric(part, Metric.Kind.SUM);
        Optional<Metric> totalMetric = metric(total, Metric.Kind.SUM);
        Optional<Indicator.Share> share =
                partMetric.flatMap(one -> totalMetric.map(all -> new Indicator.Share(one.name(), isGood, all.name())));
        return sli(
                total,
                share,
                Optional.empty(),
                1,
                Stream.concat(partMetric.stream(), totalMetric.stream()).toList());
    }

    /** The part of a metric source that is ours. */
    private Settings source(Settings of) {
        Settings source = of.section("metricSource");
        if (source.has("metricSourceRef")) {
            documents.referred(source, "metricSourceRef", Kind.DATA_SOURCE);
        }
        String type = source.text("type", TYPE);
        if (!type.equals(TYPE)) {
            source.problem("type", TYPE, "'" + type + "'");
        }
        return source.section("spec");
    }

    private Optional<Metric> metric(Settings spec, Metric.Kind kind) {
        String name = spec.text("metric");
        List<Metric> fitting = catalogue.metrics(Metric.Origin.REQUESTS, kind);
        Optional<Metric> metric =
                fitting.stream().filter(one -> one.name().equals(name)).findFirst();
        if (metric.isEmpty() && !name.isEmpty()) {
            spec.problem(
                    "metric",
                    "a metric of requests of kind " + (kind == Metric.Kind.SUM ? "sum" : "quantile"),
                    "'" + name + "'"
                            + Settings.nearest(
                                    name, fitting.stream().map(Metric::name).toList()));
        }
        return metric;
    }

    private Sli sli(
            Settings spec,
            Optional<Indicator.Share> share,
            Optional<Metric> metric,
            double unitsPerStored,
            List<Metric> needed) {
        String name = spec.text("view", "fleet");
        List<View> views = catalogue.views().stream()
                .filter(view -> view.of() == Metric.Origin.REQUESTS && !view.synthetic())
                .toList();
        Map<String, String> where = spec.section("where").texts();
        views.stream()
                .filter(view -> view.name().equals(name))
                .findFirst()
                .ifPresentOrElse(
                        view -> check(view, needed, where, spec),
                        () -> spec.problem(
                                "view",
                                "a view of production's requests",
                                "'" + name + "'"
                                        + Settings.nearest(
                                                name,
                                                views.stream().map(View::name).toList())));
        Double least = spec.has("leastPerSecond") ? spec.number("leastPerSecond", 0, Double.MAX_VALUE) : null;
        return new Sli(share, metric, unitsPerStored, name, where, least == null ? 0 : least);
    }

    private static void check(View view, List<Metric> needed, Map<String, String> where, Settings spec) {
        needed.stream()
                .filter(metric -> !view.keeps(metric))
                .forEach(metric ->
                        spec.problem("metric", "one that view " + view.name() + " keeps", "'" + metric.name() + "'"));
        List<String> dimensions = view.dimensionNames();
        where.keySet().stream()
                .filter(dimension -> !dimensions.contains(dimension))
                .forEach(dimension -> spec.section("where")
                        .problem(
                                dimension,
                                dimensions.isEmpty()
                                        ? "left out: view " + view.name() + " has no dimensions"
                                        : "one of " + String.join(", ", dimensions) + ", the dimensions of view "
                                                + view.name(),
                                "another name" + Settings.nearest(dimension, dimensions)));
    }
}
