package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.anomaly.ForestOpinion;
import io.inferwatch.schemas.catalogue.AnomalySetting;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalDouble;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/**
 * Second opinions where they are asked for, of at most {@value #MOST} series in each task, in memory alone: after a restart they learn for a day anew. Those beyond are counted. Not thread
 * safe.
 */
final class Forests {
    private static final int MOST = 1_000;
    private static final int LEARN_MINUTES = (int) Duration.ofDays(1).toMinutes();

    private final Map<String, ForestOpinion> opinions = new HashMap<>();
    private final Counter refused;

    Forests(MetricGroup group) {
        refused = group.counter("anomaly_forests_refused_total");
    }

    /** Empty where no opinion is asked for, or there is no room for it. */
    OptionalDouble score(String series, double value, AnomalySetting setting) {
        if (!setting.forest()) {
            if (!opinions.isEmpty()) {
                opinions.remove(series);
            }
            return OptionalDouble.empty();
        }
        if (!opinions.containsKey(series) && opinions.size() >= MOST) {
            refused.inc();
            return OptionalDouble.empty();
        }
        return OptionalDouble.of(opinions.computeIfAbsent(series, key -> new ForestOpinion(LEARN_MINUTES))
                .score(value));
    }
}
