package io.inferwatch.jobs.detect;

import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.DriftResult;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Judgement;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/**
 * Says of a key whether drift has lasted ({@link Confirmation}), and opens an alert when it has and closes it when it is over or has
 * become the baseline. The main output are results. Verdicts wait until event time has passed their window's end, since families of
 * different ends may overtake each other. An alert of what had no verdict for a day expires.
 *
 * <p>State by series and statistic: three numbers, the verdicts that wait, and the last one of what drifts.
 */
final class ConfirmFunction extends KeyedProcessFunction<String, Candidate, OutboundRecord> {
    private static final long serialVersionUID = 1;

    /** Alerts as they change. */
    static final OutputTag<OutboundRecord> ALERTS = new OutputTag<>("alerts") {};

    private static final long EXPIRE_MICROS = Duration.ofDays(1).toNanos() / 1_000;
    private static final long HOUR_MICROS = Duration.ofHours(1).toNanos() / 1_000;

    private transient @Nullable Working working;

    private record Working(
            EventCodec codec,
            DriftAlerts alerts,
            ValueState<long[]> state,
            ValueState<byte[]> drifting,
            MapState<Long, Candidate> waiting,
            Counter opened,
            Counter closed,
            Counter repeats) {}

    private static Confirmation after(Confirmation before, DriftResult result) {
        long end = result.getWindowEndMicros();
        return result.getRebased()
                ? before.forgiven(end)
                : before.after(
                        server(result).getVerdict(),
                        result.getUnits(),
                        end - result.getWindows() * result.getWindowMicros(),
                        end);
    }

    /** The finding that speaks of the server. */
    static Judgement server(DriftResult result) {
        return result.getAdjusted() == null ? result.getRaw() : result.getAdjusted();
    }

    @Override
    public void open(OpenContext context) {
        var group = getRuntimeContext().getMetricGroup();
        working = new Working(
                new EventCodec(),
                new DriftAlerts(),
                getRuntimeContext()
                        .getState(new ValueStateDescriptor<>(
                                "confirmation", PrimitiveArrayTypeInfo.LONG_PRIMITIVE_ARRAY_TYPE_INFO)),
                getRuntimeContext()
                        .getState(new ValueStateDescriptor<>(
                                "drifting", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)),
                getRuntimeContext()
                        .getMapState(
                                new MapStateDescriptor<>("waiting", Types.LONG, TypeInformation.of(Candidate.class))),
                group.counter("drift_alerts_opened_total"),
                group.counter("drift_alerts_closed_total"),
                group.counter("verdicts_repeated_total"));
    }

    @Override
    public void processElement(Candidate candidate, Context context, Collector<OutboundRecord> out) throws Exception {
        if (candidate.endMillis() <= context.timerService().currentWatermark()) {
            confirm(candidate, context, out);
        } else {
            working().waiting.put(candidate.endMillis(), candidate);
            context.timerService().registerEventTimeTimer(candidate.endMillis());
        }
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<OutboundRecord> out) throws Exception {
        Candidate candidate = working().waiting.get(timestamp);
        if (candidate != null) {
            working().waiting.remove(timestamp);
            confirm(candidate, context, out);
        }
        expire(1_000 * timestamp, context);
    }

    private void expire(long nowMicros, OnTimerContext context) throws Exception {
        Working w = working();
        byte[] drifting = w.drifting.value();
        Confirmation last = Confirmation.of(w.state.value());
        // With the end of an input that has one all timers are due: that is no silence.
        boolean isEnd = context.timerService().currentWatermark() == Long.MAX_VALUE;
        if (drifting != null && !isEnd && nowMicros - last.lastEndMicros() >= EXPIRE_MICROS) {
            w.closed.inc();
            w.drifting.clear();
            w.state.update(last.forgiven(last.lastEndMicros()).toState());
            DriftResult result = w.codec.decode(drifting, DriftResult.class);
            context.output(ALERTS, w.alerts.expired(result, last.sinceMicros(), nowMicros));
        }
    }

    private void confirm(Candidate candidate, Context context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        Confirmation before = Confirmation.of(w.state.value());
        DriftResult result = w.codec.decode(candidate.result(), DriftResult.class);
        if (result.getWindowEndMicros() <= before.lastEndMicros()) {
            w.repeats.inc();
            return;
        }
        Confirmation after = after(before, result);
        w.state.update(after.toState());
        result.setDrifting(after.isConfirmed());
        result.setDriftingSinceMicros(after.isConfirmed() ? Long.valueOf(after.sinceMicros()) : null);
        if (after.isConfirmed()) {
            w.drifting.update(candidate.result());
            long expireMicros = (after.lastEndMicros() + EXPIRE_MICROS) / HOUR_MICROS * HOUR_MICROS + HOUR_MICROS;
            context.timerService().registerEventTimeTimer(expireMicros / 1_000);
        } else {
            w.drifting.clear();
        }
        out.collect(new OutboundRecord(
                result.getSeries().getBytes(StandardCharsets.UTF_8), w.codec.encode(result), candidate.endMillis()));
        if (after.isConfirmed() != before.isConfirmed()) {
            boolean opens = after.isConfirmed();
            (opens ? w.opened : w.closed).inc();
            long since = opens ? after.sinceMicros() : before.sinceMicros();
            context.output(ALERTS, w.alerts.record(result, since, opens));
        }
    }

    private Working working() {
        return Objects.requireNonNull(working, "used before open()");
    }
}
