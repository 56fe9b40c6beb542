package io.inferwatch.jobs.detect;

import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Setting;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.metrics.groups.InternalOperatorMetricGroup;
import org.apache.flink.runtime.metrics.util.InterceptingOperatorMetricGroup;
import org.apache.flink.runtime.metrics.util.InterceptingTaskMetricGroup;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.streaming.api.operators.co.CoBroadcastWithKeyedOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;

/** A function that takes settings, and what it counts, which Flink's own harness for broadcasts does not show. */
@SuppressWarnings("try") // Flink's harness, whose close() is interruptible
final class CountedHarness<IN> extends AbstractStreamOperatorTestHarness<OutboundRecord> {
    private final CoBroadcastWithKeyedOperator<String, IN, InboundRecord, OutboundRecord> function;
    private final InterceptingOperatorMetricGroup metrics;

    static <IN> CountedHarness<IN> of(
            KeyedBroadcastProcessFunction<String, IN, InboundRecord, OutboundRecord> function,
            KeySelector<IN, String> key) {
        try {
            return new CountedHarness<>(
                    new CoBroadcastWithKeyedOperator<>(function, List.of(LiveSettings.STATE)),
                    key,
                    new InterceptingOperatorMetricGroup());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private CountedHarness(
            CoBroadcastWithKeyedOperator<String, IN, InboundRecord, OutboundRecord> operator,
            KeySelector<IN, String> key,
            InterceptingOperatorMetricGroup metrics)
            throws Exception {
        super(operator, environment(metrics));
        this.function = operator;
        this.metrics = metrics;
        config.setStatePartitioner(0, key);
        config.setStateKeySerializer(Types.STRING.createSerializer(new SerializerConfigImpl()));
        config.serializeAllConfigs();
    }

    private static MockEnvironment environment(InterceptingOperatorMetricGroup metrics) {
        return new MockEnvironmentBuilder()
                .setMetricGroup(new InterceptingTaskMetricGroup() {
                    @Override
                    public InternalOperatorMetricGroup getOrAddOperator(
                            OperatorID id, String name, Map<String, String> variables) {
                        return metrics;
                    }
                })
                .build();
    }

    void process(IN element) throws Exception {
        StreamRecord<IN> record = new StreamRecord<>(element);
        function.setKeyContextElement1(record);
        function.processElement1(record);
    }

    void set(String kind, String name, String body) throws Exception {
        function.processElement2(new StreamRecord<>(new InboundRecord(
                "config",
                0,
                0,
                0,
                (kind + '/' + name).getBytes(StandardCharsets.UTF_8),
                new EventCodec().encode(new Setting(kind, name, 0L, body)))));
    }

    void passTo(long watermarkMillis) throws Exception {
        function.processWatermark1(new Watermark(watermarkMillis));
        function.processWatermark2(new Watermark(watermarkMillis));
    }

    long counter(String name) {
        return ((Counter) Objects.requireNonNull(metrics.get(name))).getCount();
    }

    int stateEntries() {
        return ((HeapKeyedStateBackend<?>) function.getKeyedStateBackend()).numKeyValueStateEntries();
    }
}
