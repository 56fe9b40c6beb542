package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.MetricGauge;
import io.inferwatch.schemas.MetricSketch;
import io.inferwatch.schemas.MetricSum;
import io.inferwatch.schemas.WindowStat;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;

/** Windows of one group as they come from the routing, put together by hand. */
final class GroupWindows {
    static final long MINUTE_MICROS = 60_000_000;
    static final long HOUR_MICROS = 60 * MINUTE_MICROS;

    private final String task;
    private final String view;
    private final List<Dimension> dimensions;
    private final List<MetricSum> sums = new ArrayList<>();
    private final List<MetricSketch> sketches = new ArrayList<>();
    private final List<MetricGauge> gauges = new ArrayList<>();

    GroupWindows(String task, String view, Dimension... dimensions) {
        this.task = task;
        this.view = view;
        this.dimensions = List.of(dimensions);
    }

    String task() {
        return task;
    }

    String view() {
        return view;
    }

    GroupWindows sum(String metric, long value) {
        sums.add(new MetricSum(metric, value));
        return this;
    }

    /** The values of 0 to n - 1. */
    GroupWindows values(String metric, int n, IntToDoubleFunction value) {
        QuantileSketch sketch = new QuantileSketch();
        for (int i = 0; i < n; i++) {
            sketch.add(Math.round(value.applyAsDouble(i)));
        }
        sketches.add(new MetricSketch(metric, ByteBuffer.wrap(SketchEncoding.encode(sketch))));
        return this;
    }

    /** Six readings that held for a minute. */
    GroupWindows gauge(String metric, long mean, long max) {
        gauges.add(new MetricGauge(
                metric, 6L, 6 * mean, mean, max, mean, 0L, MINUTE_MICROS, (double) mean * MINUTE_MICROS));
        return this;
    }

    Member member(String arm, long windowMicros, long endMicros) {
        return member(view + "/group", view + "/group", arm, windowMicros, endMicros);
    }

    /** A series as a member of a group that other views have windows in too. */
    Member member(String group, String series, long windowMicros, long endMicros) {
        return member(group, series, series, windowMicros, endMicros);
    }

    private Member member(String group, String series, String arm, long windowMicros, long endMicros) {
        WindowStat window = new WindowStat(
                series,
                view,
                dimensions,
                windowMicros,
                endMicros,
                0,
                gauges.isEmpty() ? 0L : 6L,
                sums,
                sketches,
                gauges,
                List.of());
        return new Member(task, group, arm, windowMicros, endMicros, new EventCodec().encode(window));
    }
}
