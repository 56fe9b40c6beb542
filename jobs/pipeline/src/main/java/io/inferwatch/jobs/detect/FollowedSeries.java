package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.anomaly.PeerRule;
import io.inferwatch.analytics.anomaly.Scale;
import io.inferwatch.analytics.drift.Moments;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.Ratio;
import io.inferwatch.schemas.catalogue.View;
import io.inferwatch.schemas.catalogue.Watch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A statistic that is watched for anomalies, as a number for each window.
 *
 * @param kind of its metric; empty of a ratio
 * @param metrics that windows must bring for it
 * @param unitScale base units in one unit of the windows
 * @param unit the base unit
 * @param scale on which differences are alike
 * @param peerRule when a replica is a straggler by it; empty where no way is worse
 */
record FollowedSeries(
        Watch watch,
        Optional<Metric.Kind> kind,
        List<String> metrics,
        double unitScale,
        String unit,
        Scale scale,
        Optional<PeerRule> peerRule) {
    /** A mean over the window is as good as its time is long, and no matter of how many values it has. */
    private static final long OF_ALL_THE_WINDOW = Long.MAX_VALUE;

    private static final double SECONDS_A_MICRO = 1e-6;

    /**
     * The statistic of a window.
     *
     * @param value in base units
     * @param n values that it is of
     */
    record Reading(double value, long n) {}

    static FollowedSeries of(Watch watch, MetricCatalogue catalogue) {
        Optional<Ratio> ratio = catalogue.ratios().stream()
                .filter(candidate -> candidate.name().equals(watch.metric()))
                .findFirst();
        Optional<PeerRule> peerRule =
                switch (catalogue.better(watch.metric())) {
                    case LOWER -> Optional.of(PeerRule.SLOWER);
                    case HIGHER -> Optional.of(PeerRule.SLOWER.mirrored());
                    case NEITHER -> Optional.empty();
                };
        if (ratio.isPresent()) {
            List<String> parts = List.of(ratio.get().numerator(), ratio.get().denominator());
            return new FollowedSeries(watch, Optional.empty(), parts, 1, "ratio", Scale.LOGIT, peerRule);
        }
        Metric metric = catalogue.metric(watch.metric()).orElseThrow();
        boolean isRate = watch.statistic() == Watch.Statistic.RATE;
        Scale scale =
                switch (metric.unit()) {
                    case PPM -> Scale.LOGIT;
                    case CELSIUS -> Scale.LINEAR;
                    default -> Scale.LOG;
                };
        return new FollowedSeries(
                watch,
                Optional.of(metric.kind()),
                List.of(metric.name()),
                metric.unit().scale(),
                metric.unit().base() + (isRate ? "_per_second" : ""),
                isRate ? Scale.LOG : scale,
                peerRule);
    }

    /** What is watched in each view that asks for it, as far as it keeps it. */
    static Map<String, List<FollowedSeries>> byView(MetricCatalogue catalogue) {
        Map<String, List<FollowedSeries>> byView = new HashMap<>();
        for (View view : catalogue.views()) {
            if (view.anomaly()) {
                byView.put(
                        view.name(),
                        catalogue.anomalies().stream()
                                .filter(watch -> catalogue.keeps(view, watch.metric()))
                                .map(watch -> of(watch, catalogue))
                                .toList());
            }
        }
        return byView;
    }

    /** Empty when the window has nothing of it. */
    Optional<Reading> reading(WindowStat window) {
        WindowReading read = new WindowReading(window);
        if (kind.isEmpty()) {
            long of = read.sum(metrics.get(1));
            return of == 0 ? Optional.empty() : Optional.of(new Reading((double) read.sum(metrics.get(0)) / of, of));
        }
        String metric = watch.metric();
        return switch (kind.get()) {
            case QUANTILE ->
                read.distribution(metric)
                        .filter(sketch -> sketch.n() > 0)
                        .map(sketch -> new Reading(unitScale * statistic(sketch), sketch.n()));
            case GAUGE -> {
                OptionalDouble mean = read.mean(metric);
                yield mean.isEmpty()
                        ? Optional.empty()
                        : Optional.of(new Reading(unitScale * mean.getAsDouble(), OF_ALL_THE_WINDOW));
            }
            case SUM, COUNTER ->
                Optional.of(new Reading(
                        unitScale * read.sum(metric) / (SECONDS_A_MICRO * window.getWindowMicros()),
                        OF_ALL_THE_WINDOW));
            case HISTOGRAM -> Optional.empty();
        };
    }

    private double statistic(QuantileSketch sketch) {
        return switch (watch.statistic()) {
            case P50 -> sketch.quantile(0.50);
            case P90 -> sketch.quantile(0.90);
            case P95 -> sketch.quantile(0.95);
            case P99 -> sketch.quantile(0.99);
            case MEAN, SHARE, RATE -> Moments.of(sketch).mean();
        };
    }

    /** The tags of points of it: the series' own, metric and statistic. */
    List<Dimension> tags(WindowStat window) {
        List<Dimension> tags = new ArrayList<>(window.getDimensions());
        tags.add(new Dimension("metric", watch.metric()));
        tags.add(new Dimension("statistic", watch.statistic().label()));
        return tags;
    }
}
