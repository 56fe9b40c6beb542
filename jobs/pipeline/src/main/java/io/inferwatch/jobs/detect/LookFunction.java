package io.inferwatch.jobs.detect;

import java.util.Objects;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Looks at all series of a minute together, once event time has passed its end: what the anomalous ones have in common, and which are in order again. Says nothing where there is nothing. By
 * the minute's end, so that minutes are spread over tasks and a statistic is only appended. What comes after the look is counted and left out.
 *
 * <p>State by minute: how each statistic stands, some 200 bytes.
 */
final class LookFunction extends KeyedProcessFunction<Long, Standing, Looked> {
    private static final long serialVersionUID = 1;

    private transient @Nullable Working working;

    private record Working(ListState<Standing> standings, Counter outOfOrder) {}

    @Override
    public void open(OpenContext context) {
        var runtime = getRuntimeContext();
        working = new Working(
                runtime.getListState(new ListStateDescriptor<>("standings", TypeInformation.of(Standing.class))),
                runtime.getMetricGroup().counter("anomaly_standings_out_of_order_total"));
    }

    @Override
    public void processElement(Standing standing, Context context, Collector<Looked> out) throws Exception {
        Working w = working();
        if (standing.endMillis() <= context.timerService().currentWatermark()) {
            w.outOfOrder.inc();
            return;
        }
        w.standings.add(standing);
        context.timerService().registerEventTimeTimer(standing.endMillis());
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<Looked> out) throws Exception {
        Working w = working();
        Look look = Look.at(w.standings.get());
        w.standings.clear();
        if (!look.isEmpty()) {
            out.collect(new Looked(timestamp, look.toBytes()));
        }
    }

    private Working working() {
        return Objects.requireNonNull(working, "used before open()");
    }
}
