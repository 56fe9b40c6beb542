package io.inferwatch.jobs.window;

import io.inferwatch.jobs.ingest.Sample;
import io.inferwatch.jobs.ingest.SampleFields;
import io.inferwatch.jobs.ingest.SequenceTracker;
import io.inferwatch.jobs.ingest.Totals;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.schemas.catalogue.Metric;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.View;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.specific.SpecificRecord;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Samples of one subject to the parts of panes that they fill. A reading counts in the pane of its sample. Beside the sample before it in the same stream it says
 * more: that one's readings held until now, for at most {@value #MAX_INTERVALS} of its intervals, and totals grew evenly meanwhile; both are spread over the panes in
 * between by time, what has grown to the last unit. So rates do not depend on where samples fall. After a longer silence the growth falls on the time
 * of the lateness before the sample, whose panes can still be corrected.
 *
 * <p>Totals count from the probe's first reading: with a stream's first sample all of them have grown. A total that a sample does not tell stays as it was.
 *
 * <p>Drops repeats by (stream, sequence). A sample out of its order, as a spool brings it, gives its readings alone: what lies around it is known already.
 *
 * <p>Counters of memory that contradict each other are counted and tell no shares; their own readings stand as they came.
 *
 * <p>State by subject: each stream's numbers and its latest sample, for a day after it.
 */
final class SampleFunction extends KeyedProcessFunction<String, Sample, Partial> {
    private static final long serialVersionUID = 1;
    private static final int VERSION = 1;
    private static final int MAX_INTERVALS = 3;
    private static final long PANE_MICROS = Duration.ofSeconds(10).toSeconds() * 1_000_000;
    private static final long RETENTION_MILLIS = Duration.ofDays(1).toMillis();

    /** Timers are set to whole days: a stream is remembered for one to two of them. */
    static final Duration MEMORY = Duration.ofMillis(2 * RETENTION_MILLIS);

    private final String catalogueYaml;
    private final long latenessMicros;

    private transient @Nullable Working working;

    private record Working(
            EventCodec codec,
            Map<Metric.Origin, SampleLayout> layouts,
            MapState<String, byte[]> streams,
            Counter repeats,
            Counter gaps,
            Counter contradictoryAllocators,
            Counter contradictoryKvCaches) {}

    /** What is known of a stream. */
    private record Known(SequenceTracker tracker, byte[] latest) {
        byte[] write() throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(bytes);
            out.writeByte(VERSION);
            tracker.write(out);
            out.writeInt(latest.length);
            out.write(latest);
            return bytes.toByteArray();
        }

        static Known read(byte @Nullable [] bytes) throws IOException {
            if (bytes == null) {
                return new Known(new SequenceTracker(), new byte[0]);
            }
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
            int version = in.readByte();
            if (version != VERSION) {
                throw new IOException("stream of samples: version must be " + VERSION + ", found " + version);
            }
            SequenceTracker tracker = SequenceTracker.read(in);
            return new Known(tracker, in.readNBytes(in.readInt()));
        }
    }

    SampleFunction(String catalogueYaml, Duration lateness) {
        this.catalogueYaml = catalogueYaml;
        this.latenessMicros = lateness.toMillis() * 1000;
    }

    @Override
    public void open(OpenContext context) {
        MetricCatalogue catalogue = MetricCatalogue.parse("metric catalogue", catalogueYaml);
        Map<Metric.Origin, SampleLayout> layouts = new EnumMap<>(Metric.Origin.class);
        for (Metric.Origin kind : SampleFields.KINDS) {
            layouts.put(kind, new SampleLayout(catalogue, kind));
        }
        var group = getRuntimeContext().getMetricGroup();
        working = new Working(
                new EventCodec(),
                layouts,
                getRuntimeContext()
                        .getMapState(new MapStateDescriptor<>(
                                "streams", Types.STRING, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)),
                Totals.counter(getRuntimeContext(), "repeats_total"),
                group.counter("sample_gaps_total"),
                group.counter("contradictory_allocator_readings_total"),
                group.counter("contradictory_kv_readings_total"));
    }

    @Override
    public void processElement(Sample element, Context context, Collector<Partial> out) throws Exception {
        Working w = working();
        byte[] value = element.record().value();
        if (value == null) {
            return;
        }
        SpecificRecord sample = decode(w, value);
        SampleLayout layout = w.layouts.get(SampleFields.kind(sample));
        if (layout == null) {
            throw new IllegalStateException("a kind of samples without a layout");
        }
        String stream = SampleFields.text(sample, "stream");
        Known known = Known.read(w.streams.get(stream));
        long missingBefore = known.tracker.missing();
        if (!known.tracker.see(SampleFields.number(sample, "sequence"))) {
            w.repeats.inc();
            return;
        }
        w.gaps.inc(Math.max(0, known.tracker.missing() - missingBefore));

        if (MemoryShares.isContradictory(sample)) {
            (sample instanceof GpuSample ? w.contradictoryAllocators : w.contradictoryKvCaches).inc();
        }

        long at = element.atMillis() * 1000;
        TreeMap<Long, WindowContent> panes = new TreeMap<>();
        layout.addReadings(sample, at, pane(panes, layout, at));
        byte[] latest = known.latest;
        SpecificRecord before = latest.length == 0 ? null : decode(w, latest);
        if (before == null) {
            if (SampleFields.number(sample, "sequence") == 0) {
                layout.increases(null, sample, pane(panes, layout, at)::addToSum);
                layout.addHistograms(null, sample, pane(panes, layout, at));
            }
            latest = value;
        } else {
            long from = SampleFields.atMicros(before);
            if (at > from) {
                // By the sample's own time, so that the same samples always give the same windows; the watermark is
                // ahead of late ones alone.
                long reachedMillis =
                        Math.max(element.atMillis(), context.timerService().currentWatermark());
                spread(layout, before, sample, Math.max(from, reachedMillis * 1000 - latenessMicros), at, panes);
                layout.addHistograms(before, sample, pane(panes, layout, at));
                layout.carryTotals(before, sample);
                latest = w.codec.encode(sample);
            }
        }
        w.streams.put(stream, new Known(known.tracker, latest).write());
        context.timerService().registerEventTimeTimer(day(element.atMillis()) + RETENTION_MILLIS);
        hand(layout, sample, panes, out);
    }

    /** Spreads what lies between two samples over the panes in between. */
    private static void spread(
            SampleLayout layout,
            SpecificRecord before,
            SpecificRecord after,
            long fromMicros,
            long toMicros,
            Map<Long, WindowContent> panes) {
        long interval = before.getSchema().getField("intervalMicros") == null
                ? 0
                : SampleFields.number(before, "intervalMicros");
        long beganMicros = SampleFields.atMicros(before);
        // Readings hold until the next one; after a silence that is no interval any more, nobody knows what was.
        boolean isSilence = toMicros - beganMicros > MAX_INTERVALS * interval;
        long heldUntil = isSilence ? Math.min(toMicros, beganMicros + interval) : toMicros;
        for (long start = fromMicros; start < heldUntil; start = paneEnd(start)) {
            long held = Math.min(paneEnd(start), heldUntil) - start;
            WindowContent pane = pane(panes, layout, start);
            layout.gauges(before, (metric, number) -> pane.addToGauge(metric, Gauge.held(number, held)));
        }
        layout.increases(before, after, (metric, increase) -> {
            long given = 0;
            for (long start = fromMicros; start < toMicros && given < increase; start = paneEnd(start)) {
                long end = Math.min(paneEnd(start), toMicros);
                long due = end == toMicros
                        ? increase
                        : (long) ((double) increase * (end - fromMicros) / (toMicros - fromMicros));
                pane(panes, layout, start).addToSum(metric, due - given);
                given = due;
            }
        });
    }

    private static void hand(
            SampleLayout layout, SpecificRecord sample, Map<Long, WindowContent> panes, Collector<Partial> out) {
        for (Map.Entry<Long, WindowContent> pane : panes.entrySet()) {
            WindowContent content = pane.getValue();
            if (content.isEmpty()) {
                continue;
            }
            byte[] whole = content.encode();
            for (View view : layout.views()) {
                byte[] kept =
                        view.metrics().isEmpty() ? whole : content.onlyOf(view).encode();
                for (String[] values : SampleLayout.values(view, sample)) {
                    out.collect(new Partial(view.name(), values, pane.getKey() / 1000, kept));
                }
            }
        }
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<Partial> out) throws Exception {
        Working w = working();
        List<String> silent = new ArrayList<>();
        for (Map.Entry<String, byte[]> entry : w.streams.entries()) {
            Known known = Known.read(entry.getValue());
            long lastMillis = known.latest.length == 0 ? 0 : SampleFields.atMicros(decode(w, known.latest)) / 1000;
            if (day(lastMillis) + RETENTION_MILLIS <= timestamp) {
                silent.add(entry.getKey());
            }
        }
        for (String stream : silent) {
            w.streams.remove(stream);
        }
    }

    /** Rounded up, so that a subject needs one timer a day and not one a sample. */
    private static long day(long millis) {
        return Math.floorDiv(millis, RETENTION_MILLIS) * RETENTION_MILLIS + RETENTION_MILLIS;
    }

    private static WindowContent pane(Map<Long, WindowContent> panes, SampleLayout layout, long atMicros) {
        return panes.computeIfAbsent(paneEnd(atMicros), end -> new WindowContent(layout.metrics()));
    }

    private static long paneEnd(long atMicros) {
        return Math.floorDiv(atMicros, PANE_MICROS) * PANE_MICROS + PANE_MICROS;
    }

    private static SpecificRecord decode(Working w, byte[] value) {
        try {
            return w.codec.decode(value);
        } catch (UndecodableEventException e) {
            throw new IllegalStateException("a sample that was decoded before", e);
        }
    }

    private Working working() {
        if (working == null) {
            throw new IllegalStateException("used before open()");
        }
        return working;
    }
}
