package io.inferwatch.jobs.detect;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.WindowStat;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.metrics.groups.InternalOperatorMetricGroup;
import org.apache.flink.runtime.metrics.util.InterceptingOperatorMetricGroup;
import org.apache.flink.runtime.metrics.util.InterceptingTaskMetricGroup;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LookFunctionTest {
    private static final long END = 1_767_571_260_000L;

    private final InterceptingOperatorMetricGroup metrics = new InterceptingOperatorMetricGroup();
    private final KeyedOneInputStreamOperatorTestHarness<Long, Standing, Looked> harness = harness();

    LookFunctionTest() throws Exception {}

    @BeforeEach
    void open() throws Exception {
        harness.open();
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    @Test
    void aMinuteIsLookedAtOnceAllOfItIsThere() throws Exception {
        send("r1", true, false);
        send("r2", false, true);
        send("r3", false, false);
        harness.processWatermark(END - 1);
        assertThat(harness.extractOutputValues()).isEmpty();
        harness.processWatermark(END);

        assertThat(harness.extractOutputValues()).singleElement().satisfies(looked -> {
            assertThat(looked.endMillis()).isEqualTo(END);
            Look look = Look.ofBytes(looked.look());
            assertThat(look.recovered()).containsExactly("replica-version/r2");
            assertThat(look.commons()).singleElement().satisfies(common -> {
                assertThat(common.labels()).isEqualTo("replica=r1\nview=replica-version");
                assertThat(common.of()).isEqualTo(1);
                assertThat(common.series()).containsExactly("replica-version/r1");
                assertThat(common.statistics()).isEqualTo(1);
                assertThat(common.isLasting()).isTrue();
                assertThat(common.isPromoted()).isFalse();
                assertThat(common.shown()).containsExactly(new byte[] {7});
            });
        });
        assertThat(harness.numKeyedStateEntries()).isZero();
    }

    @Test
    void aMinuteInOrderIsNotSpokenOf() throws Exception {
        send("r1", false, false);
        harness.processWatermark(END);
        assertThat(harness.extractOutputValues()).isEmpty();
        assertThat(harness.numKeyedStateEntries()).isZero();
    }

    @Test
    void whatComesAfterTheLookIsCountedAndLeftOut() throws Exception {
        harness.processWatermark(END);
        send("r1", true, false);
        harness.processWatermark(END + 60_000);
        assertThat(harness.extractOutputValues()).isEmpty();
        assertThat(((Counter) metrics.get("anomaly_standings_out_of_order_total")).getCount())
                .isEqualTo(1);
    }

    @Test
    void whatHasNoValueOfADimensionSharesNothingByIt() {
        WindowStat window = WindowStat.newBuilder()
                .setSeries("gpu-device/g/none/n")
                .setView("gpu-device")
                .setDimensions(
                        List.of(new Dimension("gpu", "g=1"), new Dimension("mig", "none"), new Dimension("node", "n")))
                .setWindowMicros(60_000_000)
                .setWindowEndMicros(60_000_000)
                .setRevision(0)
                .setRequests(0)
                .setSums(List.of())
                .setSketches(List.of())
                .setGauges(List.of())
                .build();
        assertThat(Standing.labels(Standing.labels(window)))
                .isEqualTo(Map.of("view", "gpu-device", "gpu", "g=1", "node", "n"));
    }

    private void send(String replica, boolean isOut, boolean isRecovered) throws Exception {
        harness.processElement(new StreamRecord<>(new Standing(
                "replica-version/" + replica,
                "ttft.p50",
                "replica=" + replica + "\nview=replica-version",
                END,
                isOut,
                isRecovered,
                isOut,
                isOut,
                false,
                new byte[] {7})));
    }

    private KeyedOneInputStreamOperatorTestHarness<Long, Standing, Looked> harness() throws Exception {
        return new KeyedOneInputStreamOperatorTestHarness<>(
                new KeyedProcessOperator<>(new LookFunction()),
                Standing::endMillis,
                Types.LONG,
                new MockEnvironmentBuilder()
                        .setMetricGroup(new InterceptingTaskMetricGroup() {
                            @Override
                            public InternalOperatorMetricGroup getOrAddOperator(
                                    OperatorID id, String name, Map<String, String> variables) {
                                return metrics;
                            }
                        })
                        .build());
    }
}
