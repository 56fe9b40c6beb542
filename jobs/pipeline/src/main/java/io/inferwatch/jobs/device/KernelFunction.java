package io.inferwatch.jobs.device;

import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.jobs.ingest.Sample;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.KernelProfile;
import io.inferwatch.schemas.UndecodableEventException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Kernel profiles of a replica once the minute in which they were taken is over: caches by the mix of precisions, and each stage as the sources
 * timed it, the latest profile of each source beside those of the others. Profiles that come when their minute is told are counted and left
 * out.
 *
 * <p>State by replica: the profiles of open minutes, and the times of the latest profile of each source, for a week.
 */
final class KernelFunction extends KeyedProcessFunction<String, Sample, OutboundRecord> {
    private static final long serialVersionUID = 1;
    private static final long WEEK_MILLIS = Duration.ofDays(7).toMillis();

    private transient @Nullable Working working;

    private record Working(
            EventCodec codec, ListState<byte[]> open, MapState<String, byte[]> sources, Counter leftOut) {}

    @Override
    public void open(OpenContext context) {
        var runtime = getRuntimeContext();
        working = new Working(
                new EventCodec(),
                runtime.getListState(
                        new ListStateDescriptor<>("open", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)),
                runtime.getMapState(new MapStateDescriptor<>(
                        "sources", Types.STRING, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)),
                runtime.getMetricGroup().counter("kernel_profiles_left_out_total"));
    }

    @Override
    public void processElement(Sample element, Context context, Collector<OutboundRecord> out) throws Exception {
        byte[] value = element.record().value();
        if (value == null) {
            return;
        }
        Working w = working();
        long end = MinuteFigures.endOf(element.atMillis() * 1_000);
        if (end / 1_000 <= context.timerService().currentWatermark()) {
            w.leftOut.inc();
            return;
        }
        w.open.add(value);
        context.timerService().registerEventTimeTimer(end / 1_000);
        context.timerService().registerEventTimeTimer((Math.floorDiv(end / 1_000, WEEK_MILLIS) + 2) * WEEK_MILLIS);
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        List<KernelProfile> ended = new ArrayList<>();
        List<byte[]> later = new ArrayList<>();
        for (byte[] bytes : w.open.get()) {
            KernelProfile profile = decode(w, bytes);
            if (profile.getProfiledAtMicros() <= timestamp * 1_000) {
                ended.add(profile);
            } else {
                later.add(bytes);
            }
        }
        if (!ended.isEmpty()) {
            w.open.update(later);
            KernelFigures.caches(ended).forEach(figures -> out.collect(figures.record(timestamp * 1_000, w.codec)));
            SourceTimes.BySource times = new SourceTimes.BySource();
            for (Map.Entry<String, byte[]> source : w.sources.entries()) {
                times.put(source.getKey(), SourceTimes.read(source.getValue()));
            }
            ended.forEach(times::add);
            for (Map.Entry<String, SourceTimes> source : times.all().entrySet()) {
                w.sources.put(source.getKey(), source.getValue().write());
            }
            KernelFigures.timings(times, ended)
                    .forEach(figures -> out.collect(figures.record(timestamp * 1_000, w.codec)));
        }
        List<String> old = new ArrayList<>();
        for (Map.Entry<String, byte[]> source : w.sources.entries()) {
            if (SourceTimes.read(source.getValue()).atMicros() / 1_000 <= timestamp - WEEK_MILLIS) {
                old.add(source.getKey());
            }
        }
        for (String source : old) {
            w.sources.remove(source);
        }
    }

    private static KernelProfile decode(Working w, byte[] bytes) {
        try {
            return w.codec.decode(bytes, KernelProfile.class);
        } catch (UndecodableEventException e) {
            throw new IllegalStateException("a sample that was decoded before", e);
        }
    }

    private Working working() {
        return Objects.requireNonNull(working, "used before open()");
    }
}
