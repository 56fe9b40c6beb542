package io.inferwatch.jobs.device;

import io.inferwatch.influx.Measurement;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.catalogue.GroupingDimension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Puts the figures of a minute together. What is not known is left out, except of dimensions, where it is {@code none}. */
final class MinuteFigures {
    static final long MINUTE_MICROS = Duration.ofMinutes(1).toSeconds() * 1_000_000;

    private final Measurement measurement;
    private final String view;
    private final List<Dimension> dimensions = new ArrayList<>();
    private final Map<String, Long> counts = new TreeMap<>();
    private final Map<String, Double> values = new TreeMap<>();
    private final Map<String, String> texts = new TreeMap<>();

    /**
     * Figures of a measurement.
     *
     * @param view of the metric catalogue that has these dimensions
     */
    MinuteFigures(Measurement measurement, String view) {
        this.measurement = measurement;
        this.view = view;
    }

    /** The end of the minute that holds what is known at some time, which is its last moment: at a full minute the one before. */
    static long endOf(long atMicros) {
        return Math.floorDiv(atMicros - 1, MINUTE_MICROS) * MINUTE_MICROS + MINUTE_MICROS;
    }

    MinuteFigures tag(String name, @Nullable String value) {
        dimensions.add(new Dimension(name, value == null || value.isEmpty() ? GroupingDimension.NONE : value));
        return this;
    }

    MinuteFigures count(String name, @Nullable Number count) {
        if (count != null) {
            counts.put(name, count.longValue());
        }
        return this;
    }

    MinuteFigures value(String name, double value) {
        if (Double.isFinite(value)) {
            values.put(name, value);
        }
        return this;
    }

    MinuteFigures value(String name, OptionalDouble value) {
        value.ifPresent(number -> value(name, number));
        return this;
    }

    MinuteFigures text(String name, @Nullable String text) {
        if (text != null) {
            texts.put(name, text);
        }
        return this;
    }

    FigureResult of(long endMicros) {
        return new FigureResult(
                measurement.measurementName(), view, dimensions, MINUTE_MICROS, endMicros, counts, values, texts);
    }

    OutboundRecord record(long endMicros, EventCodec codec) {
        String key = dimensions.stream()
                .map(Dimension::getValue)
                .collect(Collectors.joining("/", measurement.measurementName() + '/' + view + '/', ""));
        return new OutboundRecord(key.getBytes(StandardCharsets.UTF_8), codec.encode(of(endMicros)), endMicros / 1_000);
    }
}
