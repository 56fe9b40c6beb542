package io.inferwatch.schemas.catalogue;

import io.inferwatch.schemas.settings.Settings;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What is watched for drift in every view that asks for it.
 *
 * @param of the statistics
 * @param thresholds the change that matters, by metric, where it is not the default: 0.05 is 5 %, of shares five points
 */
public record DriftWatches(List<Watch> of, Map<String, Double> thresholds) {
    /** The change that matters where nothing else is said. */
    public static final double DEFAULT_THRESHOLD = 0.03;

    /** The kind of settings that hold thresholds of running jobs. */
    public static final String THRESHOLD_KIND = "threshold";

    /** Watches with unmodifiable collections. */
    public DriftWatches {
        of = List.copyOf(of);
        thresholds = Map.copyOf(thresholds);
    }

    /** The change of a metric that matters. */
    public double threshold(String metric) {
        return thresholds.getOrDefault(metric, DEFAULT_THRESHOLD);
    }

    /**
     * A threshold, such as {@code 3%} or {@code 0.5%}.
     *
     * @throws IllegalArgumentException with the rule that the text breaks
     */
    public static double parseThreshold(String text) {
        if (!text.matches("\\d{1,4}(\\.\\d{1,4})?%")) {
            throw new IllegalArgumentException("a percentage such as 3% or 0.5%");
        }
        double threshold = Double.parseDouble(text.substring(0, text.length() - 1)) / 100;
        if (!(threshold > 0)) {
            throw new IllegalArgumentException("above 0%");
        }
        return threshold;
    }

    static DriftWatches read(Settings entry, List<Metric> metrics, List<Ratio> ratios, List<BaselineRule> baselines) {
        List<Watch> of = entry.has("of") ? Watch.read(entry, metrics, ratios) : List.of();
        of.stream()
                .filter(watch -> MetricCatalogue.better(watch.metric(), metrics, ratios) == Metric.Better.NEITHER)
                .forEach(watch -> entry.problem("of", "of metrics that say which way is better", "'" + watch + "'"));
        Set<String> judged = Stream.concat(of.stream(), baselines.stream().flatMap(rule -> rule.of().stream()))
                .map(Watch::metric)
                .collect(Collectors.toCollection(LinkedHashSet::new));
        Map<String, Double> thresholds = new LinkedHashMap<>();
        Settings entries = entry.section("thresholds");
        entries.texts().forEach((metric, text) -> {
            if (!judged.contains(metric)) {
                entries.problem(
                        metric,
                        "a metric that is watched or compared",
                        "one that is not" + Settings.nearest(metric, judged));
            }
            readThreshold(metric, text, entries).ifPresent(threshold -> thresholds.put(metric, threshold));
        });
        return new DriftWatches(of, thresholds);
    }

    /** The threshold in that text; empty where it is none, which then is a problem of the section. */
    static Optional<Double> readThreshold(String metric, String text, Settings entries) {
        try {
            return text.isEmpty() ? Optional.empty() : Optional.of(parseThreshold(text));
        } catch (IllegalArgumentException e) {
            entries.problem(metric, String.valueOf(e.getMessage()), "'" + text + "'");
            return Optional.empty();
        }
    }
}
