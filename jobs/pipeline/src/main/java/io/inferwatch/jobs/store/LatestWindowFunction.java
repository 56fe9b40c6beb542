package io.inferwatch.jobs.store;

import io.inferwatch.jobs.ingest.DeadLetters;
import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Windows, keyed by series, to their points; lets a revision through only when it has at least the requests of the one before, because
 * a job that was restored may send an older one again. What cannot be decoded or stored goes to {@link PointsFunction#DEAD_LETTERS}.
 *
 * <p>State by series: 32 bytes for each window that ended in the last {@value #KEEP_MINUTES} minutes of event time, which is longer
 * than a window can be revised; an event-time timer drops them.
 */
public final class LatestWindowFunction extends KeyedProcessFunction<String, InboundRecord, StoredPoint> {
    private static final long serialVersionUID = 1;

    static final int KEEP_MINUTES = 30;
    private static final long KEEP_MILLIS = Duration.ofMinutes(KEEP_MINUTES).toMillis();

    /** Timers are set to whole ten minutes: a series has a handful at a time. */
    private static final long TIMER_MILLIS = Duration.ofMinutes(10).toMillis();

    private final String catalogueYaml;
    private transient @Nullable Working working;

    private record Working(
            EventCodec codec,
            DeadLetters letters,
            WindowPoints points,
            ValueState<long[]> latest,
            StoreCounters counters) {}

    /** One window in state: four numbers in a row. */
    private enum Slot {
        LENGTH_MICROS,
        END_MICROS,
        REQUESTS,
        REVISION;

        static final int COUNT = values().length;
    }

    /** Points after the catalogue with that text. */
    public LatestWindowFunction(String catalogueYaml) {
        this.catalogueYaml = catalogueYaml;
    }

    /** The key: the series, as it stands in the record's key. */
    public static String series(InboundRecord record) {
        byte[] key = record.key();
        return key == null ? "" : new String(key, StandardCharsets.UTF_8);
    }

    @Override
    public void open(OpenContext context) {
        working = new Working(
                new EventCodec(),
                new DeadLetters(PointsFunction.STAGE),
                new WindowPoints(MetricCatalogue.parse("metric catalogue", catalogueYaml)),
                getRuntimeContext()
                        .getState(new ValueStateDescriptor<>(
                                "latest", PrimitiveArrayTypeInfo.LONG_PRIMITIVE_ARRAY_TYPE_INFO)),
                new StoreCounters(getRuntimeContext().getMetricGroup()));
    }

    @Override
    public void processElement(InboundRecord record, Context context, Collector<StoredPoint> out) throws Exception {
        Working w = working();
        byte[] value = record.value();
        if (value == null) {
            w.counters.tombstone();
            return;
        }
        try {
            WindowStat window = w.codec.decode(value, WindowStat.class);
            if (!window.getSeries().equals(context.getCurrentKey())) {
                throw new UnstorableException(
                        UnstorableException.Reason.KEY_DIFFERS,
                        "key: must be the series '" + window.getSeries() + "', found '" + context.getCurrentKey() + "'",
                        null);
            }
            long unknownBefore = w.points.unknownMetrics();
            Optional<Point> point = w.points.of(window);
            w.counters.unknownMetrics(w.points.unknownMetrics() - unknownBefore);
            if (point.isEmpty()) {
                w.counters.notStored();
            } else if (!isLatest(window, context)) {
                w.counters.superseded();
            } else {
                w.counters.leftOut(point.get().content().leftOut());
                point.get()
                        .store(window.getRequests(), window.getRevision(), record)
                        .ifPresentOrElse(out::collect, w.counters::pointWithoutFields);
            }
        } catch (UndecodableEventException e) {
            refuse(record, e.reason().label(), e, context);
        } catch (UnstorableException e) {
            refuse(record, e.reason().label(), e, context);
        }
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<StoredPoint> out) throws Exception {
        ValueState<long[]> latest = working().latest;
        long[] windows = latest.value();
        if (windows == null) {
            return;
        }
        long[] kept = new long[windows.length];
        int length = 0;
        for (int at = 0; at < windows.length; at += Slot.COUNT) {
            if (windows[at + Slot.END_MICROS.ordinal()] / 1000 + KEEP_MILLIS > timestamp) {
                System.arraycopy(windows, at, kept, length, Slot.COUNT);
                length += Slot.COUNT;
            }
        }
        if (length == 0) {
            latest.clear();
        } else if (length < windows.length) {
            latest.update(Arrays.copyOf(kept, length));
        }
    }

    /** Notes the window's requests unless the state has a truer revision. */
    private boolean isLatest(WindowStat window, Context context) throws Exception {
        ValueState<long[]> latest = working().latest;
        long[] windows = latest.value() == null ? new long[0] : latest.value();
        int at = 0;
        while (at < windows.length
                && (windows[at + Slot.LENGTH_MICROS.ordinal()] != window.getWindowMicros()
                        || windows[at + Slot.END_MICROS.ordinal()] != window.getWindowEndMicros())) {
            at += Slot.COUNT;
        }
        long[] updated;
        if (at == windows.length) {
            updated = Arrays.copyOf(windows, windows.length + Slot.COUNT);
            long forgetMillis = window.getWindowEndMicros() / 1000 + KEEP_MILLIS;
            context.timerService()
                    .registerEventTimeTimer(Math.floorDiv(forgetMillis, TIMER_MILLIS) * TIMER_MILLIS + TIMER_MILLIS);
        } else {
            long requests = windows[at + Slot.REQUESTS.ordinal()];
            long revision = windows[at + Slot.REVISION.ordinal()];
            if (window.getRequests() < requests
                    || (window.getRequests() == requests && window.getRevision() < revision)) {
                return false;
            }
            updated = windows.clone();
        }
        updated[at + Slot.LENGTH_MICROS.ordinal()] = window.getWindowMicros();
        updated[at + Slot.END_MICROS.ordinal()] = window.getWindowEndMicros();
        updated[at + Slot.REQUESTS.ordinal()] = window.getRequests();
        updated[at + Slot.REVISION.ordinal()] = window.getRevision();
        latest.update(updated);
        return true;
    }

    private void refuse(InboundRecord record, String reason, Exception why, Context context) {
        Working w = working();
        w.counters.deadLetter(reason);
        context.output(
                PointsFunction.DEAD_LETTERS,
                w.letters.letter(
                        record,
                        reason,
                        String.valueOf(why.getMessage()),
                        context.timerService().currentProcessingTime()));
    }

    private Working working() {
        if (working == null) {
            throw new IllegalStateException("used before open()");
        }
        return working;
    }
}
