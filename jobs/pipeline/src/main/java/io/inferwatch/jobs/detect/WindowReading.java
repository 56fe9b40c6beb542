package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.drift.Moments;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.MetricSketch;
import io.inferwatch.schemas.MetricSum;
import io.inferwatch.schemas.WindowStat;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a window holds of metrics, by their names. */
record WindowReading(WindowStat window) {
    /** The sum of a metric, which windows leave out where it is zero. */
    long sum(String metric) {
        for (MetricSum sum : window.getSums()) {
            if (sum.getMetric().equals(metric)) {
                return sum.getValue();
            }
        }
        return 0;
    }

    /** The bytes of a metric's distribution; null when it has none. */
    @Nullable
    ByteBuffer sketch(String metric) {
        for (MetricSketch sketch : window.getSketches()) {
            if (sketch.getMetric().equals(metric)) {
                return sketch.getSketch();
            }
        }
        return null;
    }

    /** A metric's distribution. */
    Optional<QuantileSketch> distribution(String metric) {
        return Optional.ofNullable(sketch(metric)).map(WindowReading::decode);
    }

    /** The moments of a metric's distribution; without values where there is none. */
    Moments moments(String metric) {
        return distribution(metric).map(Moments::of).orElse(new Moments(0, 0, 0));
    }

    /** The value of a dimension; empty when the view does not group by it. */
    String dimension(String name) {
        return window.getDimensions().stream()
                .filter(dimension -> dimension.getName().equals(name))
                .map(Dimension::getValue)
                .findFirst()
                .orElse("");
    }

    static QuantileSketch decode(ByteBuffer sketch) {
        return SketchEncoding.decode(sketch.array(), sketch.arrayOffset() + sketch.position(), sketch.remaining());
    }
}
