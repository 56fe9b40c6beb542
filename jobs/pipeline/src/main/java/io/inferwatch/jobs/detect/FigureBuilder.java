package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.memory.Figure;
import io.inferwatch.analytics.memory.Figure.Measured;
import io.inferwatch.analytics.shape.Estimate;
import io.inferwatch.influx.Field;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.FigureRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Puts a result together. A figure that there is not, or that is not finite, is left out. */
final class FigureBuilder {
    private final String measurement;
    private final WindowStat group;
    private final List<Dimension> dimensions;
    private final Map<String, Long> counts = new TreeMap<>();
    private final Map<String, Double> values = new TreeMap<>();

    /** A result of the group that this window is one of. */
    FigureBuilder(FigureRule.Kind kind, WindowStat group) {
        this(kind.measurement(), group, group.getDimensions());
    }

    /** A result of a window, with other dimensions than its own. */
    FigureBuilder(String measurement, WindowStat window, List<Dimension> dimensions) {
        this.measurement = measurement;
        this.group = window;
        this.dimensions = new ArrayList<>(dimensions);
    }

    FigureBuilder tag(String name, String value) {
        dimensions.add(new Dimension(name, value));
        return this;
    }

    FigureBuilder count(String name, long count) {
        counts.put(name, count);
        return this;
    }

    FigureBuilder value(String name, double value) {
        if (Double.isFinite(value)) {
            values.put(name, value);
        }
        return this;
    }

    /**
     * A figure and its limits, named like the limits of quantiles in points.
     *
     * @param name without the unit
     * @param unit that ends the field's name; empty for a ratio
     * @param scale units in one of the estimate's
     */
    FigureBuilder estimate(String name, String unit, double scale, Optional<Estimate> estimate) {
        estimate.ifPresent(figure -> value(Field.estimate(name, unit), figure.value() * scale)
                .value(Field.low(name, unit), figure.low() * scale)
                .value(Field.high(name, unit), figure.high() * scale));
        return this;
    }

    FigureBuilder estimate(String name, Optional<Estimate> ratio) {
        return estimate(name, "", 1, ratio);
    }

    /** A figure that is measured, or by its name estimated; counted where its estimate was impossible. */
    FigureBuilder figure(String name, String unit, Figure figure) {
        boolean isMeasured = figure instanceof Measured;
        if (figure.asEstimate().isClamped()) {
            counts.merge(Field.CLAMPED, 1L, Long::sum);
        }
        return value(Field.estimate(name, isMeasured ? unit : Field.estimated(unit)), figure.value());
    }

    FigureResult build() {
        return new FigureResult(
                measurement,
                group.getView(),
                dimensions,
                group.getWindowMicros(),
                group.getWindowEndMicros(),
                counts,
                values);
    }
}
