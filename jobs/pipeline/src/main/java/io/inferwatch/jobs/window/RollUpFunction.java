package io.inferwatch.jobs.window;

import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.MetricGauge;
import io.inferwatch.schemas.MetricSketch;
import io.inferwatch.schemas.MetricSum;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.View;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Merges the partials of a series into its windows: the view's pane, a minute, an hour. A window is emitted as revision 0 when the
 * watermark passes its end, and handed up to the longer one; a partial that comes later, within the allowed lateness, is merged into
 * every window that has taken in its pane, and each of those that was emitted already is emitted again with the next revision. So all
 * windows of a series add up at any time, and a revision never takes anything back.
 *
 * <p>State by series: one encoded content for each window that lateness can still reach, dropped by event-time timers. A series without
 * partials emits nothing.
 */
final class RollUpFunction extends KeyedProcessFunction<String, Partial, OutboundRecord> {
    private static final long serialVersionUID = 1;
    private static final long MINUTE_MILLIS = Duration.ofMinutes(1).toMillis();
    private static final long HOUR_MILLIS = Duration.ofHours(1).toMillis();

    /** Late events are gathered for a while before they come here; a minute is more than that. */
    private static final long SLACK_MILLIS = MINUTE_MILLIS;

    private final String catalogueYaml;
    private final long keepMillis;

    private transient @Nullable Working working;

    private record Working(
            MetricCatalogue catalogue,
            MetricLayout metrics,
            EventCodec codec,
            MapState<Long, byte[]> windows,
            Counter emitted,
            Counter revised) {}

    /** Lengths of a view's windows; a window's key in state is its end with its level in the lowest digit. */
    private enum Level {
        PANE,
        MINUTE,
        HOUR;

        long millis(View view) {
            return switch (this) {
                case PANE -> view.pane().toMillis();
                case MINUTE -> MINUTE_MILLIS;
                case HOUR -> HOUR_MILLIS;
            };
        }

        long key(long endMillis) {
            return 10 * endMillis + ordinal();
        }

        Optional<Level> above() {
            return this == HOUR ? Optional.empty() : Optional.of(values()[ordinal() + 1]);
        }
    }

    /** A window in state: how often it was emitted, then its content. */
    private record Stored(int emissions, byte[] content) {
        static @Nullable Stored of(byte @Nullable [] bytes) {
            if (bytes == null) {
                return null;
            }
            byte[] content = new byte[bytes.length - Integer.BYTES];
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            int emissions = buffer.getInt();
            buffer.get(content);
            return new Stored(emissions, content);
        }

        byte[] bytes() {
            return ByteBuffer.allocate(Integer.BYTES + content.length)
                    .putInt(emissions)
                    .put(content)
                    .array();
        }
    }

    RollUpFunction(String catalogueYaml, Duration lateness) {
        this.catalogueYaml = catalogueYaml;
        this.keepMillis = (lateness.toMillis() / MINUTE_MILLIS + 1) * MINUTE_MILLIS + SLACK_MILLIS;
    }

    @Override
    public void open(OpenContext context) {
        MetricCatalogue catalogue = MetricCatalogue.parse("metric catalogue", catalogueYaml);
        working = new Working(
                catalogue,
                MetricLayout.of(catalogue),
                new EventCodec(),
                getRuntimeContext()
                        .getMapState(new MapStateDescriptor<>(
                                "windows", Types.LONG, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)),
                getRuntimeContext().getMetricGroup().counter("windows_total"),
                getRuntimeContext().getMetricGroup().counter("revisions_total"));
    }

    @Override
    public void processElement(Partial partial, Context context, Collector<OutboundRecord> out) throws Exception {
        View view = view(partial.view());
        if (view == null) {
            return;
        }
        long watermark = context.timerService().currentWatermark();
        Level level = Level.PANE;
        long end = partial.paneEndMillis();
        while (true) {
            merge(level, end, partial.content(), watermark, context.timerService());
            if (end - 1 > watermark) {
                return;
            }
            // The watermark has passed the end: the window was handed up already, so the longer one takes the part as
            // well.
            emit(level, end, context.getCurrentKey(), view, out);
            Optional<Level> above = level.above();
            if (above.isEmpty()) {
                return;
            }
            level = above.get();
            end = ceiling(end, level.millis(view));
        }
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<OutboundRecord> out) throws Exception {
        String series = context.getCurrentKey();
        View view = view(Series.view(series));
        if (view == null) {
            return;
        }
        long end = timestamp + 1;
        for (Level level : Level.values()) {
            if (end % level.millis(view) != 0) {
                break;
            }
            Stored stored = Stored.of(windows().get(level.key(end)));
            if (stored == null || stored.emissions > 0) {
                continue;
            }
            emit(level, end, series, view, out);
            Optional<Level> above = level.above();
            if (above.isPresent()) {
                merge(
                        above.get(),
                        ceiling(end, above.get().millis(view)),
                        stored.content,
                        timestamp,
                        context.timerService());
            }
        }
        if (end % MINUTE_MILLIS == 0) {
            forget(end - keepMillis, view);
        }
    }

    /**
     * Merges into a window; a new one gets its timers, for being forgotten and, unless that lies behind, for its end. What lies behind
     * is told by the time reached, not by the watermark: that may have leapt over several windows' ends whose timers are still to fire.
     */
    private void merge(Level level, long end, byte[] part, long reachedMillis, TimerService timers) throws Exception {
        Stored stored = Stored.of(windows().get(level.key(end)));
        if (stored == null) {
            windows().put(level.key(end), new Stored(0, part).bytes());
            if (end - 1 > reachedMillis) {
                timers.registerEventTimeTimer(end - 1);
            }
            timers.registerEventTimeTimer(ceiling(end, MINUTE_MILLIS) - 1 + keepMillis);
            return;
        }
        WindowContent content = WindowContent.decode(working().metrics, stored.content);
        content.mergeEncoded(part);
        windows().put(level.key(end), new Stored(stored.emissions, content.encode()).bytes());
    }

    private void emit(Level level, long end, String series, View view, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        Stored stored = Stored.of(w.windows.get(level.key(end)));
        if (stored == null) {
            return;
        }
        WindowStat stat = stat(series, view, level.millis(view), end, stored);
        out.collect(new OutboundRecord(series.getBytes(StandardCharsets.UTF_8), w.codec.encode(stat), end));
        w.windows.put(level.key(end), new Stored(stored.emissions + 1, stored.content).bytes());
        (stored.emissions == 0 ? w.emitted : w.revised).inc();
    }

    private WindowStat stat(String series, View view, long windowMillis, long end, Stored stored) {
        Working w = working();
        WindowContent content = WindowContent.decode(w.metrics, stored.content);
        List<Dimension> dimensions = new ArrayList<>();
        List<String> values = Series.values(series);
        for (int i = 0; i < values.size(); i++) {
            dimensions.add(new Dimension(view.by().get(i).name(), values.get(i)));
        }
        List<MetricSum> sums = new ArrayList<>();
        for (int i = 0; i < w.metrics.sums().size(); i++) {
            if (content.sum(i) != 0) {
                sums.add(new MetricSum(w.metrics.sums().get(i).name(), content.sum(i)));
            }
        }
        List<MetricSketch> sketches = new ArrayList<>();
        for (int i = 0; i < w.metrics.quantiles().size(); i++) {
            var sketch = content.sketch(i);
            if (sketch != null) {
                sketches.add(new MetricSketch(
                        w.metrics.quantiles().get(i).name(), ByteBuffer.wrap(SketchEncoding.encode(sketch))));
            }
        }
        List<MetricGauge> gauges = new ArrayList<>();
        for (int i = 0; i < w.metrics.gauges().size(); i++) {
            Gauge gauge = content.gauge(i);
            if (gauge != null) {
                gauges.add(new MetricGauge(
                        w.metrics.gauges().get(i).name(),
                        gauge.n(),
                        gauge.sum(),
                        gauge.min(),
                        gauge.max(),
                        gauge.last(),
                        gauge.lastAtMicros()));
            }
        }
        return new WindowStat(
                series,
                view.name(),
                dimensions,
                windowMillis * 1000,
                end * 1000,
                stored.emissions,
                content.requests(),
                sums,
                sketches,
                gauges);
    }

    private void forget(long minuteEnd, View view) throws Exception {
        long paneMillis = view.pane().toMillis();
        for (long paneEnd = minuteEnd - MINUTE_MILLIS + paneMillis; paneEnd <= minuteEnd; paneEnd += paneMillis) {
            windows().remove(Level.PANE.key(paneEnd));
        }
        windows().remove(Level.MINUTE.key(minuteEnd));
        if (minuteEnd % HOUR_MILLIS == 0) {
            windows().remove(Level.HOUR.key(minuteEnd));
        }
    }

    /** The view of that name; null when the catalogue no longer has it: what is left of its state then ends in silence. */
    private @Nullable View view(String name) {
        return working().catalogue.view(name).orElse(null);
    }

    private MapState<Long, byte[]> windows() {
        return working().windows;
    }

    private Working working() {
        if (working == null) {
            throw new IllegalStateException("used before open()");
        }
        return working;
    }

    private static long ceiling(long endMillis, long lengthMillis) {
        return Math.floorDiv(endMillis + lengthMillis - 1, lengthMillis) * lengthMillis;
    }
}
