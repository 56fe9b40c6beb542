package io.inferwatch.jobs.alert;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Severity;
import io.inferwatch.schemas.UndecodableEventException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.metrics.groups.InternalOperatorMetricGroup;
import org.apache.flink.runtime.metrics.util.InterceptingOperatorMetricGroup;
import org.apache.flink.runtime.metrics.util.InterceptingTaskMetricGroup;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One alert, whose comings and goings are told in minutes. */
class LifecycleFunctionTest {
    private static final long MINUTE = 60_000_000;

    private final EventCodec codec = new EventCodec();
    private InterceptingOperatorMetricGroup metrics = new InterceptingOperatorMetricGroup();
    private OneInputStreamOperatorTestHarness<OutboundRecord, OutboundRecord> harness;

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
    void eachStateIsToldOnceWithTheBeginningThatItHad() throws Exception {
        raise(AlertState.FIRING, 10, 12);
        raise(AlertState.FIRING, 11, 13);
        raise(AlertState.RESOLVED, 11, 20);
        raise(AlertState.RESOLVED, 11, 21);
        raise(AlertState.FIRING, 90, 92);
        assertThat(told())
                .extracting(Alert::getState, LifecycleFunctionTest::startMinute, LifecycleFunctionTest::changeMinute)
                .containsExactly(
                        tuple(AlertState.FIRING, 10L, 12L),
                        tuple(AlertState.RESOLVED, 10L, 20L),
                        tuple(AlertState.FIRING, 90L, 92L));
        assertThat(counter("alerts_repeated_total")).isEqualTo(2);

        Alert wider = alert(AlertState.FIRING, 91, 95);
        wider.setSummary("too slow, and of more servers");
        raise(wider);
        assertThat(told().get(3).getSummary()).as("more to say").isEqualTo("too slow, and of more servers");
        assertThat(startMinute(told().get(3))).isEqualTo(90);
    }

    @Test
    void theEndHasTheLabelsOfTheBeginning() throws Exception {
        raise(AlertState.FIRING, 10, 12);
        Alert gone = alert(AlertState.EXPIRED, 10, 200);
        gone.setLabels(Map.of());
        gone.setSeverity(Severity.TICKET);
        raise(gone);
        assertThat(told())
                .extracting(Alert::getState, Alert::getLabels, Alert::getSeverity)
                .containsExactly(
                        tuple(AlertState.FIRING, Map.of("model", "m"), Severity.PAGE),
                        tuple(AlertState.EXPIRED, Map.of("model", "m"), Severity.PAGE));
    }

    @Test
    void whatEndsAndWasNeverHeardOfIsTold() throws Exception {
        raise(AlertState.RESOLVED, 10, 20);
        raise(AlertState.RESOLVED, 10, 21);
        assertThat(told()).extracting(Alert::getState).containsExactly(AlertState.RESOLVED);
    }

    @Test
    void whatComesAndGoesIsToldToFireOnceMoreAndToBeOverWhenItHasBeenForHalfAnHour() throws Exception {
        for (int minute = 0; minute < 50; minute += 10) {
            raise(AlertState.FIRING, minute, minute);
            raise(AlertState.RESOLVED, minute, minute + 5);
            pass(minute + 5);
        }
        // 0, 5, 10, and with the fourth turn at 15 it flaps: the ends at 15 and 45 and all between are told to nobody.
        assertThat(told())
                .extracting(Alert::getState, LifecycleFunctionTest::changeMinute)
                .containsExactly(
                        tuple(AlertState.FIRING, 0L), tuple(AlertState.RESOLVED, 5L), tuple(AlertState.FIRING, 10L));
        assertThat(counter("alerts_withheld_total")).isEqualTo(7);
        pass(74);
        assertThat(told()).hasSize(3);
        pass(75);
        assertThat(told()).hasSize(4);
        assertThat(told().get(3).getState()).isEqualTo(AlertState.RESOLVED);
        assertThat(changeMinute(told().get(3))).isEqualTo(45);
        assertThat(startMinute(told().get(3))).as("since it was told to fire").isEqualTo(10);
    }

    @Test
    void whoHearsOfAFlappingAlertIsToldThatItFlaps() throws Exception {
        raise(AlertState.FIRING, 0, 0);
        raise(AlertState.RESOLVED, 0, 10);
        raise(AlertState.FIRING, 20, 20);
        raise(AlertState.EXPIRED, 20, 25);
        raise(AlertState.FIRING, 30, 30);
        assertThat(told().get(3).getState()).as("what expires is over at once").isEqualTo(AlertState.EXPIRED);
        assertThat(told().get(4).getSummary()).isEqualTo("Comes and goes, 5 times within an hour: too slow");
        assertThat(counter("alerts_flapping_total")).isEqualTo(1);
    }

    @Test
    void turnsOfDifferentHoursDoNotMakeItFlap() throws Exception {
        for (int hour = 0; hour < 4; hour++) {
            raise(AlertState.FIRING, hour * 60, hour * 60);
            raise(AlertState.RESOLVED, hour * 60, hour * 60 + 40);
            pass(hour * 60 + 40);
        }
        assertThat(told()).hasSize(8);
    }

    @Test
    void aRestartIsNoNewsAndAnEndThatWaitsIsToldAfterIt() throws Exception {
        for (int minute = 0; minute < 30; minute += 10) {
            raise(AlertState.FIRING, minute, minute);
            raise(AlertState.RESOLVED, minute, minute + 5);
        }
        OperatorSubtaskState state = harness.snapshot(0, 0);
        harness.close();
        harness = harness();
        harness.initializeState(state);
        harness.open();
        raise(AlertState.RESOLVED, 20, 25);
        pass(55);
        assertThat(told())
                .extracting(Alert::getState, LifecycleFunctionTest::changeMinute)
                .containsExactly(tuple(AlertState.RESOLVED, 25L));
        assertThat(stateEntries()).isPositive();
        pass(120);
        assertThat(stateEntries()).as("nothing is left of it").isZero();
    }

    private void raise(AlertState state, int startMinute, int changeMinute) throws Exception {
        raise(alert(state, startMinute, changeMinute));
    }

    private void raise(Alert alert) throws Exception {
        harness.processElement(
                new OutboundRecord(
                        alert.getFingerprint().getBytes(StandardCharsets.UTF_8),
                        codec.encode(alert),
                        alert.getChangedAtMicros() / 1_000),
                0);
    }

    private static Alert alert(AlertState state, int startMinute, int changeMinute) {
        return new Alert(
                "slo-burn:chat",
                "slo-burn",
                state,
                Severity.PAGE,
                startMinute * MINUTE,
                changeMinute * MINUTE,
                state == AlertState.FIRING ? null : Long.valueOf(changeMinute * MINUTE),
                Map.of("model", "m"),
                "too slow",
                List.of(),
                List.of());
    }

    private void pass(int minute) throws Exception {
        harness.processWatermark(minute * MINUTE / 1_000);
    }

    private List<Alert> told() {
        return harness.extractOutputValues().stream().map(this::decode).toList();
    }

    private Alert decode(OutboundRecord record) {
        try {
            return codec.decode(record.value(), Alert.class);
        } catch (UndecodableEventException e) {
            throw new AssertionError(e);
        }
    }

    private long counter(String name) {
        return ((Counter) metrics.get(name)).getCount();
    }

    private int stateEntries() {
        var operator = (AbstractStreamOperator<?>) harness.getOperator();
        return ((HeapKeyedStateBackend<?>) operator.getKeyedStateBackend()).numKeyValueStateEntries();
    }

    private static long startMinute(Alert alert) {
        return alert.getStartsAtMicros() / MINUTE;
    }

    private static long changeMinute(Alert alert) {
        return alert.getChangedAtMicros() / MINUTE;
    }

    private OneInputStreamOperatorTestHarness<OutboundRecord, OutboundRecord> harness() throws Exception {
        metrics = new InterceptingOperatorMetricGroup();
        return new KeyedOneInputStreamOperatorTestHarness<>(
                new KeyedProcessOperator<>(new LifecycleFunction()),
                record -> new String(requireNonNull(record.key()), StandardCharsets.UTF_8),
                Types.STRING,
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
