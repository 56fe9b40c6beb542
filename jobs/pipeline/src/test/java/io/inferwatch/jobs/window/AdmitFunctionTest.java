package io.inferwatch.jobs.window;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AdmitFunctionTest {
    private static final long TEN = Instant.parse("2026-01-01T10:00:00Z").toEpochMilli();
    private static final String CATALOGUE = """
            metrics:
              requests: {of: requests, kind: sum, value: "1", unit: requests, help: requests}
            dimensions:
              model: {field: model, limit: 2}
              version: {field: version, limit: 2, per: model}
              replica: {field: replica, limit: 100}
            views:
              model-version: {by: [model, version], max-series: 100}
              version: {by: [version], max-series: 100}
              replica: {by: [replica], max-series: 3}
            """;

    private KeyedOneInputStreamOperatorTestHarness<String, Partial, Partial> harness;

    @BeforeEach
    void open() throws Exception {
        harness = harness();
        harness.open();
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    @Test
    void valuesBeyondTheLimitAreOtherAndAdmittedOnesStay() throws Exception {
        assertThat(send(TEN, "model-version", "a", "v1")).containsExactly("a", "v1");
        assertThat(send(TEN, "model-version", "b", "v1")).containsExactly("b", "v1");
        assertThat(send(TEN, "model-version", "c", "v1")).containsExactly("other", "v1");
        assertThat(send(TEN, "model-version", "a", "v2")).containsExactly("a", "v2");
        assertThat(send(TEN, "model-version", "a", "v3"))
                .as("two versions a model")
                .containsExactly("a", "other");
        assertThat(send(TEN, "model-version", "b", "v3")).containsExactly("b", "v3");
        assertThat(send(TEN, "model-version", "none", "none")).containsExactly("none", "none");
    }

    @Test
    void aLimitThatHangsOnADimensionWhichTheViewLacksHoldsForAllOfItsValues() throws Exception {
        for (int version = 1; version <= 4; version++) {
            assertThat(send(TEN, "version", "v" + version)).containsExactly("v" + version);
        }
        assertThat(send(TEN, "version", "v5")).containsExactly("other");
    }

    @Test
    void seriesBeyondTheViewsLimitGoToTheSeriesOfOther() throws Exception {
        for (int replica = 1; replica <= 3; replica++) {
            assertThat(send(TEN, "replica", "r" + replica)).containsExactly("r" + replica);
        }
        assertThat(send(TEN, "replica", "r4")).containsExactly("other");
        assertThat(send(TEN, "replica", "r2")).containsExactly("r2");
    }

    @Test
    void roomIsGivenAwayFromTheNextFullHourAfterADayOfSilence() throws Exception {
        send(TEN, "model-version", "a", "v1");
        send(TEN, "model-version", "b", "v1");
        long day = Duration.ofHours(24).toMillis();
        assertThat(send(TEN + day + 3_580_000, "model-version", "b", "v1")).containsExactly("b", "v1");
        assertThat(send(TEN + day + 3_580_000, "model-version", "c", "v1"))
                .as("a was last seen 24 hours before this one")
                .containsExactly("other", "v1");
        assertThat(send(TEN + day + 3_601_000, "model-version", "c", "v1")).containsExactly("c", "v1");
        assertThat(send(TEN + day + 3_602_000, "model-version", "a", "v1")).containsExactly("other", "v1");
    }

    @Test
    void whatWasAdmittedIsStillSoAfterARestore() throws Exception {
        send(TEN, "model-version", "a", "v1");
        send(TEN, "model-version", "b", "v1");
        OperatorSubtaskState state = harness.snapshot(1, 1);
        harness.close();
        harness = harness();
        harness.initializeState(state);
        harness.open();
        assertThat(send(TEN, "model-version", "c", "v1")).containsExactly("other", "v1");
        assertThat(send(TEN, "model-version", "b", "v1")).containsExactly("b", "v1");
    }

    private static KeyedOneInputStreamOperatorTestHarness<String, Partial, Partial> harness() throws Exception {
        return new KeyedOneInputStreamOperatorTestHarness<>(
                new KeyedProcessOperator<>(new AdmitFunction(CATALOGUE)), Partial::view, Types.STRING);
    }

    private List<String> send(long atMillis, String view, String... values) throws Exception {
        harness.getOutput().clear();
        harness.processElement(new StreamRecord<>(new Partial(view, values, atMillis + 10_000, new byte[0])));
        return List.of(harness.extractOutputValues().get(0).values());
    }
}
