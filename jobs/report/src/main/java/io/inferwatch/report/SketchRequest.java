package io.inferwatch.report;

import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.View;
import io.inferwatch.schemas.settings.Settings;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which sketches are asked for: of one metric over whole minutes, for each combination of some dimensions.
 *
 * @param view the smallest view with sketches that tells those dimensions apart
 * @param by the dimensions asked for; the view's others are merged
 * @param from first instant, a whole minute
 * @param to end, a whole minute
 */
record SketchRequest(Metric metric, View view, List<String> by, Instant from, Instant to) {
    SketchRequest {
        by = List.copyOf(by);
    }

    /**
     * A request that can be met by what is stored after the catalogue.
     *
     * @throws InvalidRequestException with what it cannot meet and the nearest that it can
     */
    static SketchRequest of(MetricCatalogue catalogue, String metricName, List<String> by, Instant from, Instant to) {
        Metric metric = metric(catalogue, metricName);
        View view = view(catalogue, metric, by);
        Instant first = TimeText.minuteFrom(from);
        Instant end = TimeText.minuteTo(to);
        if (!first.isBefore(end)) {
            throw new InvalidRequestException(
                    "--from, --to: must span at least one whole minute, found " + from + " to " + to);
        }
        return new SketchRequest(metric, view, by, first, end);
    }

    /** Whole minutes asked for. */
    long minutes() {
        return (to.getEpochSecond() - from.getEpochSecond()) / 60;
    }

    /** A value of the metric as it is stored, in its base unit. */
    double inBaseUnit(double storedUnit) {
        return storedUnit / Math.rint(1 / metric.unit().scale());
    }

    private static Metric metric(MetricCatalogue catalogue, String name) {
        List<String> stored = catalogue.metrics().stream()
                .filter(catalogue::storesSketchOf)
                .map(Metric::name)
                .toList();
        Metric metric = catalogue
                .metric(name)
                .orElseThrow(() -> new InvalidRequestException("--metric: must be one of " + String.join(", ", stored)
                        + ", found '" + name + "'" + Settings.nearest(name, stored)));
        if (!stored.contains(name)) {
            throw new InvalidRequestException("--metric: must be one whose sketches are stored ("
                    + String.join(", ", stored) + "), found '" + name + "'");
        }
        return metric;
    }

    private static View view(MetricCatalogue catalogue, Metric metric, List<String> by) {
        if (new LinkedHashSet<>(by).size() < by.size()) {
            throw new InvalidRequestException("--by: must name each dimension once, found " + by);
        }
        List<View> kept = catalogue.views().stream()
                .filter(View::storeSketches)
                .filter(view -> view.keeps(metric))
                .toList();
        return kept.stream()
                .filter(view -> view.dimensionNames().containsAll(by))
                // Synthetic traffic only for those who ask for runs.
                .filter(view -> view.synthetic() == by.contains("run"))
                .min(Comparator.comparingInt((View view) -> view.by().size()).thenComparingInt(View::maxSeries))
                .orElseThrow(() -> new InvalidRequestException(refusal(kept, by)));
    }

    private static String refusal(List<View> kept, List<String> by) {
        Set<String> known = new TreeSet<>();
        kept.forEach(view -> known.addAll(view.dimensionNames()));
        for (String dimension : by) {
            if (!known.contains(dimension)) {
                return "--by: must be of " + String.join(", ", known) + ", found '" + dimension + "'"
                        + Settings.nearest(dimension, known);
            }
        }
        return "--by: must be dimensions that one view keeps sketches by ("
                + String.join(
                        "; ",
                        kept.stream()
                                .map(view -> view.by().isEmpty() ? "none" : String.join(",", view.dimensionNames()))
                                .toList())
                + "), found " + String.join(",", by);
    }
}
