package io.inferwatch.jobs.detect;

import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.catalogue.FigureRule;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/** Computes the catalogue's figures of each group of windows, once event time has passed their end. State: the windows of open groups. */
final class FigureFunction extends KeyedProcessFunction<String, Member, OutboundRecord> {
    private static final long serialVersionUID = 1;

    private final String catalogueYaml;
    private transient @Nullable Working working;

    private record Working(EventCodec codec, Map<String, FigureRule> rules, Gathering gathering, Counter computed) {}

    FigureFunction(String catalogueYaml) {
        this.catalogueYaml = catalogueYaml;
    }

    @Override
    public void open(OpenContext context) {
        MetricCatalogue catalogue = MetricCatalogue.parse("metric catalogue", catalogueYaml);
        Map<String, FigureRule> rules = new HashMap<>();
        catalogue.figures().forEach(rule -> rules.put(rule.name(), rule));
        var runtime = getRuntimeContext();
        working = new Working(
                new EventCodec(),
                rules,
                new Gathering(runtime),
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
            FigureRule rule = w.rules.get(group.task());
            if (rule == null) {
                // A savepoint may hold windows of figures that the catalogue no longer has.
                continue;
            }
            String key = rule.kind().measurement() + '/' + group.any().getSeries();
            for (FigureResult figures : compute(rule.kind(), group)) {
                w.computed.inc();
                out.collect(
                        new OutboundRecord(key.getBytes(StandardCharsets.UTF_8), w.codec.encode(figures), timestamp));
            }
        }
    }

    private static Iterable<FigureResult> compute(FigureRule.Kind kind, Gathering.Group group) {
        return switch (kind) {
            case STAGE -> StageFigures.of(group.any());
            case PROMPT_SHAPE -> PromptShapeFigures.of(group.byArm());
            case KV_JOINT -> KvJointFigures.of(group.byArm());
            case MEMORY, KV_CACHE, PADDING -> throw new IllegalStateException(kind + " goes on from windows before");
        };
    }

    private Working working() {
        return Objects.requireNonNull(working, "used before open()");
    }
}
