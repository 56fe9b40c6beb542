package io.inferwatch.schemas.catalogue;

import io.inferwatch.schemas.settings.Settings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A file of what running jobs are told beside the catalogue: {@code thresholds} by metric, {@code baselines} by name, {@code limits} of memory by name,
 * {@code paddings}, {@code layers} and {@code experiments} by model, {@code anomalies} by what is watched, {@code prices} by
 * device.
 */
public final class ConfigFile {
    private ConfigFile() {}

    /**
     * One entry, as it is sent.
     *
     * @param kind {@link DriftWatches#THRESHOLD_KIND}, {@link BaselineRule#KIND}, {@link MemoryLimits#KIND}, {@link PaddingRule#KIND},
     *     {@link LayerRule#KIND}, {@link ExperimentRule#KIND}, {@link AnomalySetting#KIND} or {@link PriceRule#KIND}
     * @param name within the kind: a metric, that of the comparison or limit, a model, a statistic, a device
     * @param body what {@link DriftWatches#parseThreshold}, {@link BaselineRule#parse}, {@link MemoryLimits#with}, {@link PaddingRule#parse},
     *     {@link LayerRule#parse}, {@link ExperimentRule#parse}, {@link AnomalySetting#parse} or {@link PriceRule#parse} reads
     */
    public record Entry(String kind, String name, String body) {
        /** The key of its record. */
        public String key() {
            return kind + "/" + name;
        }
    }

    /** The section that holds the entries of a kind. */
    public static String section(String kind) {
        return kind.equals(AnomalySetting.KIND) ? "anomalies" : kind + "s";
    }

    /**
     * The file's entries, in its order.
     *
     * @throws io.inferwatch.schemas.settings.InvalidSettingsException with all its problems, when it has any
     */
    public static List<Entry> read(Path file, MetricCatalogue catalogue) {
        return of(Settings.read(file), catalogue);
    }

    /**
     * The same from the file's root section.
     *
     * @throws io.inferwatch.schemas.settings.InvalidSettingsException with all its problems, when it has any
     */
    public static List<Entry> of(Settings root, MetricCatalogue catalogue) {
        List<Metric> metrics = catalogue.metrics();
        List<Ratio> ratios = catalogue.ratios();
        List<String> names = Stream.concat(
                        metrics.stream().map(Metric::name), ratios.stream().map(Ratio::name))
                .filter(name -> Watch.isJudgeable(name, metrics, ratios))
                .toList();
        List<Entry> entries = new ArrayList<>();
        Settings thresholds = root.section("thresholds");
        thresholds.texts().forEach((metric, text) -> {
            if (!names.contains(metric)) {
                thresholds.problem(
                        metric,
                        "a metric whose windows can be compared (kinds quantile, sum, counter) or a ratio",
                        "another name" + Settings.nearest(metric, names));
            }
            DriftWatches.readThreshold(metric, text, thresholds);
            entries.add(new Entry(DriftWatches.THRESHOLD_KIND, metric, text));
        });
        root.section("baselines").sections().forEach((name, entry) -> {
            BaselineRule.read(name, entry, metrics, ratios, catalogue.views());
            entries.add(new Entry(BaselineRule.KIND, name, entry.yaml()));
        });
        readModels(root, entries);
        root.section("anomalies").sections().forEach((name, entry) -> {
            AnomalySetting.read(name, entry, catalogue.anomalies());
            entries.add(new Entry(AnomalySetting.KIND, name, entry.yaml()));
        });
        root.section("prices").sections().forEach((device, entry) -> {
            PriceRule.read(device, entry);
            entries.add(new Entry(PriceRule.KIND, device, entry.yaml()));
        });
        if (entries.isEmpty()) {
            root.problem(
                    "thresholds, baselines, limits, paddings, layers, experiments, anomalies, prices",
                    "at least one entry",
                    "none");
        }
        root.check();
        return List.copyOf(entries);
    }

    private static void readModels(Settings root, List<Entry> entries) {
        Settings limits = root.section("limits");
        limits.texts().forEach((name, text) -> {
            var unused = MemoryLimits.DEFAULT.with(name, text, limits);
            entries.add(new Entry(MemoryLimits.KIND, name, text));
        });
        root.section("paddings").sections().forEach((model, entry) -> {
            PaddingRule.read(model, entry);
            entries.add(new Entry(PaddingRule.KIND, model, entry.yaml()));
        });
        root.section("layers").sections().forEach((model, entry) -> {
            LayerRule.read(model, entry);
            entries.add(new Entry(LayerRule.KIND, model, entry.yaml()));
        });
        root.section("experiments").sections().forEach((model, entry) -> {
            ExperimentRule.read(model, entry);
            entries.add(new Entry(ExperimentRule.KIND, model, entry.yaml()));
        });
    }
}
