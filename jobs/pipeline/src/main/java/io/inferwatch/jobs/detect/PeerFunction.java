package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.anomaly.AnomalyRule;
import io.inferwatch.analytics.anomaly.PeerHistory;
import io.inferwatch.analytics.anomaly.PeerJudgement;
import io.inferwatch.analytics.anomaly.PeerRule;
import io.inferwatch.analytics.anomaly.Peers;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.AnomalySetting;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/**
 * Holds series that do the same work against each other ({@link Peers}), minute by minute, once event time has passed its end. The main output are results; how each stands goes to where
 * all series are looked at together. Windows with too few values are left out, as from their own history.
 *
 * <p>State by group: windows that are gathered, 28 bytes for each series and statistic. All is forgotten one to two days after the group's last window.
 */
final class PeerFunction extends KeyedBroadcastProcessFunction<String, Member, InboundRecord, OutboundRecord> {
    private static final long serialVersionUID = 1;
    private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();
    private static final int LEAST_VALUES = AnomalyRule.STANDARD.alarms().leastValues();

    /** How each statistic stands. */
    static final OutputTag<Standing> STANDINGS = new OutputTag<>("peer-standings") {};

    private final String catalogueYaml;
    private transient @Nullable Working working;

    private record Working(
            LiveSettings settings,
            EventCodec codec,
            Map<String, List<FollowedSeries>> byView,
            Gathering gathering,
            MapState<String, byte[]> histories,
            ValueState<Long> forgetAtMillis,
            Counter judged) {}

    PeerFunction(String catalogueYaml) {
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
                FollowedSeries.byView(catalogue),
                new Gathering(runtime),
                runtime.getMapState(new MapStateDescriptor<>(
                        "histories", Types.STRING, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)),
                runtime.getState(new ValueStateDescriptor<>("forget-at", Types.LONG)),
                metrics.counter("peers_judged_total"));
    }

    @Override
    public void processElement(Member member, ReadOnlyContext context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        w.gathering.add(member, context.timerService());
        long forgetAt = (member.endMicros() / 1_000 / DAY_MILLIS + 2) * DAY_MILLIS;
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
            for (FollowedSeries followed : w.byView.getOrDefault(group.any().getView(), List.of())) {
                AnomalySetting setting = configuration.anomaly(followed.watch());
                if (setting.mode() != AnomalySetting.Mode.UNWATCHED
                        && followed.peerRule().isPresent()) {
                    judge(followed, followed.peerRule().get(), group.byArm(), setting, context, out);
                }
            }
        }
        Long forgetAt = w.forgetAtMillis.value();
        if (forgetAt != null && timestamp >= forgetAt) {
            w.histories.clear();
            w.forgetAtMillis.clear();
        }
    }

    private void judge(
            FollowedSeries followed,
            PeerRule rule,
            Map<String, WindowStat> byArm,
            AnomalySetting setting,
            OnTimerContext context,
            Collector<OutboundRecord> out)
            throws Exception {
        Working w = working();
        Map<String, Double> values = new TreeMap<>();
        Map<String, PeerHistory> histories = new TreeMap<>();
        for (Map.Entry<String, WindowStat> arm : byArm.entrySet()) {
            followed.reading(arm.getValue())
                    .filter(reading ->
                            reading.n() >= LEAST_VALUES && followed.scale().holds(reading.value()))
                    .ifPresent(reading -> values.put(arm.getKey(), reading.value()));
            byte[] bytes = w.histories.get(arm.getKey() + ' ' + followed.watch());
            if (bytes != null) {
                histories.put(arm.getKey(), PeerHistory.ofBytes(bytes));
            }
        }
        Peers peers = Peers.judge(values, histories, followed.scale(), rule);
        for (Map.Entry<String, PeerJudgement> judged : peers.replicas().entrySet()) {
            w.judged.inc();
            PeerJudgement judgement = judged.getValue();
            w.histories.put(
                    judged.getKey() + ' ' + followed.watch(),
                    judgement.history().toBytes());
            WindowStat window = byArm.get(judged.getKey());
            boolean wasStraggler =
                    histories.getOrDefault(judged.getKey(), PeerHistory.NONE).isStraggler();
            if (window != null && judgement.history().windows() >= rule.learnWindows()) {
                tell(followed, window, judgement, wasStraggler, setting, context, out);
            }
        }
    }

    private void tell(
            FollowedSeries followed,
            WindowStat window,
            PeerJudgement judgement,
            boolean wasStraggler,
            AnomalySetting setting,
            OnTimerContext context,
            Collector<OutboundRecord> out) {
        boolean isStraggler = judgement.history().isStraggler();
        boolean isPromoted = setting.mode() == AnomalySetting.Mode.PROMOTED;
        long endMillis = window.getWindowEndMicros() / 1_000;
        byte[] result = working()
                .codec
                .encode(new FigureBuilder(
                                Measurement.STRAGGLER,
                                window.getView(),
                                followed.tags(window),
                                window.getWindowMicros(),
                                window.getWindowEndMicros())
                        .value(Field.SCORE, judgement.score())
                        .value(Field.OBSERVED, judgement.observed())
                        .value(Field.PEERS, judgement.peers())
                        .value(Field.USUAL, judgement.expected())
                        .count(Field.TOLD, isStraggler ? 1 : 0)
                        .count(Field.PROMOTED, isPromoted ? 1 : 0)
                        .text(Field.UNIT, followed.unit())
                        .build());
        String name = followed.watch() + " among peers";
        out.collect(new OutboundRecord(
                (window.getSeries() + ' ' + name).getBytes(StandardCharsets.UTF_8), result, endMillis));
        context.output(
                STANDINGS,
                new Standing(
                        window.getSeries(),
                        name,
                        Standing.labels(window),
                        endMillis,
                        isStraggler,
                        wasStraggler && !isStraggler,
                        isStraggler,
                        wasStraggler && isStraggler,
                        isPromoted,
                        isStraggler ? result : Standing.NOTHING));
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
