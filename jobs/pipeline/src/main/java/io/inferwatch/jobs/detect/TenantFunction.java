package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.analytics.tenant.Jitter;
import io.inferwatch.analytics.tenant.NeighbourEffect;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Says of a tenant with every minute how restless its P99 of TTFT was in the last hour, over minutes of at least {@value #MIN_REQUESTS} requests, and what the others' load on its replicas does to its
 * mean, with how far the control groups of its replicas are from their limits. A minute that comes after it was told is counted and left out. State by tenant: an
 * hour of minutes of each replica, with a sketch each.
 */
final class TenantFunction extends KeyedProcessFunction<String, TenantMinute, OutboundRecord> {
    private static final long serialVersionUID = 1;
    private static final int MIN_REQUESTS = 100;
    private static final double MICROS = 1e-6;
    private static final String SECONDS = "seconds";
    private static final long HOUR_MICROS = Duration.ofHours(1).toSeconds() * 1_000_000;

    private transient @Nullable Working working;

    private record Working(
            EventCodec codec, MapState<String, TenantMinute> minutes, Counter computed, Counter outOfOrder) {}

    @Override
    public void open(OpenContext context) {
        var runtime = getRuntimeContext();
        working = new Working(
                new EventCodec(),
                runtime.getMapState(
                        new MapStateDescriptor<>("minutes", Types.STRING, TypeInformation.of(TenantMinute.class))),
                runtime.getMetricGroup().counter("tenant_figures_total"),
                runtime.getMetricGroup().counter("windows_out_of_order_total"));
    }

    @Override
    public void processElement(TenantMinute minute, Context context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        long endMillis = minute.endMicros() / 1_000;
        if (endMillis <= context.timerService().currentWatermark()) {
            w.outOfOrder.inc();
            return;
        }
        w.minutes.put(minute.endMicros() + "/" + minute.replica(), minute);
        context.timerService().registerEventTimeTimer(endMillis);
        // The last of them is forgotten though none follows it.
        context.timerService().registerEventTimeTimer(endMillis + HOUR_MICROS / 1_000);
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        long endMicros = timestamp * 1_000;
        Map<Long, List<TenantMinute>> byEnd = new TreeMap<>();
        List<String> old = new ArrayList<>();
        for (Map.Entry<String, TenantMinute> entry : w.minutes.entries()) {
            TenantMinute minute = entry.getValue();
            if (minute.endMicros() <= endMicros - HOUR_MICROS) {
                old.add(entry.getKey());
            } else if (minute.endMicros() <= endMicros) {
                byEnd.computeIfAbsent(minute.endMicros(), end -> new ArrayList<>())
                        .add(minute);
            }
        }
        for (String key : old) {
            w.minutes.remove(key);
        }
        List<TenantMinute> last = byEnd.getOrDefault(endMicros, List.of());
        Optional<Jitter> jitter = jitter(byEnd);
        Optional<NeighbourEffect> effect = effect(byEnd);
        if (last.isEmpty() || (jitter.isEmpty() && effect.isEmpty())) {
            return;
        }
        FigureBuilder point = new FigureBuilder(
                Measurement.TENANT,
                ReplicaWindows.OF_TENANTS,
                List.of(new Dimension("tenant", context.getCurrentKey())),
                RouteFunction.MINUTE_MICROS,
                endMicros);
        jitter.ifPresent(found -> point.count(Field.JITTER_WINDOWS, found.windows())
                .value(Field.estimate(Field.P99_MEAN, SECONDS), MICROS * found.mean())
                .estimate(Field.P99_JITTER, SECONDS, MICROS, Optional.of(found.deviation())));
        effect.ifPresent(found -> point.count(Field.TENANT_REPLICAS, found.replicas())
                .count(Field.DISTURBED, found.isDisturbed() ? 1 : 0)
                .estimate(Field.NEIGHBOUR_RATIO, Optional.of(found.ratio()))
                .value(Field.NEIGHBOUR_P, found.p())
                .value(Field.NEIGHBOUR_LOAD, found.others()));
        point.value(Field.CGROUP_MEMORY_SHARE, most(last, TenantMinute::memoryShare))
                .value(Field.CGROUP_CPU_SHARE, most(last, TenantMinute::cpuShare))
                .value(Field.CGROUP_THROTTLED_SHARE, most(last, TenantMinute::throttledShare));
        w.computed.inc();
        String key = Measurement.TENANT.measurementName() + '/' + context.getCurrentKey();
        out.collect(new OutboundRecord(key.getBytes(StandardCharsets.UTF_8), w.codec.encode(point.build()), timestamp));
    }

    private static Optional<Jitter> jitter(Map<Long, List<TenantMinute>> byEnd) {
        return Jitter.of(byEnd.values().stream()
                .map(TenantFunction::ttft)
                .filter(ttft -> ttft.n() >= MIN_REQUESTS)
                .mapToDouble(ttft -> ttft.quantile(0.99))
                .toArray());
    }

    /** Of all replicas. */
    private static QuantileSketch ttft(List<TenantMinute> minutes) {
        QuantileSketch all = new QuantileSketch();
        minutes.forEach(minute -> all.merge(SketchEncoding.decode(minute.ttft())));
        return all;
    }

    private static Optional<NeighbourEffect> effect(Map<Long, List<TenantMinute>> byEnd) {
        double perSecond = 1 / (RouteFunction.MINUTE_MICROS * MICROS);
        Map<String, List<NeighbourEffect.Window>> byReplica = new TreeMap<>();
        byEnd.values().forEach(minutes -> minutes.stream()
                .filter(minute -> minute.meanMicros() > 0)
                .forEach(minute -> byReplica
                        .computeIfAbsent(minute.replica(), replica -> new ArrayList<>())
                        .add(new NeighbourEffect.Window(
                                MICROS * minute.meanMicros(),
                                perSecond * minute.othersTokens(),
                                perSecond * minute.tokens()))));
        return NeighbourEffect.of(List.copyOf(byReplica.values()));
    }

    /** Not a number where none tells. */
    private static double most(List<TenantMinute> minutes, ToDoubleFunction<TenantMinute> share) {
        return minutes.stream()
                .mapToDouble(share)
                .filter(Double::isFinite)
                .max()
                .orElse(Double.NaN);
    }

    private Working working() {
        return Objects.requireNonNull(working, "used before open()");
    }
}
