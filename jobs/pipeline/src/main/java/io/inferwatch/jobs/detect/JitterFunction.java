package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.graphs.CaptureArm;
import io.inferwatch.analytics.graphs.CaptureCounts;
import io.inferwatch.analytics.graphs.CaptureWindow;
import io.inferwatch.analytics.graphs.JitterStudy;
import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.catalogue.ExperimentRule;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Says of a model with every full hour whether captures of CUDA graphs failed where batches were restless, over the day before: replicas in
 * windows of ten minutes, each compared with itself. What was observed is never called a cause; where the configuration says that a policy was dealt
 * out at random, its replicas are compared with the others instead. State by model: a day of windows of each of its
 * replicas, a hundred bytes each.
 */
final class JitterFunction extends KeyedBroadcastProcessFunction<String, CaptureMinute, InboundRecord, OutboundRecord> {
    private static final long serialVersionUID = 1;
    static final long HOUR_MICROS = Duration.ofHours(1).toSeconds() * 1_000_000;
    private static final long DAY_MICROS = 24 * HOUR_MICROS;

    private final String catalogueYaml;
    private transient @Nullable Working working;

    private record Working(
            LiveSettings settings, EventCodec codec, MapState<String, byte[]> windows, Counter studies) {}

    JitterFunction(String catalogueYaml) {
        this.catalogueYaml = catalogueYaml;
    }

    @Override
    public void open(OpenContext context) {
        var runtime = getRuntimeContext();
        working = new Working(
                new LiveSettings(MetricCatalogue.parse("metric catalogue", catalogueYaml), runtime.getMetricGroup()),
                new EventCodec(),
                runtime.getMapState(new MapStateDescriptor<>(
                        "windows", Types.STRING, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)),
                runtime.getMetricGroup().counter("jitter_studies_total"));
    }

    @Override
    public void processElement(CaptureMinute minute, ReadOnlyContext context, Collector<OutboundRecord> out)
            throws Exception {
        Working w = working();
        long number = TenMinutes.numberOf(minute.endMicros());
        String key = number + "/" + minute.replica();
        byte[] before = w.windows.get(key);
        TenMinutes window = before == null ? TenMinutes.begun(number, minute.replica()) : TenMinutes.read(before);
        w.windows.put(key, window.plus(minute).write());
        long hourEnd = Math.floorDiv(minute.endMicros() + HOUR_MICROS - 1, HOUR_MICROS) * HOUR_MICROS;
        context.timerService().registerEventTimeTimer(hourEnd / 1_000);
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        long endMicros = timestamp * 1_000;
        Map<String, List<CaptureWindow>> byReplica = new TreeMap<>();
        List<String> old = new ArrayList<>();
        for (Map.Entry<String, byte[]> entry : w.windows.entries()) {
            TenMinutes window = TenMinutes.read(entry.getValue());
            if (window.endMicros() <= endMicros - DAY_MICROS) {
                old.add(entry.getKey());
            } else if (window.endMicros() <= endMicros) {
                window.captureWindow().ifPresent(one -> byReplica
                        .computeIfAbsent(window.replica(), replica -> new ArrayList<>())
                        .add(one));
            }
        }
        for (String key : old) {
            w.windows.remove(key);
        }
        byReplica.values().forEach(windows -> windows.sort(Comparator.comparingLong(CaptureWindow::number)));
        if (!byReplica.isEmpty()) {
            String model = context.getCurrentKey();
            ExperimentRule experiment = w.settings
                    .present(context.getBroadcastState(LiveSettings.STATE))
                    .experiments()
                    .get(model);
            JitterStudy study = experiment == null
                    ? JitterStudy.observed(List.copyOf(byReplica.values()))
                    : randomised(experiment, byReplica);
            FigureResult figures = JitterFigures.of(model, experiment != null, study, endMicros);
            w.studies.inc();
            out.collect(new OutboundRecord(
                    (figures.getKind() + '/' + model).getBytes(StandardCharsets.UTF_8),
                    w.codec.encode(figures),
                    timestamp));
        }
        // At the end of input all timers are due, and more of them would be too.
        if (!w.windows.isEmpty() && context.timerService().currentWatermark() < Long.MAX_VALUE) {
            context.timerService().registerEventTimeTimer(timestamp + HOUR_MICROS / 1_000);
        }
    }

    private static JitterStudy randomised(ExperimentRule experiment, Map<String, List<CaptureWindow>> byReplica) {
        long sinceMicros = ChronoUnit.MICROS.between(Instant.EPOCH, experiment.since());
        return JitterStudy.randomised(
                arm(experiment.baseline(), sinceMicros, byReplica), arm(experiment.changed(), sinceMicros, byReplica));
    }

    private static CaptureArm arm(List<String> replicas, long sinceMicros, Map<String, List<CaptureWindow>> byReplica) {
        return new CaptureArm(replicas.stream()
                .map(replica -> byReplica.getOrDefault(replica, List.of()).stream()
                        .filter(window -> TenMinutes.beginMicros(window.number()) >= sinceMicros)
                        .map(CaptureWindow::lazy)
                        .reduce(CaptureCounts.NONE, CaptureCounts::plus))
                .toList());
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
