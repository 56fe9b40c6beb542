package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.memory.Boundaries;
import io.inferwatch.analytics.memory.BoundaryAdvice;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.PaddingRule;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
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
import org.jspecify.annotations.Nullable;

/**
 * What padding a series' sequences to the present boundaries takes, and which boundaries would take less: every hour of the last seven days, where the configuration
 * knows the present boundaries of the series' model. State by series: a sketch of lengths a day, for seven days; the last window.
 */
final class PaddingFunction extends KeyedBroadcastProcessFunction<String, Member, InboundRecord, OutboundRecord> {
    private static final long serialVersionUID = 1;
    private static final int DAYS = 7;
    private static final long HOUR_MILLIS = Duration.ofHours(1).toMillis();
    private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();

    private final String catalogueYaml;
    private transient @Nullable Working working;

    private record Working(
            LiveSettings settings,
            EventCodec codec,
            MapState<Long, byte[]> days,
            ValueState<byte[]> last,
            Counter computed,
            Counter repeats) {}

    PaddingFunction(String catalogueYaml) {
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
                runtime.getMapState(new MapStateDescriptor<>("days", Types.LONG, bytes)),
                runtime.getState(new ValueStateDescriptor<>("last", bytes)),
                metrics.counter("padding_computed_total"),
                metrics.counter("windows_repeated_total"));
    }

    @Override
    public void processElement(Member member, ReadOnlyContext context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        WindowStat window = w.codec.decode(member.content(), WindowStat.class);
        byte[] last = w.last.value();
        if (last != null && window.getWindowEndMicros() <= endMicros(w.codec, last)) {
            w.repeats.inc();
            return;
        }
        long endMillis = window.getWindowEndMicros() / 1_000;
        Optional<QuantileSketch> lengths = new WindowReading(window).distribution("sequence_tokens");
        if (lengths.isPresent()) {
            // The last minute of a day ends with it.
            long day = (endMillis - 1) / DAY_MILLIS;
            byte[] before = w.days.get(day);
            QuantileSketch all = before == null ? new QuantileSketch() : SketchEncoding.decode(before);
            all.merge(lengths.get());
            w.days.put(day, SketchEncoding.encode(all));
        }
        window.setSketches(List.of());
        w.last.update(w.codec.encode(window));
        context.timerService().registerEventTimeTimer((endMillis - 1) / HOUR_MILLIS * HOUR_MILLIS + HOUR_MILLIS);
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        byte[] last = w.last.value();
        long today = (timestamp - 1) / DAY_MILLIS;
        Map<Long, QuantileSketch> days = new TreeMap<>();
        List<Long> old = new ArrayList<>();
        for (Map.Entry<Long, byte[]> day : w.days.entries()) {
            if (day.getKey() > today - DAYS) {
                days.put(day.getKey(), SketchEncoding.decode(day.getValue()));
            } else {
                old.add(day.getKey());
            }
        }
        for (Long day : old) {
            w.days.remove(day);
        }
        if (last == null || days.isEmpty()) {
            w.last.clear();
            return;
        }
        // Once more when the last of its days is over, so that nothing is left of a series that has fallen silent.
        context.timerService().registerEventTimeTimer((today + DAYS + 1) * DAY_MILLIS);
        WindowStat window = w.codec.decode(last, WindowStat.class);
        if (window.getWindowEndMicros() / 1_000 > timestamp - HOUR_MILLIS) {
            advise(window, timestamp, List.copyOf(days.values()), context, out);
        }
    }

    private void advise(
            WindowStat window,
            long hourEndMillis,
            List<QuantileSketch> days,
            OnTimerContext context,
            Collector<OutboundRecord> out)
            throws Exception {
        Working w = working();
        PaddingRule rule = w.settings
                .present(context.getBroadcastState(LiveSettings.STATE))
                .paddings()
                .get(new WindowReading(window).dimension("model"));
        if (rule == null) {
            return;
        }
        Optional<BoundaryAdvice> advice = BoundaryAdvice.of(days, new Boundaries(rule.boundaries()), rule.count());
        if (advice.isEmpty()) {
            return;
        }
        window.setWindowMicros(HOUR_MILLIS * 1_000);
        window.setWindowEndMicros(hourEndMillis * 1_000);
        FigureResult result = result(window, advice.get(), days);
        w.computed.inc();
        out.collect(new OutboundRecord(
                (result.getKind() + '/' + window.getSeries()).getBytes(StandardCharsets.UTF_8),
                w.codec.encode(result),
                hourEndMillis));
    }

    private static FigureResult result(WindowStat window, BoundaryAdvice advice, List<QuantileSketch> days) {
        FigureBuilder result = new FigureBuilder(Measurement.PADDING.measurementName(), window, window.getDimensions())
                .count(Field.N, days.stream().mapToLong(QuantileSketch::n).sum())
                .count(Field.DAYS, advice.windows())
                .count(Field.RECOMMENDED, advice.isRecommended() ? 1 : 0)
                .figure(Field.CURRENT_PADDING, "", advice.currentShare())
                .figure(Field.OPTIMAL_PADDING, "", advice.optimalShare())
                .figure(Field.GEOMETRIC_PADDING, "", advice.geometricShare())
                .figure(Field.UNIFORM_PADDING, "", advice.uniformShare())
                .value(Field.estimate(Field.SAVING, Field.estimated("")), advice.saving());
        advice.leastSaving()
                .ifPresent(saving -> result.value(Field.estimate(Field.LEAST_SAVING, Field.estimated("")), saving));
        List<Long> sizes = advice.optimal().sizes();
        for (int i = 0; i < sizes.size(); i++) {
            result.count(Field.boundary(i + 1), sizes.get(i));
        }
        return result.build();
    }

    private static long endMicros(EventCodec codec, byte[] window) throws Exception {
        return codec.decode(window, WindowStat.class).getWindowEndMicros();
    }

    @Override
    public void processBroadcastElement(InboundRecord record, Context context, Collector<OutboundRecord> out)
            throws Exception {
        working().settings.take(record, context.getBroadcastState(LiveSettings.STATE));
    }

    private Working working() {
        return Objects.requireNonNull(working, "used before open()");
    }
}
