package io.inferwatch.report;

import io.inferwatch.analytics.drift.DriftRule;
import io.inferwatch.analytics.drift.Statistic;
import io.inferwatch.schemas.catalogue.DriftWatches;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.Watch;
import io.inferwatch.schemas.settings.Settings;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What is asked: how values of a dimension compare with one of them over a period.
 *
 * @param sketches by that one dimension
 * @param watch the statistic of the metric
 * @param baseline the value that is compared with
 * @param candidate the value that is judged; all others when empty
 * @param rule when a change counts, with past minutes in mind
 */
record ComparisonRequest(
        SketchRequest sketches, Watch watch, String baseline, Optional<String> candidate, DriftRule rule) {
    private static final List<Watch.Statistic> STATISTICS = List.of(
            Watch.Statistic.P50, Watch.Statistic.P90, Watch.Statistic.P95, Watch.Statistic.P99, Watch.Statistic.MEAN);

    /**
     * A request that can be met by what is stored after the catalogue.
     *
     * @param statistic P99 when empty
     * @param threshold as users write it; the catalogue's when empty
     * @throws InvalidRequestException with what it cannot meet and the nearest that it can
     */
    static ComparisonRequest of(
            MetricCatalogue catalogue,
            String metric,
            Optional<String> statistic,
            List<String> by,
            String baseline,
            Optional<String> candidate,
            Optional<String> threshold,
            Instant from,
            Instant to) {
        SketchRequest sketches = SketchRequest.of(catalogue, metric, by, from, to);
        if (by.size() != 1) {
            throw new InvalidRequestException("--by: must be the one dimension whose values are compared, found "
                    + (by.isEmpty() ? "none" : String.join(",", by)));
        }
        if (candidate.filter(baseline::equals).isPresent()) {
            throw new InvalidRequestException(
                    "--candidate: must be another value than --baseline, found '" + baseline + "'");
        }
        DriftRule.Direction worse =
                switch (catalogue.better(metric)) {
                    case LOWER -> DriftRule.Direction.UP;
                    case HIGHER -> DriftRule.Direction.DOWN;
                    case NEITHER ->
                        throw new InvalidRequestException(
                                "--metric: must be one of which the catalogue says which way is better, found '"
                                        + metric + "'");
                };
        double matters = threshold
                .map(ComparisonRequest::parseThreshold)
                .orElse(catalogue.drift().threshold(metric));
        return new ComparisonRequest(
                sketches,
                new Watch(metric, statistic(statistic.orElse("p99"))),
                baseline,
                candidate,
                DriftRule.SLOWER.withThreshold(matters).withWorse(worse));
    }

    Metric metric() {
        return sketches.metric();
    }

    /** The dimension whose values are compared. */
    String dimension() {
        return sketches.by().get(0);
    }

    /** The statistic with the test that fits it. */
    Statistic test() {
        return switch (watch.statistic()) {
            case P50 -> new Statistic.Quantile(0.5);
            case P90 -> new Statistic.Quantile(0.9);
            case P95 -> new Statistic.Quantile(0.95);
            case P99 -> new Statistic.Quantile(0.99);
            case MEAN -> new Statistic.Mean();
            case SHARE, RATE -> throw new IllegalStateException(watch + " has no sketch");
        };
    }

    private static Watch.Statistic statistic(String label) {
        return Watch.Statistic.of(label).filter(STATISTICS::contains).orElseThrow(() -> {
            List<String> known = STATISTICS.stream().map(Watch.Statistic::label).toList();
            return new InvalidRequestException("--statistic: must be one of " + String.join(", ", known) + ", found '"
                    + label + "'" + Settings.nearest(label, known));
        });
    }

    private static double parseThreshold(String text) {
        try {
            return DriftWatches.parseThreshold(text);
        } catch (IllegalArgumentException e) {
            throw new InvalidRequestException("--threshold: must be " + e.getMessage() + ", found '" + text + "'");
        }
    }
}
