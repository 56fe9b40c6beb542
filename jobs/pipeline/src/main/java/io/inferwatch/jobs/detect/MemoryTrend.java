package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.memory.Trend;
import io.inferwatch.analytics.shape.Estimate;
import io.inferwatch.influx.Field;
import io.inferwatch.schemas.Evidence;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** How a figure grows, and when it reaches all there is: an estimate, with its 95 % limits. */
record MemoryTrend(Optional<Trend> trend, double limit) {
    private static final double SECONDS_PER_MINUTE = 60;

    /**
     * Adds growth and time to the limit to a result.
     *
     * @param unit of the growth
     * @param scale units of growth in one of the figure's a second
     */
    void addTo(FigureBuilder result, String unit, double scale) {
        result.estimate(Field.GROWTH, Field.estimated(unit), scale, trend.map(Trend::perSecond))
                .estimate(Field.FULL_IN, Field.estimated("seconds"), 1, secondsToLimit());
    }

    /** Whether the limit is surely reached within a time, were it to go on so. */
    boolean isFullWithin(Duration horizon) {
        return secondsToLimit()
                .filter(until -> until.high() <= horizon.toSeconds())
                .isPresent();
    }

    /** Seconds from the last minute on; limits may be infinite. */
    Optional<Estimate> secondsToLimit() {
        return trend.map(line -> line.secondsUntil(limit));
    }

    /** In words, where it is known that the limit will be reached. */
    String text() {
        return secondsToLimit()
                .filter(until -> Double.isFinite(until.high()))
                .map(until -> String.format(
                        Locale.ROOT,
                        "full in %.0f minutes (95 %% limits %.0f to %.0f) if it goes on so",
                        until.value() / SECONDS_PER_MINUTE,
                        until.low() / SECONDS_PER_MINUTE,
                        until.high() / SECONDS_PER_MINUTE))
                .orElse("not known to grow");
    }

    void addTo(List<Evidence> evidence) {
        secondsToLimit().ifPresent(until -> {
            DriftAlerts.add(evidence, "seconds until it is full", until.value(), null, "estimated, if it goes on so");
            DriftAlerts.add(evidence, "lower limit of these", until.low(), null, "95 %");
            DriftAlerts.add(evidence, "upper limit of these", until.high(), null, "95 %");
        });
    }
}
