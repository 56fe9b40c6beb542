package io.inferwatch.jobs.window;

import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.jobs.ingest.Totals;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.MetricGauge;
import io.inferwatch.schemas.MetricHistogram;
import io.inferwatch.schemas.MetricSketch;
import io.inferwatch.schemas.MetricSum;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.View;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
 * Merges the partials of a series into its windows: the view's pane, a minute, an hour. A window is emitted as its first revision when the
 * watermark passes its end. A minute is made of its panes when it ends, an hour takes in each minute that has ended; a partial that comes later, within the allowed
 * lateness, is merged into every window that has taken in its pane, and each of those that was emitted already is emitted again with
 * the next revision. So all windows of a series add up, and a revision never takes anything back.
 *
 * <p>Thousands of windows end together. Panes of views that are stored leave at once, those of the others half a second later, minutes a second and hours two:
 * whoever looks at the present does not wait for the rest.
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
    private final int firstRevision;

    private transient @Nullable Working working;

    private record Working(
            MetricCatalogue catalogue,
            Map<Metric.Origin, MetricLayout> metrics,
            EventCodec codec,
            MapState<Long, byte[]> windows,
            Counter emitted,
            Counter revised) {}

    /** Lengths of a view's windows; a window's key in state is its end with its level in the lowest digit. */
    private enum Level {
        PANE,
        MINUTE,
        HOUR;

        private static final long UNWATCHED_MILLIS = 500;
        private static final long STAGGER_MILLIS = 1_000;

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

        /** The watermark at which a window with that end is emitted: after those that are more urgent, so that it does not hold them up. */
        long dueMillis(long endMillis, View view) {
            return endMillis - 1 + afterMillis(view);
        }

        long endMillis(long dueMillis, View view) {
            return dueMillis + 1 - afterMillis(view);
        }

        private long afterMillis(View view) {
            return this == PANE ? (view.storeShortest() ? 0 : UNWATCHED_MILLIS) : STAGGER_MILLIS * ordinal();
        }
    }

    /** The series at hand and where its windows go. */
    private record Target(
            String name, View view, MetricLayout metrics, TimerService timers, Collector<OutboundRecord> out) {}

    /** A window in state: how often it was emitted in four bytes, then its content. Bytes in state are never changed, only replaced. */
    private record Stored(byte[] bytes) {
        static final int CONTENT_AT = Integer.BYTES;

        static Stored of(int emissions, byte[] content) {
            return new Stored(ByteBuffer.allocate(CONTENT_AT + content.length)
                    .putInt(emissions)
                    .put(content)
                    .array());
        }

        int emissions() {
            return ByteBuffer.wrap(bytes).getInt();
        }

        WindowContent content(MetricLayout metrics) {
            return WindowContent.decode(metrics, bytes, CONTENT_AT);
        }

        Stored emittedOnceMore() {
            byte[] next = bytes.clone();
            ByteBuffer.wrap(next).putInt(emissions() + 1);
            return new Stored(next);
        }
    }

    /**
     * A roll-up.
     *
     * @param lateness how long after its pane's end a partial may come
     * @param firstRevision number of a window's first revision
     */
    RollUpFunction(String catalogueYaml, Duration lateness, int firstRevision) {
        this.catalogueYaml = catalogueYaml;
        this.firstRevision = firstRevision;
        this.keepMillis = (lateness.toMillis() / MINUTE_MILLIS + 1) * MINUTE_MILLIS + SLACK_MILLIS;
    }

    @Override
    public void open(OpenContext context) {
        MetricCatalogue catalogue = MetricCatalogue.parse("metric catalogue", catalogueYaml);
        working = new Working(
                catalogue,
                layouts(catalogue),
                new EventCodec(),
                getRuntimeContext()
                        .getMapState(new MapStateDescriptor<>(
                                "windows", Types.LONG, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)),
                Totals.counter(getRuntimeContext(), "windows_total"),
                getRuntimeContext().getMetricGroup().counter("revisions_total"));
    }

    @Override
    public void processElement(Partial partial, Context context, Collector<OutboundRecord> out) throws Exception {
        View view = view(partial.view());
        if (view == null) {
            return;
        }
        Target at = new Target(context.getCurrentKey(), view, layout(view), context.timerService(), out);
        long watermark = at.timers.currentWatermark();
        long end = partial.paneEndMillis();
        merge(Level.PANE, end, partial.content(), 0, at);
        if (isOver(Level.PANE, end, watermark, at)) {
            emit(Level.PANE, end, at);
            handUp(end, partial.content(), 0, watermark, at);
        }
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<OutboundRecord> out) throws Exception {
        String series = context.getCurrentKey();
        View view = view(Series.view(series));
        if (view == null) {
            return;
        }
        Target at = new Target(series, view, layout(view), context.timerService(), out);
        long paneEnd = Level.PANE.endMillis(timestamp, view);
        byte[] pane = windows().get(Level.PANE.key(paneEnd));
        if (pane != null && new Stored(pane).emissions() == 0) {
            emit(Level.PANE, paneEnd, at);
            handUp(paneEnd, pane, Stored.CONTENT_AT, timestamp, at);
        }
        long minuteEnd = Level.MINUTE.endMillis(timestamp, view);
        if (minuteEnd % MINUTE_MILLIS == 0 && windows().get(Level.MINUTE.key(minuteEnd)) == null) {
            endMinute(minuteEnd, timestamp, at);
        }
        long hourEnd = Level.HOUR.endMillis(timestamp, view);
        byte[] hour = windows().get(Level.HOUR.key(hourEnd));
        if (hour != null && new Stored(hour).emissions() == 0) {
            emit(Level.HOUR, hourEnd, at);
        }
        if ((timestamp + 1) % MINUTE_MILLIS == 0) {
            forget(timestamp + 1 - keepMillis, view);
        }
    }

    /**
     * Gives a part of a pane that was emitted to its minute and hour, unless they take it in when they end.
     *
     * @param reachedMillis up to which windows have ended: not the watermark, which may have leapt over the ends of several windows whose timers are still to fire
     */
    private void handUp(long paneEnd, byte[] part, int offset, long reachedMillis, Target at) throws Exception {
        long minuteEnd = ceiling(paneEnd, MINUTE_MILLIS);
        if (windows().get(Level.MINUTE.key(minuteEnd)) == null
                && Level.MINUTE.dueMillis(minuteEnd, at.view) > reachedMillis) {
            return;
        }
        merge(Level.MINUTE, minuteEnd, part, offset, at);
        emit(Level.MINUTE, minuteEnd, at);
        addToHour(minuteEnd, part, offset, reachedMillis, at);
    }

    private void addToHour(long minuteEnd, byte[] part, int offset, long reachedMillis, Target at) throws Exception {
        long hourEnd = ceiling(minuteEnd, HOUR_MILLIS);
        merge(Level.HOUR, hourEnd, part, offset, at);
        if (isOver(Level.HOUR, hourEnd, reachedMillis, at)) {
            emit(Level.HOUR, hourEnd, at);
        }
    }

    /** Whether a window was emitted, be it before a restart that has set the watermark back, or has ended. */
    private boolean isOver(Level level, long end, long reachedMillis, Target at) throws Exception {
        byte[] bytes = windows().get(level.key(end));
        return level.dueMillis(end, at.view) <= reachedMillis || (bytes != null && new Stored(bytes).emissions() > 0);
    }

    /** Makes a minute of its panes, emits it and adds it to its hour. */
    private void endMinute(long end, long reachedMillis, Target at) throws Exception {
        WindowContent minute = null;
        long paneMillis = at.view.pane().toMillis();
        for (long paneEnd = end - MINUTE_MILLIS + paneMillis; paneEnd <= end; paneEnd += paneMillis) {
            byte[] pane = windows().get(Level.PANE.key(paneEnd));
            if (pane == null) {
                continue;
            }
            if (minute == null) {
                minute = new Stored(pane).content(at.metrics);
            } else {
                minute.mergeEncoded(pane, Stored.CONTENT_AT);
            }
        }
        if (minute != null) {
            byte[] content = minute.encode();
            merge(Level.MINUTE, end, content, 0, at);
            emit(Level.MINUTE, end, at);
            addToHour(end, content, 0, reachedMillis, at);
        }
    }

    /** Merges the encoded content from an offset on into a window; a new one gets its timers: for its end, for that of the window above, and for being forgotten. */
    private void merge(Level level, long end, byte[] part, int offset, Target at) throws Exception {
        byte[] bytes = windows().get(level.key(end));
        if (bytes == null) {
            windows()
                    .put(
                            level.key(end),
                            Stored.of(0, Arrays.copyOfRange(part, offset, part.length))
                                    .bytes());
            at.timers.registerEventTimeTimer(level.dueMillis(end, at.view));
            if (level == Level.PANE) {
                at.timers.registerEventTimeTimer(Level.MINUTE.dueMillis(ceiling(end, MINUTE_MILLIS), at.view));
            }
            at.timers.registerEventTimeTimer(ceiling(end, MINUTE_MILLIS) - 1 + keepMillis);
            return;
        }
        Stored stored = new Stored(bytes);
        WindowContent content = stored.content(at.metrics);
        content.mergeEncoded(part, offset);
        windows()
                .put(
                        level.key(end),
                        Stored.of(stored.emissions(), content.encode()).bytes());
    }

    private void emit(Level level, long end, Target at) throws Exception {
        Working w = working();
        byte[] bytes = w.windows.get(level.key(end));
        if (bytes == null) {
            return;
        }
        Stored stored = new Stored(bytes);
        WindowStat stat = stat(at, level.millis(at.view), end, stored);
        at.out.collect(new OutboundRecord(at.name.getBytes(StandardCharsets.UTF_8), w.codec.encode(stat), end));
        w.windows.put(level.key(end), stored.emittedOnceMore().bytes());
        (stored.emissions() == 0 ? w.emitted : w.revised).inc();
    }

    private WindowStat stat(Target at, long windowMillis, long end, Stored stored) {
        MetricLayout metrics = at.metrics;
        WindowContent content = stored.content(metrics);
        List<Dimension> dimensions = new ArrayList<>();
        List<String> values = Series.values(at.name);
        for (int i = 0; i < values.size(); i++) {
            dimensions.add(new Dimension(at.view.by().get(i).name(), values.get(i)));
        }
        List<MetricSum> sums = new ArrayList<>();
        for (int i = 0; i < metrics.sums().size(); i++) {
            if (content.sum(i) != 0) {
                sums.add(new MetricSum(metrics.sums().get(i).name(), content.sum(i)));
            }
        }
        List<MetricSketch> sketches = new ArrayList<>();
        for (int i = 0; i < metrics.quantiles().size(); i++) {
            ByteBuffer sketch = content.encodedSketch(i);
            if (sketch != null) {
                sketches.add(new MetricSketch(metrics.quantiles().get(i).name(), sketch));
            }
        }
        List<MetricGauge> gauges = new ArrayList<>();
        for (int i = 0; i < metrics.gauges().size(); i++) {
            Gauge gauge = content.gauge(i);
            if (gauge != null) {
                boolean isRead = gauge.n() > 0;
                gauges.add(new MetricGauge(
                        metrics.gauges().get(i).name(),
                        gauge.n(),
                        gauge.sum(),
                        isRead ? gauge.min() : 0,
                        isRead ? gauge.max() : 0,
                        gauge.last(),
                        isRead ? gauge.lastAtMicros() : 0,
                        gauge.heldMicros(),
                        gauge.heldSum()));
            }
        }
        List<MetricHistogram> histograms = new ArrayList<>();
        for (int i = 0; i < metrics.histograms().size(); i++) {
            BucketCounts counts = content.histogram(i);
            if (counts != null) {
                histograms.add(new MetricHistogram(
                        metrics.histograms().get(i).name(),
                        Arrays.stream(counts.boundsMicros()).boxed().toList(),
                        Arrays.stream(counts.counts()).boxed().toList(),
                        counts.sumMicros()));
            }
        }
        return new WindowStat(
                at.name,
                at.view.name(),
                dimensions,
                windowMillis * 1000,
                end * 1000,
                firstRevision + stored.emissions(),
                content.events(),
                sums,
                sketches,
                gauges,
                histograms);
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

    private MetricLayout layout(View view) {
        return Objects.requireNonNull(working().metrics.get(view.of()));
    }

    private static Map<Metric.Origin, MetricLayout> layouts(MetricCatalogue catalogue) {
        Map<Metric.Origin, MetricLayout> layouts = new EnumMap<>(Metric.Origin.class);
        catalogue.views().forEach(view -> layouts.computeIfAbsent(view.of(), of -> MetricLayout.of(catalogue, of)));
        return layouts;
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
