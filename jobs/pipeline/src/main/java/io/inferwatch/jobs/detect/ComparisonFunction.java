package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.drift.PastPool;
import io.inferwatch.analytics.drift.Sample;
import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.BaselineRule;
import io.inferwatch.schemas.catalogue.GroupingDimension;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
 * Judges each value of a dimension against the baseline's value, all else equal: in the same window, or, pinned, against all minutes of
 * the baseline's value so far. A group's windows are gathered until event time has passed their end. All verdicts of a group's window
 * share the risk of false alarms. The main output are results.
 *
 * <p>What has no value of the dimension, or one beyond its limit, is not judged: it is no one's.
 *
 * <p>State by comparison and group: windows that are gathered; pinned, a pool a statistic, as large as its sketch; three numbers for each
 * value and statistic that may alert, and the alerts that fire. All is forgotten {@value #KEEP_DAYS} days after the group's last window, and with its rule; alerts of
 * values that were not compared for a day expire.
 */
final class ComparisonFunction extends KeyedBroadcastProcessFunction<String, Member, InboundRecord, OutboundRecord> {
    private static final long serialVersionUID = 1;
    private static final int KEEP_DAYS = 30;
    private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();

    /** Alerts as they change. */
    static final OutputTag<OutboundRecord> ALERTS = new OutputTag<>("comparison-alerts") {};

    private final String catalogueYaml;
    private transient @Nullable Working working;

    private record Working(
            MetricCatalogue catalogue,
            LiveSettings settings,
            Gathering gathering,
            ComparisonResults results,
            ValueState<Long> forgetAtMillis,
            MapState<String, byte[]> pinned,
            MapState<String, long[]> confirmations,
            MapState<String, byte[]> firing,
            Counter judged,
            Counter opened,
            Counter closed) {}

    ComparisonFunction(String catalogueYaml) {
        this.catalogueYaml = catalogueYaml;
    }

    @Override
    public void open(OpenContext context) {
        MetricCatalogue catalogue = MetricCatalogue.parse("metric catalogue", catalogueYaml);
        var runtime = getRuntimeContext();
        var metrics = runtime.getMetricGroup();
        working = new Working(
                catalogue,
                new LiveSettings(catalogue, metrics),
                new Gathering(runtime),
                new ComparisonResults(),
                runtime.getState(new ValueStateDescriptor<>("forget-at", Types.LONG)),
                runtime.getMapState(new MapStateDescriptor<>(
                        "pinned", Types.STRING, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)),
                runtime.getMapState(new MapStateDescriptor<>(
                        "confirmations", Types.STRING, PrimitiveArrayTypeInfo.LONG_PRIMITIVE_ARRAY_TYPE_INFO)),
                runtime.getMapState(new MapStateDescriptor<>(
                        "firing", Types.STRING, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)),
                metrics.counter("comparisons_judged_total"),
                metrics.counter("comparison_alerts_opened_total"),
                metrics.counter("comparison_alerts_closed_total"));
    }

    @Override
    public void processElement(Member member, ReadOnlyContext context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        w.gathering.add(member, context.timerService());
        long forgetAt = (member.endMicros() / 1_000 / DAY_MILLIS + 1 + KEEP_DAYS) * DAY_MILLIS;
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
            BaselineRule rule = configuration.baselines().get(group.task());
            if (rule == null) {
                for (String name : firing()) {
                    close(name, AlertState.RESOLVED, 1_000 * timestamp, "is compared no more", context);
                }
                forget();
                continue;
            }
            List<Compared> compared = judge(rule, group.byArm(), configuration);
            Compared.keepShareOfFalseAlarms(compared);
            for (Compared one : compared) {
                w.judged.inc();
                if (rule.alert() && one.result().getWindowMicros() == RouteFunction.MINUTE_MICROS) {
                    confirm(one, context);
                }
                out.collect(w.results.record(one));
            }
        }
        // With the end of an input that has one all timers are due: that is no silence.
        if (context.timerService().currentWatermark() < Long.MAX_VALUE) {
            expire(1_000 * timestamp, context);
        }
        Long forgetAt = w.forgetAtMillis.value();
        if (forgetAt != null && timestamp >= forgetAt) {
            forget();
        }
    }

    @Override
    public void processBroadcastElement(InboundRecord record, Context context, Collector<OutboundRecord> out)
            throws Exception {
        working().settings.take(record, context.getBroadcastState(LiveSettings.STATE));
    }

    private void expire(long nowMicros, OnTimerContext context) throws Exception {
        for (String name : firing()) {
            long silentMicros = nowMicros
                    - Confirmation.of(working().confirmations.get(name)).lastEndMicros();
            if (silentMicros >= 1_000 * DAY_MILLIS) {
                close(name, AlertState.EXPIRED, nowMicros, "was not compared for a day", context);
            }
        }
    }

    private void close(String name, AlertState state, long nowMicros, String why, OnTimerContext context)
            throws Exception {
        Working w = working();
        w.closed.inc();
        context.output(ALERTS, w.results.over(w.firing.get(name), state, nowMicros, name + ' ' + why));
        w.firing.remove(name);
        w.confirmations.remove(name);
    }

    private List<String> firing() throws Exception {
        List<String> names = new ArrayList<>();
        working().firing.keys().forEach(names::add);
        return names;
    }

    private void forget() {
        Working w = working();
        w.pinned.clear();
        w.confirmations.clear();
        w.firing.clear();
        w.forgetAtMillis.clear();
    }

    private List<Compared> judge(BaselineRule rule, Map<String, WindowStat> byArm, Configuration configuration)
            throws Exception {
        Working w = working();
        WindowStat baselineWindow = byArm.get(rule.against());
        List<Compared> compared = new ArrayList<>();
        for (var watch : rule.of()) {
            WatchedStatistic watched = WatchedStatistic.of(watch, w.catalogue);
            Optional<Sample> baseline = sample(watched, baselineWindow);
            if (rule.pinned()) {
                baseline = pinned(rule.against() + ' ' + watch, baseline, baselineWindow);
            }
            if (baseline.isEmpty()) {
                continue;
            }
            double threshold = configuration.threshold(watch.metric(), w.catalogue);
            for (Map.Entry<String, WindowStat> arm : byArm.entrySet()) {
                Optional<Sample> current = sample(watched, arm.getValue());
                if (isSomeones(arm.getKey()) && !arm.getKey().equals(rule.against()) && current.isPresent()) {
                    compared.add(Compared.of(
                            rule,
                            watched,
                            new Compared.Side(arm.getKey(), current.get(), arm.getValue()),
                            new Compared.Side(
                                    rule.against(),
                                    baseline.get(),
                                    baselineWindow == null ? arm.getValue() : baselineWindow),
                            threshold));
                }
            }
        }
        return compared;
    }

    private static Optional<Sample> sample(WatchedStatistic watched, @Nullable WindowStat window) {
        return window == null ? Optional.empty() : watched.sample(Map.of("", window));
    }

    /** Minutes alone are added up: an hour holds the same again. */
    private Optional<Sample> pinned(String name, Optional<Sample> present, @Nullable WindowStat window)
            throws Exception {
        MapState<String, byte[]> pinned = working().pinned;
        byte[] bytes = pinned.get(name);
        PastPool pool = bytes == null ? PastPool.EMPTY : PastPool.ofBytes(bytes);
        if (present.isPresent() && window != null && window.getWindowMicros() == RouteFunction.MINUTE_MICROS) {
            pool = pool.plus(PastPool.of(present.get()));
            pinned.put(name, pool.toBytes());
        }
        return pool.isEmpty() ? Optional.empty() : Optional.of(pool.sample());
    }

    private static boolean isSomeones(String arm) {
        return !arm.equals(GroupingDimension.NONE) && !arm.equals(GroupingDimension.OTHER);
    }

    private void confirm(Compared one, OnTimerContext context) throws Exception {
        Working w = working();
        var result = one.result();
        String name = result.getValue() + ' ' + result.getMetric() + '.' + result.getStatistic();
        Confirmation before = Confirmation.of(w.confirmations.get(name));
        long end = result.getWindowEndMicros();
        Confirmation after = before.after(result.getJudgement().getVerdict(), 1, end - result.getWindowMicros(), end);
        w.confirmations.put(name, after.toState());
        boolean opens = after.isConfirmed();
        result.setDrifting(opens);
        result.setDriftingSinceMicros(opens ? Long.valueOf(after.sinceMicros()) : null);
        if (opens) {
            context.timerService().registerEventTimeTimer((end / 1_000 / DAY_MILLIS + 2) * DAY_MILLIS);
        }
        if (opens != before.isConfirmed()) {
            (opens ? w.opened : w.closed).inc();
            OutboundRecord alert = w.results.alert(one, opens ? after.sinceMicros() : before.sinceMicros(), opens);
            context.output(ALERTS, alert);
            if (opens) {
                w.firing.put(name, alert.value());
            } else {
                w.firing.remove(name);
            }
        }
    }

    private Working working() {
        return Objects.requireNonNull(working, "used before open()");
    }
}
