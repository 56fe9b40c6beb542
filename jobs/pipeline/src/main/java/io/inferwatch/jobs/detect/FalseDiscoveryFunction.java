package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.drift.FalseDiscovery;
import io.inferwatch.schemas.DriftResult;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Judgement;
import io.inferwatch.schemas.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the share of false alarms among all alarms of a window at 5 %, however many keys are judged: a family is the keys of one view,
 * one statistic and one end. DRIFT of a key whose adjusted p is above that becomes INCONCLUSIVE. Waits until event time has passed the
 * window's end; a verdict that comes later is held against the least p that was turned down.
 *
 * <p>State by family: its candidates until the end, then one number for {@value #KEEP_MINUTES} minutes.
 */
final class FalseDiscoveryFunction extends KeyedProcessFunction<String, Candidate, Candidate> {
    private static final long serialVersionUID = 1;
    private static final int KEEP_MINUTES = 30;

    private transient @Nullable Working working;

    private record Working(
            EventCodec codec,
            ListState<Candidate> waiting,
            ValueState<Double> cutoff,
            Counter turnedDown,
            Counter late) {}

    @Override
    public void open(OpenContext context) {
        var runtime = getRuntimeContext();
        working = new Working(
                new EventCodec(),
                runtime.getListState(new ListStateDescriptor<>("waiting", TypeInformation.of(Candidate.class))),
                runtime.getState(new ValueStateDescriptor<>("cutoff", Types.DOUBLE)),
                runtime.getMetricGroup().counter("drift_turned_down_total"),
                runtime.getMetricGroup().counter("verdicts_late_total"));
    }

    @Override
    public void processElement(Candidate candidate, Context context, Collector<Candidate> out) throws Exception {
        Working w = working();
        Double cutoff = w.cutoff.value();
        if (cutoff != null) {
            w.late.inc();
            out.collect(withQ(candidate, candidate.p() <= cutoff ? FalseDiscovery.SHARE : 1));
            return;
        }
        w.waiting.add(candidate);
        context.timerService().registerEventTimeTimer(candidate.endMillis());
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<Candidate> out) throws Exception {
        Working w = working();
        if (w.cutoff.value() != null) {
            w.cutoff.clear();
            return;
        }
        List<Candidate> all = new ArrayList<>();
        w.waiting.get().forEach(all::add);
        w.waiting.clear();
        List<Candidate> tested = all.stream().filter(Candidate::isTested).toList();
        double[] q = FalseDiscovery.adjusted(
                tested.stream().mapToDouble(Candidate::p).toArray());
        double cutoff = 0;
        for (int i = 0; i < q.length; i++) {
            if (q[i] <= FalseDiscovery.SHARE) {
                cutoff = Math.max(cutoff, tested.get(i).p());
            }
            out.collect(withQ(tested.get(i), q[i]));
        }
        for (Candidate candidate : all) {
            if (!candidate.isTested()) {
                out.collect(candidate);
            }
        }
        w.cutoff.update(cutoff);
        context.timerService()
                .registerEventTimeTimer(
                        timestamp + Duration.ofMinutes(KEEP_MINUTES).toMillis());
    }

    private Candidate withQ(Candidate candidate, double q) throws Exception {
        Working w = working();
        if (!candidate.isTested()) {
            return candidate;
        }
        DriftResult result = w.codec.decode(candidate.result(), DriftResult.class);
        Judgement server = result.getAdjusted() == null ? result.getRaw() : result.getAdjusted();
        server.setQ(q);
        if (server.getVerdict() == Verdict.DRIFT && q > FalseDiscovery.SHARE) {
            server.setVerdict(Verdict.INCONCLUSIVE);
            w.turnedDown.inc();
        }
        return new Candidate(
                candidate.family(), candidate.key(), candidate.endMillis(), candidate.p(), w.codec.encode(result));
    }

    private Working working() {
        return Objects.requireNonNull(working, "used before open()");
    }
}
