package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.memory.Figure;
import io.inferwatch.analytics.memory.Figure.Measured;
import io.inferwatch.analytics.shape.Estimate;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
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
    private final String view;
    private final List<Dimension> dimensions;
    private final long windowMicros;
    private final long endMicros;
    private final Map<String, Long> counts = new TreeMap<>();
    private final Map<String, Double> values = new TreeMap<>();
    private final Map<String, String> texts = new TreeMap<>();

    /** A result of the group that this window is one of. */
    FigureBuilder(FigureRule.Kind kind, WindowStat group) {
        this(
                kind.measurement(),
                group.getView(),
                group.getDimensions(),
                group.getWindowMicros(),
                group.getWindowEndMicros());
    }

    /** A result that is stored in the measurement, with this window's view, dimensions and time. */
    FigureBuilder(Measurement measurement, WindowStat window) {
        this(
                measurement,
                window.getView(),
                window.getDimensions(),
                window.getWindowMicros(),
                window.getWindowEndMicros());
    }

    /** A result that is stored in the measurement. */
    FigureBuilder(Measurement measurement, String view, List<Dimension> dimensions, long windowMicros, long endMicros) {
        this(measurement.measurementName(), view, dimensions, windowMicros, endMicros);
    }

    /** A result of a window, with other dimensions than its own. */
    FigureBuilder(String measurement, WindowStat window, List<Dimension> dimensions) {
        this(measurement, window.getView(), dimensions, window.getWindowMicros(), window.getWindowEndMicros());
    }

    private FigureBuilder(
            String measurement, String view, List<Dimension> dimensions, long windowMicros, long endMicros) {
        this.measurement = measurement;
        this.view = view;
        this.dimensions = new ArrayList<>(dimensions);
        this.windowMicros = windowMicros;
        this.endMicros = endMicros;
    }

    FigureBuilder tag(String name, String value) {
        dimensions.add(new Dimension(name, value));
        return this;
    }

    FigureBuilder count(String name, long count) {
        counts.put(name, count);
        return this;
    }

    FigureBuilder text(String name, String text) {
        texts.put(name, text);
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
        return new FigureResult(measurement, view, dimensions, windowMicros, endMicros, counts, values, texts);
    }
}
