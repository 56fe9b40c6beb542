package io.inferwatch.jobs.detect;

import io.inferwatch.schemas.Setting;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.AnomalySetting;
import io.inferwatch.schemas.catalogue.BaselineRule;
import io.inferwatch.schemas.catalogue.DriftWatches;
import io.inferwatch.schemas.catalogue.ExperimentRule;
import io.inferwatch.schemas.catalogue.LayerRule;
import io.inferwatch.schemas.catalogue.MemoryLimits;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.PaddingRule;
import io.inferwatch.schemas.catalogue.PriceRule;
import io.inferwatch.schemas.catalogue.Watch;
import io.inferwatch.schemas.slo.SloFile;
import io.inferwatch.schemas.slo.SloSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the running jobs' configuration makes of the catalogue. Immutable. */
record Configuration(
        Map<String, Double> thresholds,
        Map<String, BaselineRule> baselines,
        MemoryLimits limits,
        Map<String, PaddingRule> paddings,
        Map<String, LayerRule> layers,
        Map<String, ExperimentRule> experiments,
        Map<String, AnomalySetting> anomalies,
        Map<String, PriceRule> prices,
        List<Promise> promises) {
    private static final List<String> KINDS = List.of(
            DriftWatches.THRESHOLD_KIND,
            BaselineRule.KIND,
            MemoryLimits.KIND,
            PaddingRule.KIND,
            LayerRule.KIND,
            ExperimentRule.KIND,
            AnomalySetting.KIND,
            PriceRule.KIND,
            SloSpec.KIND);

    /** A configuration with unmodifiable collections. */
    Configuration {
        thresholds = Map.copyOf(thresholds);
        baselines = Map.copyOf(baselines);
        paddings = Map.copyOf(paddings);
        layers = Map.copyOf(layers);
        experiments = Map.copyOf(experiments);
        anomalies = Map.copyOf(anomalies);
        prices = Map.copyOf(prices);
        promises = List.copyOf(promises);
    }

    /** What the catalogue says alone. */
    static Configuration of(MetricCatalogue catalogue) {
        Map<String, BaselineRule> baselines = new LinkedHashMap<>();
        catalogue.baselines().forEach(rule -> baselines.put(rule.name(), rule));
        return new Configuration(
                Map.of(), baselines, MemoryLimits.DEFAULT, Map.of(), Map.of(), Map.of(), Map.of(), Map.of(), List.of());
    }

    /**
     * With these settings.
     *
     * @throws IllegalArgumentException when one of them is wrong, with its key and the rule
     */
    static Configuration of(MetricCatalogue catalogue, Iterable<Setting> settings) {
        Configuration present = of(catalogue);
        Map<String, Double> thresholds = new LinkedHashMap<>();
        Map<String, BaselineRule> baselines = new LinkedHashMap<>(present.baselines);
        MemoryLimits limits = present.limits;
        Map<String, PaddingRule> paddings = new LinkedHashMap<>();
        Map<String, LayerRule> layers = new LinkedHashMap<>();
        Map<String, ExperimentRule> experiments = new LinkedHashMap<>();
        Map<String, AnomalySetting> anomalies = new LinkedHashMap<>();
        Map<String, PriceRule> prices = new LinkedHashMap<>();
        List<Promise> promises = new ArrayList<>();
        for (Setting setting : settings) {
            switch (setting.getKind()) {
                case DriftWatches.THRESHOLD_KIND -> thresholds.put(setting.getName(), threshold(setting, catalogue));
                case BaselineRule.KIND ->
                    baselines.put(
                            setting.getName(), BaselineRule.parse(setting.getName(), setting.getBody(), catalogue));
                case MemoryLimits.KIND ->
                    limits = limits.with(setting.getName(), setting.getBody().strip());
                case PaddingRule.KIND ->
                    paddings.put(setting.getName(), PaddingRule.parse(setting.getName(), setting.getBody()));
                case LayerRule.KIND ->
                    layers.put(setting.getName(), LayerRule.parse(setting.getName(), setting.getBody()));
                case ExperimentRule.KIND ->
                    experiments.put(setting.getName(), ExperimentRule.parse(setting.getName(), setting.getBody()));
                case AnomalySetting.KIND ->
                    anomalies.put(
                            setting.getName(), AnomalySetting.parse(setting.getName(), setting.getBody(), catalogue));
                case PriceRule.KIND ->
                    prices.put(setting.getName(), PriceRule.parse(setting.getName(), setting.getBody()));
                case SloSpec.KIND -> promises.addAll(promises(setting, catalogue));
                default ->
                    throw new IllegalArgumentException(
                            "kind: must be one of " + String.join(", ", KINDS) + ", found '" + setting.getKind() + "'");
            }
        }
        return new Configuration(
                thresholds, baselines, limits, paddings, layers, experiments, anomalies, prices, promises);
    }

    private static List<Promise> promises(Setting setting, MetricCatalogue catalogue) {
        SloFile file = SloFile.parse(SloSpec.KIND + "/" + setting.getName(), setting.getBody(), catalogue);
        if (!file.bodies().keySet().equals(Set.of(setting.getName()))) {
            throw new IllegalArgumentException(SloSpec.KIND + "/" + setting.getName()
                    + ": must be the SLO of that name alone, found "
                    + String.join(", ", file.bodies().keySet()));
        }
        return file.objectives().stream().map(Promise::of).toList();
    }

    private static double threshold(Setting setting, MetricCatalogue catalogue) {
        if (catalogue.drift().of().stream().noneMatch(watch -> watch.metric().equals(setting.getName()))) {
            throw new IllegalArgumentException(DriftWatches.THRESHOLD_KIND + "/" + setting.getName()
                    + ": must be of a metric that is watched, found it unwatched");
        }
        try {
            return DriftWatches.parseThreshold(setting.getBody().strip());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    DriftWatches.THRESHOLD_KIND + "/" + setting.getName() + ": must be " + e.getMessage() + ", found '"
                            + setting.getBody() + "'",
                    e);
        }
    }

    /** The change of a metric that matters. */
    double threshold(String metric, MetricCatalogue catalogue) {
        Double set = thresholds.get(metric);
        return set == null ? catalogue.drift().threshold(metric) : set;
    }

    /** How anomalies of what is watched are gone about: its own setting, that for all, or the default. */
    AnomalySetting anomaly(Watch watch) {
        AnomalySetting own = anomalies.get(watch.toString());
        return own == null ? anomalies.getOrDefault(AnomalySetting.ALL, AnomalySetting.DEFAULT) : own;
    }

    /** The comparisons within a view. */
    List<BaselineRule> baselinesOf(String view) {
        return baselines.values().stream()
                .filter(rule -> rule.view().equals(view))
                .toList();
    }

    /** What is promised of a window's series. */
    List<Promise> promisesOf(WindowStat window) {
        return promises.stream().filter(promise -> promise.isOf(window)).toList();
    }
}
