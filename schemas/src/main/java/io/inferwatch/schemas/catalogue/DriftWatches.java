package io.inferwatch.schemas.catalogue;

import io.inferwatch.schemas.settings.Settings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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

    static DriftWatches read(Settings entry, List<Metric> metrics, List<Ratio> ratios) {
        List<Watch> of =
                entry.list("of", text -> directed(Watch.parse(text, metrics, ratios), metrics, ratios), List.of());
        Map<String, Double> thresholds = new LinkedHashMap<>();
        Settings entries = entry.section("thresholds");
        entries.texts().forEach((metric, text) -> {
            if (of.stream().noneMatch(watch -> watch.metric().equals(metric))) {
                entries.problem(metric, "a metric that is watched", "it unwatched");
            }
            try {
                thresholds.put(metric, parseThreshold(text));
            } catch (IllegalArgumentException e) {
                entries.problem(metric, String.valueOf(e.getMessage()), "'" + text + "'");
            }
        });
        return new DriftWatches(of, thresholds);
    }

    private static Watch directed(Watch watch, List<Metric> metrics, List<Ratio> ratios) {
        if (MetricCatalogue.better(watch.metric(), metrics, ratios) == Metric.Better.NEITHER) {
            throw new IllegalArgumentException("a metric that says which way is better");
        }
        return watch;
    }
}
