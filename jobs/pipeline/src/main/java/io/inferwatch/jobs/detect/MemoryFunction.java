package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.memory.LengthHistogram;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/**
 * Figures of memory, minute by minute: of each device from its windows and those of the engines on it, of each replica's KV cache from its engine's windows
 * and those of its requests. The main output are results. A risk that two minutes of three show opens an alert; one that none of three shows closes it.
 *
 * <p>Windows are gathered until event time is {@value #WAIT_SECONDS} seconds past their end, since those of requests leave earlier than those of samples.
 *
 * <p>State by subject: the windows that are gathered, the last two hours of up to two figures, a sketch of sequence lengths, three numbers a risk. All is
 * forgotten two to three hours after the last window; an alert that is open then expires.
 */
final class MemoryFunction extends KeyedBroadcastProcessFunction<String, Member, InboundRecord, OutboundRecord> {
    private static final long serialVersionUID = 1;
    private static final int WAIT_SECONDS = 20;
    private static final int MIN_LENGTHS = 30;
    private static final long KEEP_MILLIS = MinuteHistory.KEEP.toMillis();
    private static final long HOUR_MILLIS = Duration.ofHours(1).toMillis();

    /** Alerts as they change. */
    static final OutputTag<OutboundRecord> ALERTS = new OutputTag<>("memory-alerts") {};

    private final String catalogueYaml;
    private transient @Nullable Working working;

    private record Working(
            LiveSettings settings,
            EventCodec codec,
            Gathering gathering,
            MemoryAlerts alerts,
            Histories histories,
            ValueState<byte[]> lengths,
            MapState<String, long[]> confirmations,
            ValueState<Long> forgetAtMillis,
            Counter computed,
            Counter clamped,
            Counter opened,
            Counter closed) {}

    MemoryFunction(String catalogueYaml) {
        this.catalogueYaml = catalogueYaml;
    }

    @Override
    public void open(OpenContext context) {
        MetricCatalogue catalogue = MetricCatalogue.parse("metric catalogue", catalogueYaml);
        var runtime = getRuntimeContext();
        var metrics = runtime.getMetricGroup();
        var bytes = PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;
        working = new Working(
                new LiveSettings(catalogue, metrics),
                new EventCodec(),
                new Gathering(runtime, Duration.ofSeconds(WAIT_SECONDS)),
                new MemoryAlerts(),
                new Histories(runtime.getMapState(new MapStateDescriptor<>("histories", Types.STRING, bytes))),
                runtime.getState(new ValueStateDescriptor<>("lengths", bytes)),
                runtime.getMapState(new MapStateDescriptor<>(
                        "confirmations", Types.STRING, PrimitiveArrayTypeInfo.LONG_PRIMITIVE_ARRAY_TYPE_INFO)),
                runtime.getState(new ValueStateDescriptor<>("forget-at", Types.LONG)),
                metrics.counter("memory_figures_total"),
                metrics.counter("memory_estimates_clamped_total"),
                metrics.counter("memory_alerts_opened_total"),
                metrics.counter("memory_alerts_closed_total"));
    }

    @Override
    public void processElement(Member member, ReadOnlyContext context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        w.gathering.add(member, context.timerService());
        long forgetAt = (member.endMicros() / 1_000 + KEEP_MILLIS) / HOUR_MILLIS * HOUR_MILLIS + HOUR_MILLIS;
        Long before = w.forgetAtMillis.value();
        if (before == null || before < forgetAt) {
            w.forgetAtMillis.update(forgetAt);
            context.timerService().registerEventTimeTimer(forgetAt);
        }
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        Configuration configuration = w.settings.present(context.getBroadcastState(LiveSettings.STATE));
        for (Gathering.Group group : w.gathering.take(timestamp)) {
            String subject = context.getCurrentKey().substring(group.task().length() + 1);
            MemoryFindings findings = group.task().equals(Measurement.MEMORY.measurementName())
                    ? new DeviceFigures(subject, group, w.histories, configuration.limits()).findings()
                    : ofKvCache(subject, group, configuration);
            for (FigureResult result : findings.results()) {
                w.computed.inc();
                w.clamped.inc(result.getCounts().getOrDefault(Field.CLAMPED, 0L));
                String key = result.getKind() + '/' + subject;
                out.collect(new OutboundRecord(
                        key.getBytes(StandardCharsets.UTF_8),
                        w.codec.encode(result),
                        result.getWindowEndMicros() / 1_000));
            }
            for (MemoryRisk risk : findings.risks()) {
                confirm(risk, group.any().getWindowMicros(), group.any().getWindowEndMicros(), context);
            }
        }
        Long forgetAt = w.forgetAtMillis.value();
        if (forgetAt != null && timestamp >= forgetAt) {
            forget(timestamp, context);
        }
    }

    @Override
    public void processBroadcastElement(InboundRecord record, Context context, Collector<OutboundRecord> out)
            throws Exception {
        working().settings.take(record, context.getBroadcastState(LiveSettings.STATE));
    }

    private MemoryFindings ofKvCache(String subject, Gathering.Group group, Configuration configuration)
            throws Exception {
        ValueState<byte[]> state = working().lengths;
        // Engines' windows have a model, requests' windows by replica have none.
        Optional<QuantileSketch> present = WindowGroup.of(group.byArm().values(), "replica")
                .distribution("sequence_tokens")
                .filter(sketch -> sketch.n() >= MIN_LENGTHS);
        if (present.isPresent()) {
            state.update(SketchEncoding.encode(present.get()));
        }
        byte[] known = state.value();
        Optional<LengthHistogram> lengths = Optional.ofNullable(known)
                .map(bytes -> LengthHistogram.of(SketchEncoding.decode(bytes)))
                .filter(histogram -> histogram.n() > 0);
        return new KvCacheFigures(
                        subject,
                        WindowGroup.of(group.byArm().values(), "model"),
                        lengths,
                        working().histories,
                        configuration)
                .findings();
    }

    private void confirm(MemoryRisk risk, long windowMicros, long endMicros, OnTimerContext context) throws Exception {
        Working w = working();
        Confirmation before = Confirmation.of(w.confirmations.get(risk.alert()));
        if (endMicros <= before.lastEndMicros()) {
            return;
        }
        Confirmation after = before.after(risk.isShown(), endMicros - windowMicros, endMicros);
        w.confirmations.put(risk.alert(), after.toState());
        boolean opens = after.isConfirmed();
        if (opens != before.isConfirmed()) {
            (opens ? w.opened : w.closed).inc();
            long since = opens ? after.sinceMicros() : before.sinceMicros();
            context.output(ALERTS, w.alerts.record(risk, since, endMicros, opens));
        }
    }

    private void forget(long timestamp, OnTimerContext context) throws Exception {
        Working w = working();
        // With the end of an input that has one all timers are due: that is no silence.
        boolean isSilent = context.timerService().currentWatermark() < Long.MAX_VALUE;
        for (Map.Entry<String, long[]> entry : w.confirmations.entries()) {
            Confirmation last = Confirmation.of(entry.getValue());
            if (isSilent && last.isConfirmed()) {
                w.closed.inc();
                String key = context.getCurrentKey();
                context.output(
                        ALERTS,
                        w.alerts.expired(
                                entry.getKey(),
                                key.substring(key.indexOf(' ') + 1),
                                last.sinceMicros(),
                                timestamp * 1_000));
            }
        }
        w.confirmations.clear();
        w.histories.state().clear();
        w.lengths.clear();
        w.forgetAtMillis.clear();
    }

    private Working working() {
        return Objects.requireNonNull(working, "used before open()");
    }
}
