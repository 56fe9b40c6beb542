package io.inferwatch.jobs.detect;

import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.slo.SloSpec;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ReadOnlyBroadcastState;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.TimeDomain;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/**
 * Counts each minute of a series for every objective that is promised of it, and says each minute of event time how they stand, whether windows came or
 * not. The main output are results, one an objective and minute.
 *
 * <ul>
 *   <li>A correction of a minute changes budgets for a quarter of an hour; what comes later is counted and left out.
 *   <li>An edit is told at once, not with the next minute; what fires for an objective or a condition that is no more is resolved with it.
 *   <li>Where event time itself stands still for five minutes, no series has windows: that is told as NO_DATA, by the clock, and changes nothing else.
 *   <li>Of a series without windows for a day alerts expire; its budgets are kept until their period is over.
 * </ul>
 *
 * <p>State by series: {@link SloBook}, windows ahead of event time, four numbers.
 */
final class SloFunction extends KeyedBroadcastProcessFunction<String, Member, InboundRecord, OutboundRecord>
        implements CheckpointedFunction {
    private static final long serialVersionUID = 1;

    /** Task of members that come here. */
    static final String TASK = "slo";

    /** Alerts as they change. */
    static final OutputTag<OutboundRecord> ALERTS = new OutputTag<>("slo-alerts") {};

    private static final long MINUTE_MILLIS = Duration.ofMinutes(1).toMillis();
    private static final long EXPIRE_MILLIS = Duration.ofDays(1).toMillis();

    /** Two of these without event time are five minutes, and no false alarm by the one that is overdue when a job comes back. */
    private static final long CHECK_MILLIS = Duration.ofSeconds(150).toMillis();

    private final String catalogueYaml;
    private final PresentSettings settingsAtFirst;
    private transient @Nullable Working working;

    private record Working(
            LiveSettings settings, EventCodec codec, Gathering gathering, SloBook book, ValueState<long[]> clock) {}

    /** Keeps what is promised, from {@code settingsAtFirst} on. */
    SloFunction(String catalogueYaml, PresentSettings settingsAtFirst) {
        this.catalogueYaml = catalogueYaml;
        this.settingsAtFirst = settingsAtFirst;
    }

    @Override
    public void initializeState(FunctionInitializationContext context) throws Exception {
        settingsAtFirst.begin(context, catalogueYaml);
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) {
        // The broadcast state is the operator's.
    }

    @Override
    public void open(OpenContext context) {
        MetricCatalogue catalogue = MetricCatalogue.parse("metric catalogue", catalogueYaml);
        var runtime = getRuntimeContext();
        working = new Working(
                new LiveSettings(catalogue, runtime.getMetricGroup()),
                new EventCodec(),
                new Gathering(runtime),
                new SloBook(runtime, catalogue),
                runtime.getState(
                        new ValueStateDescriptor<>("clock", PrimitiveArrayTypeInfo.LONG_PRIMITIVE_ARRAY_TYPE_INFO)));
    }

    @Override
    public void processElement(Member member, ReadOnlyContext context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        WindowStat window = w.codec.decode(member.content(), WindowStat.class);
        List<Promise> promises = configuration(context).promisesOf(window);
        if (promises.isEmpty()) {
            return;
        }
        if (member.endMicros() / 1_000 > context.timerService().currentWatermark()) {
            // While jobs catch up, minutes come long before their time, and no minute may know of those after it.
            w.gathering.add(member, context.timerService());
        } else {
            w.book.count(promises, window);
        }
        SloClock clock = SloClock.of(w.clock.value());
        long dueMillis = Math.max(member.endMicros() / 1_000, clock.judgedMillis() + MINUTE_MILLIS);
        if (clock.nextMillis() == SloClock.NEVER || clock.nextMillis() > dueMillis) {
            context.timerService().registerEventTimeTimer(dueMillis);
            clock = clock.next(dueMillis);
        }
        if (clock.standing() == SloClock.UNCHECKED) {
            clock = check(clock, context.timerService());
        }
        w.clock.update(clock.toState());
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        SloClock clock = SloClock.of(w.clock.value());
        if (context.timeDomain() == TimeDomain.PROCESSING_TIME) {
            check(clock, context, out);
            return;
        }
        List<Gathering.Group> ended = w.gathering.take(timestamp);
        for (Gathering.Group group : ended) {
            w.book.count(configuration(context).promisesOf(group.any()), group.any());
        }
        if (timestamp == clock.nextMillis() || !ended.isEmpty()) {
            judge(timestamp, clock, context, out);
        }
    }

    @Override
    public void processBroadcastElement(InboundRecord record, Context context, Collector<OutboundRecord> out)
            throws Exception {
        Working w = working();
        w.settings.take(record, context.getBroadcastState(LiveSettings.STATE));
        if (LiveSettings.key(record).startsWith(SloSpec.KIND + "/")) {
            Configuration configuration = w.settings.present(context.getBroadcastState(LiveSettings.STATE));
            SloBook.Told told = new SloBook.Told(out::collect, alert -> context.output(ALERTS, alert));
            context.applyToKeyedState(SloBook.HISTORIES, (series, histories) -> {
                SloClock clock = SloClock.of(w.clock.value());
                if (clock.judgedMillis() != SloClock.NEVER) {
                    w.book.look(configuration, 1_000 * clock.judgedMillis(), told);
                }
            });
        }
    }

    private void judge(long nowMillis, SloClock clock, OnTimerContext context, Collector<OutboundRecord> out)
            throws Exception {
        Working w = working();
        SloBook.Told told = new SloBook.Told(out::collect, alert -> context.output(ALERTS, alert));
        SloBook.Kept kept = w.book.judge(configuration(context), 1_000 * nowMillis, told);
        long silentMillis = nowMillis - kept.newestMicros() / 1_000;
        if (kept.isEmpty()
                || silentMillis >= Math.max(EXPIRE_MILLIS, kept.longest().toMillis())) {
            w.book.clear();
            w.clock.clear();
            return;
        }
        SloClock judged = clock.judged(nowMillis);
        // With the end of an input that has one nothing passes after its last window.
        boolean isOver = context.timerService().currentWatermark() == Long.MAX_VALUE && w.gathering.isEmpty();
        if (silentMillis >= EXPIRE_MILLIS) {
            w.book.expire(1_000 * nowMillis, told);
            judged = judged.next(nowMillis - silentMillis + kept.longest().toMillis());
        } else if (!isOver) {
            judged = judged.next(nowMillis + MINUTE_MILLIS);
        }
        if (judged.nextMillis() != SloClock.NEVER) {
            context.timerService().registerEventTimeTimer(judged.nextMillis());
        }
        w.clock.update(judged.toState());
    }

    /** Whether event time has stood still, by the clock. */
    private void check(SloClock clock, OnTimerContext context, Collector<OutboundRecord> out) throws Exception {
        Working w = working();
        boolean isAwaited =
                clock.nextMillis() != SloClock.NEVER && clock.nextMillis() <= clock.judgedMillis() + MINUTE_MILLIS;
        if (clock.judgedMillis() != SloClock.NEVER && !isAwaited) {
            // Begins again with the next window.
            w.clock.update(clock.unchecked().toState());
            return;
        }
        SloClock checked = check(clock, context.timerService());
        w.clock.update(checked.toState());
        if (checked.standing() >= 2 && clock.judgedMillis() != SloClock.NEVER) {
            long minutes = checked.standing() * CHECK_MILLIS / MINUTE_MILLIS + 1;
            w.book.look(
                    configuration(context),
                    1_000 * (clock.judgedMillis() + minutes * MINUTE_MILLIS),
                    new SloBook.Told(out::collect, alert -> context.output(ALERTS, alert)));
        }
    }

    private static SloClock check(SloClock clock, TimerService timers) {
        timers.registerProcessingTimeTimer(timers.currentProcessingTime() + CHECK_MILLIS);
        return clock.checked();
    }

    private Configuration configuration(ReadOnlyContext context) throws Exception {
        ReadOnlyBroadcastState<String, byte[]> state = context.getBroadcastState(LiveSettings.STATE);
        return working().settings.present(state);
    }

    private Working working() {
        return Objects.requireNonNull(working, "used before open()");
    }
}
