package io.inferwatch.jobs.device;

import io.inferwatch.analytics.contention.BusyUnits;
import io.inferwatch.analytics.contention.LostTime;
import io.inferwatch.analytics.shape.Estimate;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.EventCodec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Says once a minute how many units that share a device were busy at once, and what meeting the others costs each with an operation, beside
 * what it cost under the schedule before. An operation counts in the minute of its end, where it meets the others of that minute; a device's
 * operations beyond {@value #MOST} a minute, and those that come when their minute is told, are counted and left out.
 *
 * <p>State by device: the operations of open minutes, and each unit's times until none of its operations came for a day.
 */
final class ContentionFunction extends KeyedProcessFunction<String, UnitOperation, OutboundRecord> {
    private static final long serialVersionUID = 1;
    private static final int VERSION = 1;
    private static final int MOST = 20_000;
    private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();
    private static final double SECONDS = 1e-6;

    private transient @Nullable Working working;

    private record Working(
            EventCodec codec,
            ListState<UnitOperation> open,
            MapState<Long, Integer> counts,
            MapState<String, byte[]> units,
            Counter leftOut) {}

    /** A unit's times, and until when they are kept. */
    private record Kept(UnitTimes times, long lastEndMicros) {
        byte[] write() throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(bytes);
            out.writeByte(VERSION);
            out.writeLong(lastEndMicros);
            times.write(out);
            return bytes.toByteArray();
        }

        static Kept read(byte[] bytes) throws IOException {
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
            int version = in.readByte();
            if (version != VERSION) {
                throw new IOException("times of a unit: version must be " + VERSION + ", found " + version);
            }
            long last = in.readLong();
            return new Kept(UnitTimes.read(in), last);
        }
    }

    @Override
    public void open(OpenContext context) {
        var runtime = getRuntimeContext();
        working = new Working(
                new EventCodec(),
                runtime.getListState(new ListStateDescriptor<>("operations", TypeInformation.of(UnitOperation.class))),
                runtime.getMapState(new MapStateDescriptor<>("counts", Types.LONG, Types.INT)),
                runtime.getMapState(new MapStateDescriptor<>(
                        "units", Types.STRING, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)),
                runtime.getMetricGroup().counter("unit_operations_left_out_total"));
    }

    @Override
    public void processElement(UnitOperation operation, Context context, Collector<OutboundRecord> out)
            throws Exception {
        Working w = working();
        long end = MinuteFigures.endOf(operation.endNanos() / 1_000);
        Integer before = w.counts.get(end);
        int count = before == null ? 0 : before;
        if (end / 1_000 <= context.timerService().currentWatermark() || count >= MOST) {
            w.leftOut.inc();
            return;
        }
        w.open.add(operation);
        w.counts.put(end, count + 1);
        context.timerService().registerEventTimeTimer(end / 1_000);
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        long endMicros = timestamp * 1_000;
        if (w.counts.contains(endMicros)) {
            w.counts.remove(endMicros);
            List<UnitOperation> minute = new ArrayList<>();
            List<UnitOperation> later = new ArrayList<>();
            for (UnitOperation operation : w.open.get()) {
                boolean isOfMinute = MinuteFigures.endOf(operation.endNanos() / 1_000) == endMicros;
                (isOfMinute ? minute : later).add(operation);
            }
            w.open.update(later);
            tell(w, minute, endMicros, out);
            context.timerService().registerEventTimeTimer((Math.floorDiv(timestamp, DAY_MILLIS) + 2) * DAY_MILLIS);
        }
        List<String> silent = new ArrayList<>();
        for (Map.Entry<String, byte[]> unit : w.units.entries()) {
            if (Kept.read(unit.getValue()).lastEndMicros / 1_000 <= timestamp - DAY_MILLIS) {
                silent.add(unit.getKey());
            }
        }
        for (String unit : silent) {
            w.units.remove(unit);
        }
    }

    private static void tell(Working w, List<UnitOperation> minute, long endMicros, Collector<OutboundRecord> out)
            throws Exception {
        Overlap overlap = Overlap.of(minute, MinuteFigures.MINUTE_MICROS);
        Map<String, UnitTimes> units = new TreeMap<>();
        Map<String, UnitOperation> latest = new HashMap<>();
        for (UnitOperation operation : minute) {
            byte[] state = w.units.get(operation.unit());
            UnitTimes times = units.get(operation.unit());
            if (times == null) {
                times = state == null ? UnitTimes.begun(operation.schedule()) : Kept.read(state).times;
            }
            UnitTimes present = times.under(operation.schedule());
            present.add(operation, overlap.shared().contains(operation));
            units.put(operation.unit(), present);
            latest.put(operation.unit(), operation);
        }
        for (Map.Entry<String, UnitTimes> unit : units.entrySet()) {
            w.units.put(unit.getKey(), new Kept(unit.getValue(), endMicros).write());
            UnitOperation last = Objects.requireNonNull(latest.get(unit.getKey()));
            out.collect(figures(unit.getValue(), overlap.busy(), last).record(endMicros, w.codec));
        }
    }

    private static MinuteFigures figures(UnitTimes times, BusyUnits busy, UnitOperation last) {
        BusyUnits.Time time = Objects.requireNonNull(busy.byUnit().get(last.unit()));
        MinuteFigures figures = new MinuteFigures(Measurement.CONTENTION, "operator-replica")
                .tag("replica", last.replica())
                .tag(Field.DEVICE, last.device())
                .tag(Field.MODALITY, last.unit())
                .text(Field.SCHEDULE, times.schedule())
                .text(Field.SCHEDULE_BEFORE, times.scheduleBefore().orElse(null))
                .value(Field.UNITS_BUSY, busy.mean())
                .value(Field.OVERLAP, busy.share(2))
                .value(Field.ALONE_SECONDS, time.aloneMicros() * SECONDS)
                .value(Field.SHARED_SECONDS, time.sharedMicros() * SECONDS);
        times.lost().ifPresent(lost -> {
            estimate(
                    figures.count(Field.OPERATIONS, lost.operations()).count(Field.UNCOVERED, lost.uncovered()),
                    Field.LOST,
                    lost.estimate());
            times.lostBefore().ifPresent(before -> estimate(figures, Field.LOST_CHANGE, lost.since(before)));
        });
        times.lostBefore().map(LostTime::estimate).ifPresent(before -> estimate(figures, Field.LOST_BEFORE, before));
        return figures;
    }

    private static void estimate(MinuteFigures figures, String name, Estimate micros) {
        figures.value(Field.estimate(name, "seconds"), micros.value() * SECONDS)
                .value(Field.low(name, "seconds"), micros.low() * SECONDS)
                .value(Field.high(name, "seconds"), micros.high() * SECONDS);
    }

    private Working working() {
        return Objects.requireNonNull(working, "used before open()");
    }
}
