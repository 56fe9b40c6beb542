package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.drift.DriftRule;
import io.inferwatch.analytics.drift.Moments;
import io.inferwatch.analytics.drift.Sample;
import io.inferwatch.analytics.drift.Statistic;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.Ratio;
import io.inferwatch.schemas.catalogue.Watch;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A watch of the catalogue as statistics understand it: what it takes of a window, how it is compared, and in which unit it is told.
 *
 * @param ratio the ratio that is watched; null for a metric
 * @param bunches the distribution of the same field where a sum's rate is watched: of how many units each request brings at once; null without one
 * @param scale base units in one unit of the statistic's value
 * @param unit the base unit
 */
record WatchedStatistic(
        Watch watch,
        Statistic statistic,
        @Nullable Ratio ratio,
        @Nullable String bunches,
        double scale,
        String unit,
        DriftRule.Direction worse) {
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
                bunches(watch, catalogue),
                ratio != null ? 1 : unit.scale() * (isRate ? MICROS : 1),
                ratio != null ? "ratio" : unit.base() + (isRate ? "_per_second" : ""),
                catalogue.better(watch.metric()) == Metric.Better.HIGHER
                        ? DriftRule.Direction.DOWN
                        : DriftRule.Direction.UP);
    }

    private static @Nullable String bunches(Watch watch, MetricCatalogue catalogue) {
        if (watch.statistic() != Watch.Statistic.RATE) {
            return null;
        }
        Metric sum = catalogue.metric(watch.metric()).orElseThrow();
        return catalogue.metrics(sum.of(), Metric.Kind.QUANTILE).stream()
                .filter(metric -> metric.value().equals(sum.value()))
                .map(Metric::name)
                .findFirst()
                .orElse(null);
    }

    /** The metrics that windows must bring for it, as far as they have them. */
    List<String> metrics() {
        if (ratio != null) {
            return List.of(ratio.numerator(), ratio.denominator());
        }
        return bunches == null ? List.of(watch.metric()) : List.of(watch.metric(), bunches);
    }

    boolean isBunched() {
        return bunches != null;
    }

    /**
     * What the sample tells. That is the sample itself, but for the rate of what requests bring in bunches, such as tokens: where requests come
     * at random the count's variance is E[b^2] / E[b] times its mean, b being a request's bunch, so that so many times fewer independent events,
     * at the same rate, tell as much.
     */
    Sample effective(Sample sample, WindowStat window) {
        if (bunches == null || !(sample instanceof Sample.Counts counts) || counts.events() == 0) {
            return sample;
        }
        Moments moments = new WindowReading(window).moments(bunches);
        double bunch = moments.mean() > 0 ? moments.mean() + moments.variance() / moments.mean() : 1;
        long events = Math.max(1, Math.round(counts.events() / Math.max(1, bunch)));
        return new Sample.Counts(events, Math.round(counts.of() * ((double) events / counts.events())));
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
                events += new WindowReading(window).sum(ratio == null ? watch.metric() : ratio.numerator());
                of += ratio == null ? 0 : new WindowReading(window).sum(ratio.denominator());
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
        Map<String, QuantileSketch> byBucket = new TreeMap<>();
        byArm.forEach((arm, window) -> {
            ByteBuffer sketch = sketch(window);
            if (sketch != null) {
                byBucket.put(arm, WindowReading.decode(sketch));
            }
        });
        return byBucket.isEmpty() ? Optional.empty() : Optional.of(new Sample.Values(byBucket));
    }

    /** The window's sketch of the metric; null when it has none. */
    @Nullable
    ByteBuffer sketch(WindowStat window) {
        return new WindowReading(window).sketch(watch.metric());
    }
}
