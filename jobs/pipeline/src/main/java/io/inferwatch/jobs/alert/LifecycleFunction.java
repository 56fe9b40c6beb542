package io.inferwatch.jobs.alert;

import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.EventCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.LongStream;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * The way of an alert, by fingerprint, whoever raised it.
 *
 * <ul>
 *   <li>Each state is told once, and again where there is more to say of it; and labels and {@code startsAt} stay what they were until it has ended: what a job that was restored raises again is no news.
 *   <li>An alert that has come and gone {@value #FLAPS} times within an hour flaps: it is told to fire once more, and to be over only when it has been for half an
 *       hour. One that expires is over at once.
 *   <li>What is said to end and was never heard of passes: the notifier may know of it from before.
 * </ul>
 *
 * <p>State by fingerprint: the alert as it was told, the end that waits, when it came and went within the hour. Nothing is left an hour after it has ended.
 */
final class LifecycleFunction extends KeyedProcessFunction<String, OutboundRecord, OutboundRecord> {
    private static final long serialVersionUID = 1;

    /** Comings and goings within an hour from which on an alert flaps. */
    static final int FLAPS = 4;

    private static final long HOUR_MICROS = Duration.ofHours(1).toNanos() / 1_000;
    private static final long CALM_MILLIS = Duration.ofMinutes(30).toMillis();
    private static final long KEEP_MILLIS = Duration.ofHours(1).toMillis();

    private transient @Nullable Working working;

    private record Working(
            EventCodec codec,
            ValueState<byte[]> told,
            ValueState<byte[]> ending,
            ValueState<long[]> turns,
            ValueState<Long> dueMillis,
            Counter repeats,
            Counter withheld,
            Counter flapping) {}

    @Override
    public void open(OpenContext context) {
        var runtime = getRuntimeContext();
        var bytes = PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;
        var metrics = runtime.getMetricGroup();
        working = new Working(
                new EventCodec(),
                runtime.getState(new ValueStateDescriptor<>("told", bytes)),
                runtime.getState(new ValueStateDescriptor<>("ending", bytes)),
                runtime.getState(
                        new ValueStateDescriptor<>("turns", PrimitiveArrayTypeInfo.LONG_PRIMITIVE_ARRAY_TYPE_INFO)),
                runtime.getState(new ValueStateDescriptor<>("due", Types.LONG)),
                metrics.counter("alerts_repeated_total"),
                metrics.counter("alerts_withheld_total"),
                metrics.counter("alerts_flapping_total"));
    }

    @Override
    public void processElement(OutboundRecord record, Context context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        Alert alert = w.codec.decode(record.value(), Alert.class);
        byte[] told = w.told.value();
        Alert before = told == null ? null : w.codec.decode(told, Alert.class);
        boolean wasFiring = before != null && before.getState() == AlertState.FIRING;
        if (alert.getState() == AlertState.FIRING) {
            begin(alert, wasFiring ? before : null, out);
        } else if (wasFiring || before == null) {
            if (before != null) {
                // Identity: who was told of it would take another one for another alert.
                alert.setLabels(before.getLabels());
                alert.setSeverity(before.getSeverity());
                alert.setStartsAtMicros(before.getStartsAtMicros());
            }
            end(alert, wasFiring, context, out);
        } else {
            w.repeats.inc();
        }
    }

    private void begin(Alert alert, @Nullable Alert before, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        if (before == null) {
            w.dueMillis.clear();
            int turns = turn(alert.getChangedAtMicros());
            if (turns >= FLAPS) {
                w.flapping.inc();
                alert.setSummary("Comes and goes, " + turns + " times within an hour: " + alert.getSummary());
            }
            tell(alert, out);
            return;
        }
        if (w.ending.value() != null) {
            // It was to be over, and is not: nobody has heard of either.
            turn(alert.getChangedAtMicros());
            w.ending.clear();
            w.dueMillis.clear();
            w.withheld.inc();
        } else if (alert.getSeverity() == before.getSeverity()
                && alert.getSummary().equals(before.getSummary())
                && alert.getCauses().equals(before.getCauses())) {
            w.repeats.inc();
        } else {
            alert.setLabels(before.getLabels());
            alert.setStartsAtMicros(before.getStartsAtMicros());
            tell(alert, out);
        }
    }

    private void end(Alert alert, boolean wasFiring, Context context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        if (wasFiring && w.ending.value() != null && alert.getState() == AlertState.RESOLVED) {
            w.repeats.inc();
            return;
        }
        int turns = turn(alert.getChangedAtMicros());
        long nowMillis = alert.getChangedAtMicros() / 1_000;
        if (wasFiring && turns >= FLAPS && alert.getState() == AlertState.RESOLVED) {
            w.withheld.inc();
            w.ending.update(w.codec.encode(alert));
            wait(nowMillis + CALM_MILLIS, context);
        } else {
            w.ending.clear();
            tell(alert, out);
            wait(nowMillis + KEEP_MILLIS, context);
        }
    }

    private void wait(long untilMillis, Context context) throws Exception {
        working().dueMillis.update(untilMillis);
        context.timerService().registerEventTimeTimer(untilMillis);
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        Long due = w.dueMillis.value();
        if (due == null || due != timestamp) {
            return;
        }
        byte[] ending = w.ending.value();
        if (ending == null) {
            w.told.clear();
            w.turns.clear();
            w.dueMillis.clear();
        } else {
            w.ending.clear();
            tell(w.codec.decode(ending, Alert.class), out);
            wait(timestamp + KEEP_MILLIS, context);
        }
    }

    private void tell(Alert alert, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        byte[] bytes = w.codec.encode(alert);
        w.told.update(bytes);
        out.collect(new OutboundRecord(
                alert.getFingerprint().getBytes(StandardCharsets.UTF_8), bytes, alert.getChangedAtMicros() / 1_000));
    }

    /** Notes that it came or went, and returns how often it has within the hour. */
    private int turn(long atMicros) throws Exception {
        ValueState<long[]> state = working().turns;
        long[] before = state.value() == null ? new long[0] : state.value();
        long[] after = LongStream.concat(
                        Arrays.stream(before).filter(turn -> turn > atMicros - HOUR_MICROS), LongStream.of(atMicros))
                .toArray();
        state.update(after);
        return after.length;
    }

    private Working working() {
        return Objects.requireNonNull(working, "used before open()");
    }
}
