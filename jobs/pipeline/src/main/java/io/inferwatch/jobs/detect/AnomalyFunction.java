package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.anomaly.AnomalyDetector;
import io.inferwatch.analytics.anomaly.AnomalyRule;
import io.inferwatch.analytics.anomaly.Judgement;
import io.inferwatch.analytics.anomaly.State;
import io.inferwatch.influx.Field;
import io.inferwatch.influx.Measurement;
import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.AnomalySetting;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReadOnlyBroadcastState;
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
 * Judges each minute of a series by what the series was before ({@link AnomalyDetector}), statistic by statistic. The main output are results; how each statistic stands goes to where all
 * series are looked at together. A series without windows is told to be stale, once, when event time has passed {@link AnomalyRule.Alarms#staleWindows()} of them.
 *
 * <p>State by series: a detector for each statistic, 11 to 32 kB, and the last window without its metrics. All is forgotten {@value #KEEP_DAYS} days after the last window, which is the season
 * that is learned.
 */
final class AnomalyFunction extends KeyedBroadcastProcessFunction<String, Member, InboundRecord, OutboundRecord> {
    private static final long serialVersionUID = 1;
    private static final int KEEP_DAYS = 7;
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final long MINUTE_MILLIS = MINUTE.toMillis();
    private static final long KEEP_MILLIS = Duration.ofDays(KEEP_DAYS).toMillis();

    /** By the end of this window a series that has none is stale. */
    private static final long SILENCE_MILLIS = (AnomalyRule.STANDARD.alarms().staleWindows() + 1) * MINUTE_MILLIS;

    /** How each statistic stands. */
    static final OutputTag<Standing> STANDINGS = new OutputTag<>("anomaly-standings") {};

    private final String catalogueYaml;
    private transient @Nullable Working working;

    private record Working(
            MetricCatalogue catalogue,
            LiveSettings settings,
            EventCodec codec,
            Map<String, List<FollowedSeries>> byView,
            Forests forests,
            MapState<String, byte[]> detectors,
            ValueState<byte[]> last,
            Counter judged,
            Counter repeats,
            Counter stale) {}

    AnomalyFunction(String catalogueYaml) {
        this.catalogueYaml = catalogueYaml;
    }

    @Override
    public void open(OpenContext context) {
        MetricCatalogue catalogue = MetricCatalogue.parse("metric catalogue", catalogueYaml);
        var runtime = getRuntimeContext();
        var metrics = runtime.getMetricGroup();
        var bytes = PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;
        working = new Working(
                catalogue,
                new LiveSettings(catalogue, metrics),
                new EventCodec(),
                FollowedSeries.byView(catalogue),
                new Forests(metrics),
                runtime.getMapState(new MapStateDescriptor<>("detectors", Types.STRING, bytes)),
                runtime.getState(new ValueStateDescriptor<>("last-window", bytes)),
                metrics.counter("anomaly_windows_judged_total"),
                metrics.counter("anomaly_windows_repeated_total"),
                metrics.counter("anomaly_series_stale_total"));
    }

    @Override
    public void processElement(Member member, ReadOnlyContext context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        WindowStat window = w.codec.decode(member.content(), WindowStat.class);
        WindowStat before = last();
        if (before != null && window.getWindowEndMicros() <= before.getWindowEndMicros()) {
            w.repeats.inc();
            return;
        }
        Configuration configuration = w.settings.present(context.getBroadcastState(LiveSettings.STATE));
        for (FollowedSeries followed : w.byView.getOrDefault(window.getView(), List.of())) {
            AnomalySetting setting = configuration.anomaly(followed.watch());
            Optional<FollowedSeries.Reading> reading =
                    setting.mode() == AnomalySetting.Mode.UNWATCHED ? Optional.empty() : followed.reading(window);
            if (reading.isPresent()) {
                judge(followed, window, reading.get(), setting, context, out);
            }
        }
        w.last.update(w.codec.encode(WindowStat.newBuilder(window)
                .setSums(List.of())
                .setSketches(List.of())
                .setGauges(List.of())
                .build()));
        long endMillis = window.getWindowEndMicros() / 1_000;
        context.timerService().registerEventTimeTimer(endMillis + SILENCE_MILLIS);
        context.timerService().registerEventTimeTimer(forgetAt(endMillis));
    }

    private void judge(
            FollowedSeries followed,
            WindowStat window,
            FollowedSeries.Reading reading,
            AnomalySetting setting,
            ReadOnlyContext context,
            Collector<OutboundRecord> out)
            throws Exception {
        Working w = working();
        String name = followed.watch().toString();
        AnomalyRule rule = AnomalyRules.of(setting);
        byte[] bytes = w.detectors.get(name);
        AnomalyDetector detector = bytes == null
                ? new AnomalyDetector(rule, followed.scale(), MINUTE)
                : AnomalyDetector.ofBytes(bytes, rule);
        boolean wasAnomalous = detector.isAnomalous();
        boolean wasTold = detector.isTold();
        Optional<Judgement> judged = detector.observe(window.getWindowEndMicros(), reading.value(), reading.n());
        w.detectors.put(name, detector.toBytes());
        OptionalDouble forest = w.forests.score(context.getCurrentKey() + ' ' + name, reading.value(), setting);
        if (judged.isEmpty()) {
            return;
        }
        w.judged.inc();
        Judgement judgement = judged.get();
        boolean isTold = detector.isTold();
        boolean isPromoted = setting.mode() == AnomalySetting.Mode.PROMOTED;
        FigureBuilder result = result(followed, window, window.getWindowEndMicros(), judgement.state())
                .value(Field.OBSERVED, reading.value())
                .count(Field.TOLD, isTold ? 1 : 0)
                .count(Field.PROMOTED, isPromoted ? 1 : 0)
                .count(Field.ACCEPTED, judgement.accepted() ? 1 : 0);
        judgement.evidence().ifPresent(evidence -> result.value(Field.SCORE, judgement.score())
                .value(Field.CHANCE, judgement.p())
                .value(Field.EXPECTED_LOW, evidence.expectedLow())
                .value(Field.EXPECTED_HIGH, evidence.expectedHigh())
                .text(Field.CHANNEL, evidence.sense().name()));
        forest.ifPresent(score -> result.value(Field.FOREST_SCORE, score));
        byte[] encoded = send(result.build(), out);
        if (judgement.state() != State.LEARNING) {
            context.output(
                    STANDINGS,
                    new Standing(
                            window.getSeries(),
                            name,
                            Standing.labels(window),
                            window.getWindowEndMicros() / 1_000,
                            detector.isAnomalous(),
                            wasAnomalous && !detector.isAnomalous(),
                            isTold,
                            wasTold && isTold,
                            isPromoted,
                            detector.isAnomalous() ? encoded : Standing.NOTHING));
        }
    }

    private static FigureBuilder result(FollowedSeries followed, WindowStat window, long endMicros, State state) {
        return new FigureBuilder(
                        Measurement.ANOMALY,
                        window.getView(),
                        followed.tags(window),
                        window.getWindowMicros(),
                        endMicros)
                .text(Field.STATE, state.name())
                .text(Field.UNIT, followed.unit());
    }

    private byte[] send(FigureResult result, Collector<OutboundRecord> out) {
        byte[] encoded = working().codec.encode(result);
        String key = result.getKind()
                + '/'
                + result.getDimensions().stream().map(Dimension::getValue).collect(Collectors.joining("/"));
        out.collect(
                new OutboundRecord(key.getBytes(StandardCharsets.UTF_8), encoded, result.getWindowEndMicros() / 1_000));
        return encoded;
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        WindowStat last = last();
        if (last == null) {
            return;
        }
        long lastMillis = last.getWindowEndMicros() / 1_000;
        // With the end of an input that has one all timers are due: that is no silence.
        boolean isSilent = context.timerService().currentWatermark() < Long.MAX_VALUE;
        if (isSilent && timestamp == lastMillis + SILENCE_MILLIS) {
            tellStale(last, timestamp * 1_000, context.getBroadcastState(LiveSettings.STATE), out);
        }
        if (timestamp >= forgetAt(lastMillis)) {
            w.detectors.clear();
            w.last.clear();
        }
    }

    private void tellStale(
            WindowStat last,
            long nowMicros,
            ReadOnlyBroadcastState<String, byte[]> settings,
            Collector<OutboundRecord> out)
            throws Exception {
        Working w = working();
        w.stale.inc();
        Configuration configuration = w.settings.present(settings);
        for (FollowedSeries followed : w.byView.getOrDefault(last.getView(), List.of())) {
            boolean isWatched = configuration.anomaly(followed.watch()).mode() != AnomalySetting.Mode.UNWATCHED;
            if (isWatched && w.detectors.contains(followed.watch().toString())) {
                send(result(followed, last, nowMicros, State.STALE).build(), out);
            }
        }
    }

    private static long forgetAt(long endMillis) {
        long day = Duration.ofDays(1).toMillis();
        return (endMillis + KEEP_MILLIS) / day * day + day;
    }

    private @Nullable WindowStat last() throws Exception {
        Working w = working();
        byte[] bytes = w.last.value();
        return bytes == null ? null : w.codec.decode(bytes, WindowStat.class);
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
