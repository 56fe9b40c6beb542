package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.drift.DriftRule;
import io.inferwatch.analytics.drift.Sample;
import io.inferwatch.analytics.drift.Statistic;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.schemas.MetricSketch;
import io.inferwatch.schemas.MetricSum;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.Ratio;
import io.inferwatch.schemas.catalogue.Watch;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A watch of the catalogue as statistics understand it: what it takes of a window, how it is compared, and in which unit it is told.
 *
 * @param ratio the ratio that is watched; null for a metric
 * @param scale base units in one unit of the statistic's value
 * @param unit the base unit
 */
record WatchedStatistic(
        Watch watch, Statistic statistic, @Nullable Ratio ratio, double scale, String unit, DriftRule.Direction worse) {
    private static final double MICROS = 1e6;

    static WatchedStatistic of(Watch watch, MetricCatalogue catalogue) {
        Ratio ratio = catalogue.ratios().stream()
                .filter(candidate -> candidate.name().equals(watch.metric()))
                .findFirst()
                .orElse(null);
        Statistic statistic =
                switch (watch.statistic()) {
                    case P50 -> new Statistic.Quantile(0.50);
                    case P90 -> new Statistic.Quantile(0.90);
                    case P95 -> new Statistic.Quantile(0.95);
                    case P99 -> new Statistic.Quantile(0.99);
                    case MEAN -> new Statistic.Mean();
                    case SHARE -> new Statistic.Share();
                    case RATE -> new Statistic.Rate();
                };
        Metric.Unit unit = catalogue.metric(watch.metric()).map(Metric::unit).orElse(Metric.Unit.ITEMS);
        boolean isRate = watch.statistic() == Watch.Statistic.RATE;
        return new WatchedStatistic(
                watch,
                statistic,
                ratio,
                ratio != null ? 1 : unit.scale() * (isRate ? MICROS : 1),
                ratio != null ? "ratio" : unit.base() + (isRate ? "_per_second" : ""),
                catalogue.better(watch.metric()) == Metric.Better.HIGHER
                        ? DriftRule.Direction.DOWN
                        : DriftRule.Direction.UP);
    }

    /** The rule of drift against a key's own past. */
    DriftRule againstPast(double threshold) {
        return DriftRule.SLOWER.withThreshold(threshold).withWorse(worse);
    }

    /** The rule of two samples of the same time, which have no past windows. */
    DriftRule sideBySide(double threshold) {
        return againstPast(threshold).withMinWindows(0);
    }

    /** What the windows of a group hold of it, by their arm; empty when that is nothing. */
    Optional<Sample> sample(Map<String, WindowStat> byArm) {
        if (statistic instanceof Statistic.Share || statistic instanceof Statistic.Rate) {
            long events = 0;
            long of = 0;
            for (WindowStat window : byArm.values()) {
                events += sum(window, ratio == null ? watch.metric() : ratio.numerator());
                of += ratio == null ? 0 : sum(window, ratio.denominator());
            }
            if (ratio == null) {
                of = byArm.values().stream()
                        .mapToLong(WindowStat::getWindowMicros)
                        .max()
                        .orElse(0);
            }
            return of == 0
                    ? Optional.empty()
                    : Optional.of(new Sample.Counts(Math.min(events, ratio == null ? events : of), of));
        }
        Map<String, io.inferwatch.analytics.quantile.QuantileSketch> byBucket = new TreeMap<>();
        byArm.forEach((arm, window) -> {
            ByteBuffer sketch = sketch(window);
            if (sketch != null) {
                byBucket.put(
                        arm,
                        SketchEncoding.decode(
                                sketch.array(), sketch.arrayOffset() + sketch.position(), sketch.remaining()));
            }
        });
        return byBucket.isEmpty() ? Optional.empty() : Optional.of(new Sample.Values(byBucket));
    }

    /** The window's sketch of the metric; null when it has none. */
    @Nullable
    ByteBuffer sketch(WindowStat window) {
        for (MetricSketch sketch : window.getSketches()) {
            if (sketch.getMetric().equals(watch.metric())) {
                return sketch.getSketch();
            }
        }
        return null;
    }

    private static long sum(WindowStat window, String metric) {
        for (MetricSum sum : window.getSums()) {
            if (sum.getMetric().equals(metric)) {
                return sum.getValue();
            }
        }
        return 0;
    }
}
