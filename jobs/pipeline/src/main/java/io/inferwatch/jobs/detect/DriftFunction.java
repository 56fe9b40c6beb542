package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.drift.DriftHistory;
import io.inferwatch.analytics.drift.DriftRule;
import io.inferwatch.analytics.drift.PastPool;
import io.inferwatch.analytics.drift.Sample;
import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.catalogue.Ratio;
import io.inferwatch.schemas.catalogue.View;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReadOnlyBroadcastState;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Judges each minute of a group against the group's own past, for every statistic that is watched. A group is one series, judged when
 * its window comes; or, in a view that knows the traffic's mix, the series of all kinds of traffic together, gathered until event time
 * has passed the window's end.
 *
 * <p>State by group: a {@link DriftHistory} and up to 48 {@link HourPools} a statistic, the tail counts of the panes of the minute that
 * runs, and windows that are gathered.
 */
final class DriftFunction extends KeyedBroadcastProcessFunction<String, Member, InboundRecord, Candidate> {
    private static final long serialVersionUID = 1;
    private static final Duration WINDOW = Duration.ofNanos(1_000 * RouteFunction.MINUTE_MICROS);

    private final String catalogueYaml;
    private transient @Nullable Working working;

    private record Working(
            MetricCatalogue catalogue,
            LiveSettings settings,
            EventCodec codec,
            DriftResults results,
            Map<String, List<WatchedStatistic>> watchedByView,
            MapState<String, byte[]> histories,
            MapState<String, byte[]> hourPools,
            MapState<String, Integer> tailBuckets,
            MapState<String, long[]> panes,
            Gathering gathering,
            Counter judged,
            Counter repeats) {}

    DriftFunction(String catalogueYaml) {
        this.catalogueYaml = catalogueYaml;
    }

    @Override
    public void open(OpenContext context) {
        MetricCatalogue catalogue = MetricCatalogue.parse("metric catalogue", catalogueYaml);
        var runtime = getRuntimeContext();
        var bytes = PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;
        working = new Working(
                catalogue,
                new LiveSettings(catalogue, runtime.getMetricGroup()),
                new EventCodec(),
                new DriftResults(),
                watched(catalogue),
                runtime.getMapState(new MapStateDescriptor<>("histories", Types.STRING, bytes)),
                runtime.getMapState(new MapStateDescriptor<>("hour-pools", Types.STRING, bytes)),
                runtime.getMapState(new MapStateDescriptor<>("tail-buckets", Types.STRING, Types.INT)),
                runtime.getMapState(new MapStateDescriptor<>(
                        "panes", Types.STRING, PrimitiveArrayTypeInfo.LONG_PRIMITIVE_ARRAY_TYPE_INFO)),
                new Gathering(runtime),
                runtime.getMetricGroup().counter("windows_judged_total"),
                runtime.getMetricGroup().counter("windows_repeated_total"));
    }

    private static Map<String, List<WatchedStatistic>> watched(MetricCatalogue catalogue) {
        Map<String, List<WatchedStatistic>> watched = new HashMap<>();
        for (View view : catalogue.views()) {
            if (view.drift()) {
                watched.put(
                        view.name(),
                        catalogue.drift().of().stream()
                                .map(watch -> WatchedStatistic.of(watch, catalogue))
                                .filter(statistic -> isKept(view, statistic, catalogue))
                                .toList());
            }
        }
        return watched;
    }

    private static boolean isKept(View view, WatchedStatistic statistic, MetricCatalogue catalogue) {
        Ratio ratio = statistic.ratio();
        List<String> metrics =
                ratio == null ? List.of(statistic.watch().metric()) : List.of(ratio.numerator(), ratio.denominator());
        return metrics.stream()
                .allMatch(name -> catalogue.metric(name).filter(view::keeps).isPresent());
    }

    @Override
    public void processElement(Member member, ReadOnlyContext context, Collector<Candidate> out) throws Exception {
        Working w = working();
        if (member.windowMicros() < RouteFunction.MINUTE_MICROS) {
            addPane(decode(member));
        } else if (w.catalogue.view(member.task()).flatMap(View::mix).isPresent()) {
            w.gathering.add(member, context.timerService());
        } else {
            judge(Map.of("", decode(member)), context.getBroadcastState(LiveSettings.STATE), out);
        }
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<Candidate> out) throws Exception {
        for (Gathering.Group group : working().gathering.take(timestamp)) {
            judge(group.byArm(), context.getBroadcastState(LiveSettings.STATE), out);
        }
    }

    @Override
    public void processBroadcastElement(InboundRecord record, Context context, Collector<Candidate> out)
            throws Exception {
        working().settings.take(record, context.getBroadcastState(LiveSettings.STATE));
    }

    private void judge(
            Map<String, WindowStat> byArm, ReadOnlyBroadcastState<String, byte[]> settings, Collector<Candidate> out)
            throws Exception {
        Working w = working();
        WindowStat any = byArm.values().iterator().next();
        Configuration configuration = w.settings.present(settings);
        for (WatchedStatistic watched : watchedBy(any)) {
            Optional<Sample> sample = watched.sample(byArm);
            if (sample.isEmpty()) {
                continue;
            }
            String name = watched.watch().toString();
            byte[] bytes = w.histories.get(name);
            DriftHistory history = bytes == null ? new DriftHistory(WINDOW) : DriftHistory.ofBytes(bytes);
            long end = any.getWindowEndMicros();
            if (end <= history.lastEndMicros()) {
                w.repeats.inc();
                continue;
            }
            givePanes(name, history);
            DriftRule rule =
                    watched.againstPast(configuration.threshold(watched.watch().metric(), w.catalogue));
            DriftHistory.Step step =
                    history.observe(sample.get(), end, hourBaseline(name, end, history), watched.statistic(), rule);
            settle(name, end, step.settled());
            w.histories.put(name, history.toBytes());
            OptionalInt bucket = history.tailBucket();
            if (bucket.isPresent()) {
                w.tailBuckets.put(name, bucket.getAsInt());
            }
            if (step.judged().isPresent()) {
                w.judged.inc();
                out.collect(w.results.candidate(any, watched, step.judged().get(), step.rebased()));
            }
        }
    }

    private void addPane(WindowStat pane) throws Exception {
        Working w = working();
        for (WatchedStatistic watched : watchedBy(pane)) {
            String name = watched.watch().toString();
            Integer bucket = w.tailBuckets.get(name);
            ByteBuffer bytes = watched.sketch(pane);
            if (bucket == null || bytes == null) {
                continue;
            }
            QuantileSketch sketch =
                    SketchEncoding.decode(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
            long[] before = w.panes.get(name);
            long[] panes =
                    Arrays.copyOf(before == null ? new long[0] : before, (before == null ? 0 : before.length) + 3);
            panes[panes.length - 3] = pane.getWindowEndMicros();
            panes[panes.length - 2] = sketch.n();
            panes[panes.length - 1] = sketch.countAbove(bucket);
            w.panes.put(name, panes);
        }
    }

    private void givePanes(String name, DriftHistory history) throws Exception {
        Working w = working();
        long[] panes = w.panes.get(name);
        if (panes != null) {
            for (int i = 0; i < panes.length; i += 3) {
                history.addPane(panes[i], panes[i + 1], panes[i + 2]);
            }
            w.panes.remove(name);
        }
    }

    private Optional<PastPool> hourBaseline(String name, long endMicros, DriftHistory history) throws Exception {
        byte[] bytes = working().hourPools.get(hourKey(name, endMicros));
        return bytes == null
                ? Optional.empty()
                : HourPools.ofBytes(bytes).baseline(HourPools.dayOf(endMicros), history.regimeStartMicros());
    }

    private void settle(String name, long endMicros, PastPool settled) throws Exception {
        if (settled.isEmpty()) {
            return;
        }
        MapState<String, byte[]> pools = working().hourPools;
        String key = hourKey(name, endMicros);
        byte[] bytes = pools.get(key);
        long day = HourPools.dayOf(endMicros);
        HourPools present = bytes == null ? HourPools.empty(day) : HourPools.ofBytes(bytes);
        pools.put(key, present.plus(day, settled).toBytes());
    }

    private static String hourKey(String name, long endMicros) {
        return name + '@' + HourPools.of(endMicros);
    }

    private List<WatchedStatistic> watchedBy(WindowStat window) {
        return working().watchedByView.getOrDefault(window.getView(), List.of());
    }

    private WindowStat decode(Member member) throws UndecodableEventException {
        return working().codec.decode(member.content(), WindowStat.class);
    }

    private Working working() {
        return Objects.requireNonNull(working, "used before open()");
    }
}
