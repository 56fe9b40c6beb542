package io.inferwatch.jobs.detect;

import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.DriftResult;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Judgement;
import java.nio.charset.StandardCharsets;
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
 * different ends may overtake each other.
 *
 * <p>State by series and statistic: three numbers, and the verdicts that wait.
 */
final class ConfirmFunction extends KeyedProcessFunction<String, Candidate, OutboundRecord> {
    private static final long serialVersionUID = 1;

    /** Alerts as they change. */
    static final OutputTag<OutboundRecord> ALERTS = new OutputTag<>("alerts") {};

    private transient @Nullable Working working;

    private record Working(
            EventCodec codec,
            DriftAlerts alerts,
            ValueState<long[]> state,
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
