package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.drift.Moments;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.MetricGauge;
import io.inferwatch.schemas.MetricSketch;
import io.inferwatch.schemas.MetricSum;
import io.inferwatch.schemas.WindowStat;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalDouble;
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

    /** The readings of a metric's state; empty when it has none. */
    Optional<MetricGauge> gauge(String metric) {
        return window.getGauges().stream()
                .filter(gauge -> gauge.getMetric().equals(metric))
                .findFirst();
    }

    /** The mean of a state over time, or of its readings where nobody knows how long these held; empty when it has none. */
    OptionalDouble mean(String metric) {
        Optional<MetricGauge> gauge = gauge(metric);
        if (gauge.isEmpty()) {
            return OptionalDouble.empty();
        }
        MetricGauge readings = gauge.get();
        if (readings.getN() == 0 && readings.getHeldMicros() == 0) {
            return OptionalDouble.empty();
        }
        return OptionalDouble.of(
                readings.getHeldMicros() > 0
                        ? readings.getHeldSum() / readings.getHeldMicros()
                        : (double) readings.getSum() / readings.getN());
    }

    /** The greatest reading of a state in the window; empty when none fell into it. */
    OptionalDouble max(String metric) {
        return gauge(metric)
                .filter(gauge -> gauge.getN() > 0)
                .map(gauge -> OptionalDouble.of((double) gauge.getMax()))
                .orElse(OptionalDouble.empty());
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
