package io.inferwatch.jobs.device;

import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.jobs.ingest.Sample;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.UndecodableEventException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/**
 * Says of a GPU, and of each of its MIG instances, once a minute what held it back and whether its processes run near it, and opens an alert
 * when one has been far for two minutes of three, closing it when none of the last three shows it. A minute is told when event time has passed
 * it, by the samples that came in their order: one that is older than the latest, or whose minute is told, is counted and left out.
 *
 * <p>State by instance, until it has been silent for a day: its latest sample, the minutes that are not told yet, and whether it is misplaced.
 */
final class DeviceFunction extends KeyedProcessFunction<String, Sample, OutboundRecord> {
    private static final long serialVersionUID = 1;

    /** View of the metric catalogue whose dimensions the figures have. */
    static final String VIEW = "gpu-device";

    /** Alerts as they change. */
    static final OutputTag<OutboundRecord> ALERTS = new OutputTag<>("alerts") {};

    private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();

    private transient @Nullable Working working;

    private record Working(
            EventCodec codec,
            PlacementAlerts alerts,
            MapState<String, byte[]> devices,
            Counter leftOut,
            Counter opened,
            Counter closed) {}

    @Override
    public void open(OpenContext context) {
        var group = getRuntimeContext().getMetricGroup();
        working = new Working(
                new EventCodec(),
                new PlacementAlerts(),
                getRuntimeContext()
                        .getMapState(new MapStateDescriptor<>(
                                "devices", Types.STRING, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)),
                group.counter("device_samples_out_of_order_total"),
                group.counter("placement_alerts_opened_total"),
                group.counter("placement_alerts_closed_total"));
    }

    @Override
    public void processElement(Sample element, Context context, Collector<OutboundRecord> out) throws Exception {
        byte[] value = element.record().value();
        if (value == null) {
            return;
        }
        Working w = working();
        GpuSample sample = decode(w, value);
        // Capped at the broker's append time, like all of a sample's times.
        sample.setSampledAtMicros(
                Math.min(sample.getSampledAtMicros(), element.record().timestampMillis() * 1_000));
        String instance = sample.getGpu() + '/' + (sample.getMigId() == null ? "" : sample.getMigId());
        DeviceState state = DeviceState.read(w.devices.get(instance));
        byte[] latest = state.latest();
        GpuSample before = latest == null ? null : decode(w, latest);
        long end = MinuteFigures.endOf(sample.getSampledAtMicros());
        boolean isLate = end / 1_000 <= context.timerService().currentWatermark();
        if (isLate || (before != null && sample.getSampledAtMicros() <= before.getSampledAtMicros())) {
            w.leftOut.inc();
            return;
        }
        byte[] encoded = w.codec.encode(sample);
        state.minute(end).add(before, sample, encoded);
        state.setLatest(encoded);
        w.devices.put(instance, state.write());
        context.timerService().registerEventTimeTimer(end / 1_000);
        context.timerService().registerEventTimeTimer(forgottenAt(sample));
    }

    /** Whole days, so that an instance needs one timer a day and not one a sample. */
    private static long forgottenAt(GpuSample sample) {
        return (Math.floorDiv(sample.getSampledAtMicros() / 1_000, DAY_MILLIS) + 2) * DAY_MILLIS;
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        List<String> instances = new ArrayList<>();
        w.devices.keys().forEach(instances::add);
        for (String instance : instances) {
            DeviceState state = DeviceState.read(w.devices.get(instance));
            GpuSample latest = decode(w, Objects.requireNonNull(state.latest(), "a state without a sample"));
            Map<Long, DeviceMinute> ended = state.takeUntil(timestamp * 1_000);
            for (Map.Entry<Long, DeviceMinute> minute : ended.entrySet()) {
                tell(w, state, minute.getKey(), minute.getValue(), context, out);
            }
            if (forgottenAt(latest) <= timestamp && !isEndOfInput(context)) {
                if (state.isMisplaced()) {
                    w.closed.inc();
                    context.output(
                            ALERTS,
                            w.alerts.record(
                                    Placement.of(latest),
                                    AlertState.EXPIRED,
                                    state.farSinceMicros(),
                                    timestamp * 1_000));
                }
                w.devices.remove(instance);
            } else if (!ended.isEmpty()) {
                w.devices.put(instance, state.write());
            }
        }
    }

    /** All timers are due then, whatever their time: nothing was silent for a day because of that. */
    private static boolean isEndOfInput(OnTimerContext context) {
        return context.timerService().currentWatermark() == Long.MAX_VALUE;
    }

    private static void tell(
            Working w,
            DeviceState state,
            long endMicros,
            DeviceMinute minute,
            OnTimerContext context,
            Collector<OutboundRecord> out) {
        GpuSample last = decode(w, minute.last());
        out.collect(tagged(minute.figures(), last).record(endMicros, w.codec));
        Placement placement = Placement.of(last);
        if (!placement.isTold()) {
            return;
        }
        boolean wasMisplaced = state.isMisplaced();
        long since = state.farSinceMicros();
        state.look(placement.placed(), endMicros);
        out.collect(tagged(placement.figures(state.isMisplaced()), last).record(endMicros, w.codec));
        if (state.isMisplaced() != wasMisplaced) {
            boolean opens = state.isMisplaced();
            (opens ? w.opened : w.closed).inc();
            context.output(
                    ALERTS,
                    w.alerts.record(
                            placement,
                            opens ? AlertState.FIRING : AlertState.RESOLVED,
                            opens ? state.farSinceMicros() : since,
                            endMicros));
        }
    }

    private static MinuteFigures tagged(MinuteFigures figures, GpuSample sample) {
        return figures.tag("gpu", sample.getGpu()).tag("mig", sample.getMigId()).tag("node", sample.getNode());
    }

    private static GpuSample decode(Working w, byte[] value) {
        try {
            return w.codec.decode(value, GpuSample.class);
        } catch (UndecodableEventException e) {
            throw new IllegalStateException("a sample that was decoded before", e);
        }
    }

    private Working working() {
        return Objects.requireNonNull(working, "used before open()");
    }
}
