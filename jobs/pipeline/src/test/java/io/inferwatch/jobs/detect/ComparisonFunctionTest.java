package io.inferwatch.jobs.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.ComparisonResult;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Setting;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.schemas.Verdict;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.avro.specific.SpecificRecord;
import org.apache.commons.statistics.distribution.LogNormalDistribution;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.co.CoBroadcastWithKeyedOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.util.KeyedBroadcastOperatorTestHarness;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ComparisonFunctionTest {
    private static final long TEN =
            1_000 * Instant.parse("2026-01-01T10:00:00Z").toEpochMilli();
    private static final long MINUTE = GroupWindows.MINUTE_MICROS;
    private static final LogNormalDistribution SHAPE = LogNormalDistribution.of(11, 0.5);
    private static final int N = 2_000;

    private final EventCodec codec = new EventCodec();
    private KeyedBroadcastOperatorTestHarness<String, Member, InboundRecord, OutboundRecord> harness;

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
    void eachValueIsJudgedAgainstTheBaselineOfTheSameWindow() throws Exception {
        rule("{view: class-model-version, across: class, against: short, of: [ttft.mean, ttft.p99]}");
        send("long", 1.3, 1);
        send("short", 1, 1);
        send("same", 1, 1);
        send("none", 2, 1);
        send("other", 2, 1);
        assertThat(results()).as("before event time has passed the end").isEmpty();
        pass(1);

        assertThat(results())
                .extracting(ComparisonResult::getValue, ComparisonResult::getMetric, ComparisonResult::getStatistic)
                .as("neither the baseline itself nor what is no one's")
                .containsExactlyInAnyOrder(
                        tuple("long", "ttft", "mean"),
                        tuple("long", "ttft", "p99"),
                        tuple("same", "ttft", "mean"),
                        tuple("same", "ttft", "p99"));
        for (ComparisonResult result : results()) {
            var judgement = result.getJudgement();
            double truth = result.getValue().equals("long") ? 0.3 : 0;
            assertThat(judgement.getChange()).isCloseTo(truth, within(0.01));
            assertThat(judgement.getChangeLow()).isLessThan(truth);
            assertThat(judgement.getChangeHigh()).isGreaterThan(truth);
            assertThat(judgement.getVerdict() == Verdict.DRIFT).isEqualTo(truth > 0);
            assertThat(judgement.getQ()).isGreaterThanOrEqualTo(judgement.getP());
            assertThat(result.getBaselineValue()).isEqualTo("short");
            assertThat(result.getDimensions()).containsExactly(new Dimension("model", "m"));
            assertThat(result.getWindowEndMicros()).isEqualTo(TEN + MINUTE);
        }
        assertThat(keys()).contains("own/class-model-version/group/long");
    }

    @Test
    void anHourAndItsLastMinuteAreJudgedApart() throws Exception {
        rule("{view: class-model-version, across: class, against: short, of: [ttft.mean]}");
        for (String arm : List.of("short", "long")) {
            harness.processElement(window(arm.equals("long") ? 2 : 1).member(arm, MINUTE, TEN), 0);
            harness.processElement(window(arm.equals("long") ? 3 : 1).member(arm, 60 * MINUTE, TEN), 0);
        }
        pass(0);
        assertThat(results())
                .extracting(
                        ComparisonResult::getWindowMicros,
                        result -> Math.round(result.getJudgement().getChange()))
                .containsExactly(tuple(MINUTE, 1L), tuple(60 * MINUTE, 2L));
    }

    @Test
    void withoutTheBaselineNothingIsSaidUnlessItIsPinned() throws Exception {
        rule("{view: class-model-version, across: class, against: short, of: [ttft.mean]}");
        send("short", 1, 1);
        pass(1);
        send("long", 2, 2);
        pass(2);
        assertThat(results()).isEmpty();

        rule("{view: class-model-version, across: class, against: short, of: [ttft.mean], pinned: true}");
        send("short", 1, 3);
        pass(3);
        send("short", 1, 4);
        pass(4);
        restore();
        rule("{view: class-model-version, across: class, against: short, of: [ttft.mean], pinned: true}");
        send("long", 2, 5);
        pass(5);
        assertThat(results()).singleElement().satisfies(result -> {
            assertThat(result.getPinned()).isTrue();
            assertThat(result.getJudgement().getBaselineN()).as("both minutes").isEqualTo(2L * N);
            assertThat(result.getJudgement().getChange()).isCloseTo(1, within(1e-3));
        });
    }

    @Test
    void aWindowThatComesAfterItsGroupWasJudgedIsLeftOut() throws Exception {
        rule("{view: class-model-version, across: class, against: short, of: [ttft.mean]}");
        pass(1);
        send("long", 2, 1);
        send("short", 1, 1);
        pass(2);
        assertThat(results()).isEmpty();
    }

    @Test
    void aDifferenceOfTwoMinutesOfThreeIsAnAlertUntilThreeShowNone() throws Exception {
        rule("{view: class-model-version, across: class, against: short, of: [ttft.p99], alert: true}");
        double[] factors = {1.3, 1, 1.3, 1, 1, 1};
        for (int minute = 1; minute <= factors.length; minute++) {
            send("short", 1, minute);
            send("long", factors[minute - 1], minute);
            pass(minute);
        }
        assertThat(results())
                .extracting(ComparisonResult::getDrifting)
                .containsExactly(false, false, true, true, true, false);
        assertThat(results().get(2).getDriftingSinceMicros()).isEqualTo(TEN);
        List<Alert> alerts = alerts();
        assertThat(alerts).extracting(Alert::getState).containsExactly(AlertState.FIRING, AlertState.RESOLVED);
        assertThat(alerts).extracting(Alert::getStartsAtMicros).containsOnly(TEN);
        assertThat(alerts)
                .extracting(Alert::getFingerprint)
                .containsOnly("comparison:own/class-model-version/group/long:ttft.p99");
    }

    @Test
    void aRuleThatIsTakenBackIsForgotten() throws Exception {
        String yaml = "{view: class-model-version, across: class, against: short, of: [ttft.mean], pinned: true}";
        rule(yaml);
        send("short", 1, 1);
        pass(1);
        assertThat(stateEntries()).isPositive();
        harness.processBroadcastElement(setting(null), 0);
        send("long", 2, 2);
        pass(2);
        assertThat(results()).isEmpty();
        assertThat(stateEntries()).isZero();
    }

    @Test
    void aGroupThatIsSilentForAMonthIsForgotten() throws Exception {
        rule("{view: class-model-version, across: class, against: short, of: [ttft.mean], pinned: true, alert: true}");
        send("short", 1, 1);
        send("long", 2, 1);
        pass(1);
        pass(29 * 24 * 60);
        assertThat(stateEntries()).isPositive();
        pass(32 * 24 * 60);
        assertThat(stateEntries()).isZero();
    }

    @Test
    void tokensComeInBunches() throws Exception {
        rule("{view: class-model-version, across: class, against: short, of: [generated_tokens.rate]}");
        for (String arm : List.of("short", "long")) {
            // 1,000 requests of 10 tokens: a tenth as sure as 10,000 single ones.
            harness.processElement(
                    new GroupWindows("own", "class-model-version", new Dimension("model", "m"))
                            .sum("generated_tokens", 10_000)
                            .values("output_tokens", 1_000, i -> 10)
                            .member(arm, MINUTE, TEN),
                    0);
        }
        pass(0);
        assertThat(results()).singleElement().satisfies(result -> {
            assertThat(result.getJudgement().getChange()).isCloseTo(0, within(1e-9));
            // A ratio of Poisson counts of 1,000 each: exp(1.96 sqrt(2 / 1,000)) - 1.
            assertThat(result.getJudgement().getChangeHigh()).isCloseTo(0.0916, within(0.003));
        });
    }

    @Test
    void anAlertOfWhatIsComparedNoMoreEnds() throws Exception {
        String rule = "{view: class-model-version, across: class, against: short, of: [ttft.p99], alert: true}";
        rule(rule);
        for (int minute = 1; minute <= 2; minute++) {
            send("short", 1, minute);
            send("long", 1.3, minute);
            pass(minute);
        }
        pass(24 * 60);
        assertThat(alerts()).extracting(Alert::getState).containsExactly(AlertState.FIRING);
        // Each midnight it is looked whether a day has passed.
        pass(3 * 24 * 60);
        assertThat(alerts()).extracting(Alert::getState).containsExactly(AlertState.FIRING, AlertState.EXPIRED);
        assertThat(alerts().get(1).getFingerprint()).isEqualTo(alerts().get(0).getFingerprint());

        int day = 3 * 24 * 60;
        for (int minute = day + 1; minute <= day + 3; minute++) {
            if (minute == day + 3) {
                harness.processBroadcastElement(setting(null), 0);
            }
            send("short", 1, minute);
            send("long", 1.3, minute);
            pass(minute);
        }
        assertThat(alerts())
                .extracting(Alert::getState)
                .as("raised again, and its rule taken back")
                .containsExactly(AlertState.FIRING, AlertState.EXPIRED, AlertState.FIRING, AlertState.RESOLVED);
    }

    private GroupWindows window(double factor) {
        return new GroupWindows("own", "class-model-version", new Dimension("model", "m"))
                .values("ttft", N, i -> factor * SHAPE.inverseCumulativeProbability((i + 0.5) / N));
    }

    private void send(String arm, double factor, int minute) throws Exception {
        harness.processElement(window(factor).member(arm, MINUTE, TEN + minute * MINUTE), 0);
    }

    private void pass(long minute) throws Exception {
        Watermark watermark = new Watermark((TEN + minute * MINUTE) / 1_000);
        harness.processWatermark(watermark);
        harness.processBroadcastWatermark(watermark);
    }

    private void rule(String yaml) throws Exception {
        harness.processBroadcastElement(setting(yaml), 0);
    }

    private InboundRecord setting(@Nullable String yaml) {
        return new InboundRecord(
                "config",
                0,
                0,
                0,
                "baseline/own".getBytes(StandardCharsets.UTF_8),
                yaml == null ? null : codec.encode(new Setting("baseline", "own", 0L, yaml)));
    }

    private void restore() throws Exception {
        var state = harness.snapshot(1, 1);
        harness.close();
        harness = harness();
        harness.initializeState(state);
        harness.open();
    }

    private static KeyedBroadcastOperatorTestHarness<String, Member, InboundRecord, OutboundRecord> harness()
            throws Exception {
        return new KeyedBroadcastOperatorTestHarness<>(
                new CoBroadcastWithKeyedOperator<>(
                        new ComparisonFunction(MetricCatalogue.shippedYaml()), List.of(LiveSettings.STATE)),
                Member::key,
                Types.STRING,
                1,
                1,
                0);
    }

    private int stateEntries() {
        var operator = (AbstractStreamOperator<?>) harness.getOperator();
        return ((HeapKeyedStateBackend<?>) operator.getKeyedStateBackend()).numKeyValueStateEntries();
    }

    private List<ComparisonResult> results() {
        return harness.extractOutputValues().stream()
                .map(record -> decode(record, ComparisonResult.class))
                .toList();
    }

    private List<String> keys() {
        return harness.extractOutputValues().stream()
                .map(record -> new String(Objects.requireNonNull(record.key()), StandardCharsets.UTF_8))
                .toList();
    }

    private List<Alert> alerts() {
        List<Alert> alerts = new ArrayList<>();
        harness.getSideOutput(ComparisonFunction.ALERTS)
                .forEach(record -> alerts.add(decode(record.getValue(), Alert.class)));
        return alerts;
    }

    private <T extends SpecificRecord> T decode(OutboundRecord record, Class<T> type) {
        try {
            return codec.decode(record.value(), type);
        } catch (UndecodableEventException e) {
            throw new AssertionError(e);
        }
    }
}
