package io.inferwatch.jobs.detect;

import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/**
 * What the windows of a replica's requests, engine and GPUs say together, once event time has passed their end: how far its scheduler is from
 * an ideal one, and its captures of CUDA graphs beside its batches, which go on to {@link JitterFunction} as well; what its devices did, for {@link CostFunction}, and
 * its tenants' minutes, for {@link TenantFunction}. State by replica: the
 * windows that are open, the shapes that it has run since it came up, and when it was last heard of; forgotten a day after that.
 */
final class ReplicaFunction extends KeyedProcessFunction<String, Member, OutboundRecord> {
    private static final long serialVersionUID = 1;

    /** Task of the members. */
    static final String TASK = "replica";

    /** The views whose windows are put together; all have the dimension replica. */
    static final Set<String> VIEWS = Set.of(
            ReplicaWindows.OF_REQUESTS,
            ReplicaWindows.OF_ENGINE,
            ReplicaWindows.OF_GPUS,
            ReplicaWindows.OF_PRODUCTS,
            ReplicaWindows.OF_OPERATORS,
            ReplicaWindows.OF_TENANTS);

    /** Minutes of captures for the study of their failures. */
    static final OutputTag<CaptureMinute> CAPTURES = new OutputTag<>("captures") {};

    /** What a replica's devices did. */
    static final OutputTag<CostPart> COSTS = new OutputTag<>("costs") {};

    /** Minutes of a replica's tenants. */
    static final OutputTag<TenantMinute> TENANTS = new OutputTag<>("tenants") {};

    private static final long FORGOTTEN_MILLIS = 24 * 60 * 60 * 1_000L;

    private transient @Nullable Working working;

    private record Working(EventCodec codec, Gathering gathering, ValueState<byte[]> memory, Counter computed) {}

    @Override
    public void open(OpenContext context) {
        var runtime = getRuntimeContext();
        working = new Working(
                new EventCodec(),
                new Gathering(runtime),
                runtime.getState(
                        new ValueStateDescriptor<>("memory", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)),
                runtime.getMetricGroup().counter("figures_computed_total"));
    }

    @Override
    public void processElement(Member member, Context context, Collector<OutboundRecord> out) throws Exception {
        working().gathering.add(member, context.timerService());
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        for (Gathering.Group group : w.gathering.take(timestamp)) {
            ReplicaWindows windows = new ReplicaWindows(group.byArm().values());
            CostPart.ofReplica(windows).forEach(part -> context.output(COSTS, part));
            if (group.any().getWindowMicros() == RouteFunction.MINUTE_MICROS) {
                TenantMinute.of(windows).forEach(minute -> context.output(TENANTS, minute));
            }
            if (windows.engine().isEmpty()) {
                continue;
            }
            SchedulerFigures.of(windows).ifPresent(figures -> collect(w, figures, timestamp, out));
            if (group.any().getWindowMicros() == RouteFunction.MINUTE_MICROS) {
                GraphMemory memory = GraphMemory.read(w.memory.value(), timestamp * 1_000);
                GraphFigures.of(windows, memory).ifPresent(told -> {
                    collect(w, told.figures(), timestamp, out);
                    context.output(CAPTURES, CaptureMinute.of(windows, memory, told.newShapes(), told.isLazy()));
                });
                w.memory.update(memory.write());
                context.timerService().registerEventTimeTimer(forgottenAt(timestamp));
            }
        }
        byte[] state = w.memory.value();
        if (state != null && forgottenAt(GraphMemory.read(state, 0).lastEndMicros() / 1_000) <= timestamp) {
            w.memory.clear();
        }
    }

    /** Whole days, so that a replica needs one timer a day. */
    private static long forgottenAt(long millis) {
        return (Math.floorDiv(millis, FORGOTTEN_MILLIS) + 2) * FORGOTTEN_MILLIS;
    }

    private static void collect(Working w, FigureResult figures, long timestamp, Collector<OutboundRecord> out) {
        w.computed.inc();
        String key = figures.getKind() + '/' + figures.getDimensions();
        out.collect(new OutboundRecord(key.getBytes(StandardCharsets.UTF_8), w.codec.encode(figures), timestamp));
    }

    private Working working() {
        return Objects.requireNonNull(working, "used before open()");
    }
}
