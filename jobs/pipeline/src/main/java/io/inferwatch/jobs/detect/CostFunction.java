package io.inferwatch.jobs.detect;

import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.PriceRule;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * What each model cost, window by window, by the prices that hold when event time has passed it. Parts are added up as they come; one that comes after its window was told is counted
 * and left out. State by model: the sums of open windows, one for each version and product and each tenant.
 */
final class CostFunction extends KeyedBroadcastProcessFunction<String, CostPart, InboundRecord, OutboundRecord> {
    private static final long serialVersionUID = 1;

    private final String catalogueYaml;
    private transient @Nullable Working working;

    private record Working(
            LiveSettings settings,
            EventCodec codec,
            MapState<String, CostPart> open,
            Counter computed,
            Counter outOfOrder,
            Counter unpriced) {}

    CostFunction(String catalogueYaml) {
        this.catalogueYaml = catalogueYaml;
    }

    @Override
    public void open(OpenContext context) {
        MetricCatalogue catalogue = MetricCatalogue.parse("metric catalogue", catalogueYaml);
        var runtime = getRuntimeContext();
        var metrics = runtime.getMetricGroup();
        working = new Working(
                new LiveSettings(catalogue, metrics),
                new EventCodec(),
                runtime.getMapState(new MapStateDescriptor<>("open", Types.STRING, TypeInformation.of(CostPart.class))),
                metrics.counter("cost_figures_total"),
                metrics.counter("windows_out_of_order_total"),
                metrics.counter("products_without_price_total"));
    }

    @Override
    public void processElement(CostPart part, ReadOnlyContext context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        long endMillis = part.endMicros() / 1_000;
        if (endMillis <= context.timerService().currentWatermark()) {
            w.outOfOrder.inc();
            return;
        }
        CostPart before = w.open.get(part.key());
        w.open.put(part.key(), before == null ? part : before.plus(part));
        context.timerService().registerEventTimeTimer(endMillis);
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        Collection<PriceRule> prices = w.settings
                .present(context.getBroadcastState(LiveSettings.STATE))
                .prices()
                .values();
        Map<Long, List<CostPart>> byLength = new TreeMap<>();
        for (Map.Entry<String, CostPart> entry : w.open.entries()) {
            if (entry.getValue().endMicros() / 1_000 <= timestamp) {
                byLength.computeIfAbsent(entry.getValue().windowMicros(), length -> new ArrayList<>())
                        .add(entry.getValue());
            }
        }
        for (List<CostPart> parts : byLength.values()) {
            CostFigures.Told told = CostFigures.of(parts, prices);
            w.unpriced.inc(told.unpriced());
            for (FigureResult result : told.results()) {
                w.computed.inc();
                String key = result.getKind() + '/' + result.getDimensions();
                out.collect(
                        new OutboundRecord(key.getBytes(StandardCharsets.UTF_8), w.codec.encode(result), timestamp));
            }
            for (CostPart part : parts) {
                w.open.remove(part.key());
            }
        }
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
