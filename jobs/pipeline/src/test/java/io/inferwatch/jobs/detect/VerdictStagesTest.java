package io.inferwatch.jobs.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.ChangeScale;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.DriftResult;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Judgement;
import io.inferwatch.schemas.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import org.apache.avro.specific.SpecificRecord;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What happens to verdicts on their way: the share of false alarms, and what lasts. */
class VerdictStagesTest {
    private static final long MINUTE_MICROS = 60_000_000;
    private static final long MINUTE_MILLIS = 60_000;

    private final EventCodec codec = new EventCodec();
    private @Nullable AutoCloseable opened;

    @AfterEach
    void close() throws Exception {
        if (opened != null) {
            opened.close();
        }
    }

    @Test
    void driftThatManyKeysExplainIsTurnedDown() throws Exception {
        var harness = open(new FalseDiscoveryFunction(), "family");
        // Of ten keys: q is 10 p / rank, and no greater than that of the next rank: 0.01, 0.04, 0.9 ...
        List<Double> p = List.of(0.001, 0.008, 0.27, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9);
        for (int i = 0; i < p.size(); i++) {
            harness.processElement(candidate("n" + i, 1, Verdict.DRIFT, p.get(i)), 0);
        }
        assertThat(results(harness.getOutput())).as("before the end").isEmpty();
        harness.processWatermark(MINUTE_MILLIS);

        List<DriftResult> results = results(harness.getOutput());
        assertThat(results).hasSize(10);
        assertThat(results)
                .filteredOn(result -> result.getRaw().getVerdict() == Verdict.DRIFT)
                .extracting(DriftResult::getSeries)
                .containsExactlyInAnyOrder("node-prompt/n0", "node-prompt/n1");
        assertThat(q(results, "n0")).isCloseTo(0.01, within(1e-12));
        assertThat(q(results, "n1")).isCloseTo(0.04, within(1e-12));
        assertThat(q(results, "n2")).isCloseTo(0.9, within(1e-12));
    }

    @Test
    void aVerdictThatComesLateIsHeldAgainstWhatWasTurnedDown() throws Exception {
        var harness = open(new FalseDiscoveryFunction(), "family");
        harness.processElement(candidate("n0", 1, Verdict.DRIFT, 0.001), 0);
        harness.processElement(candidate("n1", 1, Verdict.INCONCLUSIVE, 0.9), 0);
        harness.processWatermark(MINUTE_MILLIS);
        harness.getOutput().clear();
        harness.processElement(candidate("n2", 1, Verdict.DRIFT, 0.0005), 0);
        harness.processElement(candidate("n3", 1, Verdict.DRIFT, 0.002), 0);

        List<DriftResult> late = results(harness.getOutput());
        assertThat(late)
                .extracting(result -> result.getRaw().getVerdict())
                .containsExactly(Verdict.DRIFT, Verdict.INCONCLUSIVE);
    }

    @Test
    void whatCouldNotBeTestedPassesAsItIs() throws Exception {
        var harness = open(new FalseDiscoveryFunction(), "family");
        harness.processElement(candidate("n0", 1, Verdict.NOT_ESTIMABLE, Candidate.UNTESTED), 0);
        harness.processWatermark(MINUTE_MILLIS);
        assertThat(results(harness.getOutput())).singleElement().satisfies(result -> {
            assertThat(result.getRaw().getVerdict()).isEqualTo(Verdict.NOT_ESTIMABLE);
            assertThat(result.getRaw().getQ()).isNull();
        });
    }

    @Test
    void twoMinutesOfThreeOpenAnAlertAndThreeWithoutCloseIt() throws Exception {
        var harness = open(new ConfirmFunction(), "key");
        Verdict[] verdicts = {
            Verdict.DRIFT, Verdict.INCONCLUSIVE, Verdict.DRIFT, Verdict.NO_DRIFT, Verdict.NO_DRIFT, Verdict.NO_DRIFT
        };
        for (int i = 0; i < verdicts.length; i++) {
            harness.processElement(candidate("n0", i + 1, verdicts[i], 0.001), 0);
            harness.processWatermark((i + 1) * MINUTE_MILLIS);
        }
        assertThat(records(harness.getOutput(), DriftResult.class))
                .extracting(DriftResult::getDrifting)
                .containsExactly(false, false, true, true, true, false);
        List<Alert> alerts = alerts(harness.getSideOutput(ConfirmFunction.ALERTS));
        assertThat(alerts).extracting(Alert::getState).containsExactly(AlertState.FIRING, AlertState.RESOLVED);
        assertThat(alerts).extracting(Alert::getFingerprint).containsOnly("drift:node-prompt/n0:ttft.p99");
        assertThat(alerts).extracting(Alert::getStartsAtMicros).containsOnly(0L);
        assertThat(alerts.get(1).getEndsAtMicros()).isEqualTo(6 * MINUTE_MICROS);
    }

    @Test
    void verdictsThatOvertookEachOtherAreTakenInTheirOrder() throws Exception {
        var harness = open(new ConfirmFunction(), "key");
        for (int minute : new int[] {3, 1, 2}) {
            harness.processElement(candidate("n0", minute, Verdict.DRIFT, 0.001), 0);
        }
        harness.processWatermark(3 * MINUTE_MILLIS);
        assertThat(records(harness.getOutput(), DriftResult.class))
                .extracting(DriftResult::getWindowEndMicros)
                .containsExactly(MINUTE_MICROS, 2 * MINUTE_MICROS, 3 * MINUTE_MICROS);
        assertThat(alerts(harness.getSideOutput(ConfirmFunction.ALERTS)))
                .singleElement()
                .satisfies(alert -> assertThat(alert.getChangedAtMicros()).isEqualTo(2 * MINUTE_MICROS));
    }

    @Test
    void aDriftThatHasBecomeTheBaselineIsOver() throws Exception {
        var harness = open(new ConfirmFunction(), "key");
        harness.processElement(candidate("n0", 1, Verdict.DRIFT, 0.001), 0);
        harness.processElement(candidate("n0", 2, Verdict.DRIFT, 0.001), 0);
        DriftResult last = result("n0", 3, Verdict.DRIFT, 0.001);
        last.setRebased(true);
        harness.processElement(new Candidate("family", "key", 3 * MINUTE_MILLIS, 0.001, codec.encode(last)), 0);
        harness.processWatermark(3 * MINUTE_MILLIS);
        List<Alert> alerts = alerts(harness.getSideOutput(ConfirmFunction.ALERTS));
        assertThat(alerts).extracting(Alert::getState).containsExactly(AlertState.FIRING, AlertState.RESOLVED);
        assertThat(alerts.get(1).getSummary()).contains("for an hour");
    }

    @Test
    void aDriftWithoutAVerdictForADayExpiresAndMayComeAgain() throws Exception {
        var harness = open(new ConfirmFunction(), "key");
        harness.processElement(candidate("n0", 1, Verdict.DRIFT, 0.001), 0);
        harness.processElement(candidate("n0", 2, Verdict.DRIFT, 0.001), 0);
        harness.processWatermark((2 + 24 * 60) * MINUTE_MILLIS - 1);
        assertThat(alerts(harness.getSideOutput(ConfirmFunction.ALERTS))).hasSize(1);
        // It is looked at each full hour.
        harness.processWatermark((25 * 60) * MINUTE_MILLIS);
        int day = 26 * 60;
        harness.processElement(candidate("n0", day + 1, Verdict.DRIFT, 0.001), 0);
        harness.processElement(candidate("n0", day + 2, Verdict.DRIFT, 0.001), 0);
        harness.processWatermark((day + 2) * MINUTE_MILLIS);
        List<Alert> alerts = alerts(harness.getSideOutput(ConfirmFunction.ALERTS));
        assertThat(alerts)
                .extracting(Alert::getState, Alert::getStartsAtMicros, Alert::getChangedAtMicros)
                .containsExactly(
                        tuple(AlertState.FIRING, 0L, 2 * MINUTE_MICROS),
                        tuple(AlertState.EXPIRED, 0L, 25 * 60 * MINUTE_MICROS),
                        tuple(AlertState.FIRING, day * MINUTE_MICROS, (day + 2) * MINUTE_MICROS));
        assertThat(alerts.get(1).getLabels()).isEqualTo(alerts.get(0).getLabels());
    }

    private static double q(List<DriftResult> results, String node) {
        return results.stream()
                .filter(result -> result.getSeries().endsWith("/" + node))
                .mapToDouble(result -> Objects.requireNonNull(result.getRaw().getQ()))
                .findFirst()
                .orElseThrow();
    }

    private Candidate candidate(String node, int minute, Verdict verdict, double p) {
        return new Candidate(
                "family", "key", minute * MINUTE_MILLIS, p, codec.encode(result(node, minute, verdict, p)));
    }

    private static DriftResult result(String node, int minute, Verdict verdict, double p) {
        Judgement judgement = new Judgement(
                verdict, ChangeScale.RELATIVE, 0.6, 0.4, 0.5, 0.4, 0.6, p, null, 500L, 5_000L, 0.1, 0.2, 0.03);
        return DriftResult.newBuilder()
                .setSeries("node-prompt/" + node)
                .setView("node-prompt")
                .setDimensions(List.of(new Dimension("node", node)))
                .setMetric("ttft")
                .setStatistic("p99")
                .setWindowMicros(MINUTE_MICROS)
                .setWindowEndMicros(minute * MINUTE_MICROS)
                .setWindows(1)
                .setBaseline("recent")
                .setRaw(judgement)
                .setDrifting(false)
                .build();
    }

    private List<DriftResult> results(Queue<Object> output) throws Exception {
        List<DriftResult> results = new ArrayList<>();
        for (Object element : output) {
            if (element instanceof StreamRecord<?> record && record.getValue() instanceof Candidate candidate) {
                results.add(codec.decode(candidate.result(), DriftResult.class));
            }
        }
        return results;
    }

    private <T extends SpecificRecord> List<T> records(Queue<Object> output, Class<T> type) throws Exception {
        List<T> records = new ArrayList<>();
        for (Object element : output) {
            if (element instanceof StreamRecord<?> record && record.getValue() instanceof OutboundRecord outbound) {
                records.add(codec.decode(outbound.value(), type));
            }
        }
        return records;
    }

    private List<Alert> alerts(Queue<StreamRecord<OutboundRecord>> output) throws Exception {
        List<Alert> alerts = new ArrayList<>();
        for (StreamRecord<OutboundRecord> record : output) {
            alerts.add(codec.decode(record.getValue().value(), Alert.class));
        }
        return alerts;
    }

    private <T> KeyedOneInputStreamOperatorTestHarness<String, Candidate, T> open(
            KeyedProcessFunction<String, Candidate, T> function, String key) throws Exception {
        var harness = new KeyedOneInputStreamOperatorTestHarness<>(
                new KeyedProcessOperator<>(function), candidate -> key, Types.STRING);
        opened = harness;
        harness.open();
        return harness;
    }
}
