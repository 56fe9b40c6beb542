package io.inferwatch.jobs.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.Setting;
import io.inferwatch.schemas.Severity;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.avro.specific.SpecificRecord;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.co.CoBroadcastWithKeyedOperator;
import org.apache.flink.streaming.util.KeyedBroadcastOperatorTestHarness;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Minutes of one series, a thousand requests each where nothing else is said, of an objective of 99 % over 30 days with the usual conditions. */
class SloFunctionTest {
    private static final long MINUTE = GroupWindows.MINUTE_MICROS;
    private static final long START =
            1_000 * Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();
    private static final int HOUR = 60;
    private static final int DAY = 24 * HOUR;
    private static final String RATIO = """
            apiVersion: openslo/v1
            kind: SLO
            metadata: {name: chat, displayName: Answers}
            spec:
              service: chat
              indicator:
                metadata: {name: answered}
                spec:
                  ratioMetric:
                    counter: true
                    bad: {metricSource: {type: inferwatch, spec: {metric: failed}}}
                    total: {metricSource: {type: inferwatch, spec: {metric: requests, view: model-version}}}
              timeWindow: [{duration: 30d, isRolling: true}]
              budgetingMethod: Occurrences
              objectives: [{target: 0.99}]
            """;

    private final EventCodec codec = new EventCodec();
    private KeyedBroadcastOperatorTestHarness<String, Member, InboundRecord, OutboundRecord> harness;

    @BeforeEach
    void open() throws Exception {
        harness = harness(PresentSettings.NONE);
        harness.open();
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    /** A burn of b uses up a window's share of the budget, factor x window, after window x factor / b. */
    @ParameterizedTest(name = "{0} times: {1} after {2} minutes")
    @CsvSource({
        "28.8, page-1h, 30, 1",
        "14.4, page-1h, 60, 1",
        "6, page-6h, 360, 1",
        "3, ticket-1d, 1440, 5",
    })
    void aBurnIsToldOnceItHasUsedUpItsShareOfTheBudget(double burn, String condition, int minutes, int slice)
            throws Exception {
        set(RATIO);
        run(0, minutes + 2 * slice, minute -> Math.round(1_000 * 0.01 * burn));

        Alert first = alerts().get(0);
        assertThat(first.getFingerprint()).isEqualTo("slo-burn:chat:model-version/m/v1:" + condition);
        assertThat(first.getState()).isEqualTo(AlertState.FIRING);
        assertThat(first.getSeverity()).isEqualTo(condition.startsWith("page") ? Severity.PAGE : Severity.TICKET);
        assertThat(minutesOf(first.getChangedAtMicros())).isBetween((double) minutes, (double) minutes + slice);
        assertThat(first.getLabels())
                .containsEntry("slo", "chat")
                .containsEntry("service", "chat")
                .containsEntry("model", "m")
                .containsEntry("condition", condition);
        assertThat(first.getSummary()).contains("chat (Answers) of model m, version v1", "of it is left");
        // The budget is one in a hundred of 30 days, of which b times as much as it may goes in each minute.
        FigureResult last = results().get(results().size() - 1);
        assertThat(value(last, "budget_left")).isCloseTo(1 - burn * results().size() / (30.0 * DAY), within(1e-3));
        assertThat(value(last, "burn")).isCloseTo(burn, within(1e-9));
        assertThat(last.getTexts()).containsEntry("state", "BREACH");
    }

    @Test
    @Tag("slow")
    void aBurnThatSpendsTheBudgetInItsPeriodIsTicketedAfterThreeDays() throws Exception {
        aBurnIsToldOnceItHasUsedUpItsShareOfTheBudget(1, "ticket-3d", 3 * DAY, 5);
    }

    @Test
    void nineTenthsOfWhatTheBudgetAllowsIsNoAlertInADay() throws Exception {
        set(RATIO);
        run(0, DAY + 2 * HOUR, minute -> 9);
        assertThat(alerts()).isEmpty();
        assertThat(results()).hasSize(DAY + 2 * HOUR).allSatisfy(result -> assertThat(result.getTexts())
                .containsEntry("state", "OK"));
    }

    @Test
    @Tag("slow")
    void nineTenthsOfWhatTheBudgetAllowsIsNoAlertInAMonthAndAWeekMore() throws Exception {
        set(RATIO);
        run(0, 33 * DAY, minute -> 9);
        assertThat(alerts()).isEmpty();
    }

    @Test
    void aTotalOutageOfALowTrafficServiceIsPaged() throws Exception {
        set(RATIO);
        // One request in three minutes; from the second day on all of them fail.
        for (int minute = 1; minute <= DAY + HOUR; minute++) {
            long requests = minute % 3 == 0 ? 1 : 0;
            send(minute, requests, minute > DAY ? requests : 0);
            pass(minute);
        }
        Alert first = alerts().get(0);
        assertThat(first.getSeverity()).isEqualTo(Severity.PAGE);
        // Five must be bad at least, which takes a quarter of an hour, and chance be out of the question.
        assertThat(minutesOf(first.getChangedAtMicros()) - DAY).isBetween(15.0, 24.0);
    }

    @Test
    void aGapIsNoDataAndNoRecoveryAndDataAre() throws Exception {
        set(RATIO);
        run(0, 2 * HOUR, minute -> 300);
        assertThat(alerts()).extracting(Alert::getState).containsOnly(AlertState.FIRING);
        int firing = alerts().size();
        // Other series have windows, this one has none.
        for (int minute = 2 * HOUR + 1; minute <= 5 * HOUR; minute++) {
            pass(minute);
        }
        assertThat(alerts()).as("nothing ends by itself").hasSize(firing);
        List<FigureResult> gap = results().subList(2 * HOUR, 5 * HOUR);
        assertThat(gap.subList(0, 4))
                .allSatisfy(result -> assertThat(result.getTexts()).containsEntry("state", "BREACH"));
        assertThat(gap.subList(5, gap.size()))
                .allSatisfy(result -> assertThat(result.getTexts()).containsEntry("state", "NO_DATA"));

        run(5 * HOUR, 5 * HOUR + 10, minute -> 0);
        assertThat(alerts())
                .filteredOn(alert -> alert.getFingerprint().endsWith(":page-1h"))
                .extracting(Alert::getState, alert -> minutesOf(alert.getChangedAtMicros()))
                .as("thirty times as fast, then three minutes running without an error")
                .containsExactly(tuple(AlertState.FIRING, 29.0), tuple(AlertState.RESOLVED, 5 * HOUR + 3.0));
    }

    @Test
    void whereEventTimeStandsStillTheClockTellsThatNothingIsKnown() throws Exception {
        set(RATIO);
        harness.setProcessingTime(0);
        run(0, HOUR, minute -> 0);
        harness.setProcessingTime(150_000);
        harness.setProcessingTime(300_000);
        assertThat(results()).hasSize(HOUR);
        harness.setProcessingTime(450_000);
        assertThat(results()).hasSize(HOUR + 1);
        assertThat(results().get(HOUR).getTexts()).containsEntry("state", "NO_DATA");
        assertThat(minutesOf(results().get(HOUR).getWindowEndMicros())).isEqualTo(HOUR + 6.0);

        run(HOUR, HOUR + 1, minute -> 0);
        assertThat(results().get(HOUR + 1).getTexts()).containsEntry("state", "OK");
    }

    @Test
    void anEditHoldsAtOnceAndKeepsWhatWasCounted() throws Exception {
        set(RATIO);
        run(0, 2 * HOUR, minute -> 150);
        assertThat(alerts())
                .extracting(Alert::getFingerprint)
                .containsExactly("slo-burn:chat:model-version/m/v1:page-1h");
        // A burn of 15 is one of 3 where five times as many may be bad.
        set(RATIO.replace("target: 0.99", "target: 0.95"));
        FigureResult edited = results().get(2 * HOUR);
        assertThat(value(edited, "target")).isEqualTo(0.95);
        assertThat(value(edited, "burn")).isCloseTo(3, within(1e-9));
        assertThat(edited.getCounts()).containsEntry("total", 120_000L).containsEntry("good", 102_000L);

        send(setting(null));
        assertThat(alerts())
                .extracting(Alert::getState)
                .as("what is promised no more cannot be broken")
                .containsExactly(AlertState.FIRING, AlertState.RESOLVED);
        run(2 * HOUR, 2 * HOUR + 5, minute -> 150);
        assertThat(results()).as("nor is anything told of it").hasSize(2 * HOUR + 1);
    }

    @Test
    void anObjectiveThatCountsOtherwiseBeginsAnew() throws Exception {
        set(RATIO);
        run(0, 10, minute -> 500);
        set(RATIO.replace("metric: failed", "metric: timed_out"));
        run(10, 20, minute -> 500);
        assertThat(results().get(results().size() - 1).getCounts())
                .containsEntry("total", 10_000L)
                .containsEntry("good", 10_000L);
    }

    @Test
    void valuesAreCountedAtTheThresholdAndFailedRequestsAreBad() throws Exception {
        set("""
                apiVersion: openslo/v1
                kind: SLO
                metadata: {name: chat}
                spec:
                  service: chat
                  indicator:
                    metadata: {name: fast}
                    spec:
                      thresholdMetric:
                        metricSource: {type: inferwatch, spec: {metric: ttft, view: model-version, unit: ms}}
                  timeWindow: [{duration: 30d, isRolling: true}]
                  budgetingMethod: Occurrences
                  objectives: [{op: lte, value: 2000, target: 0.99}]
                """);
        // 50 ms, 150 ms, ... 3.95 s: twenty of forty are good. Three more failed, two were given up by their client.
        GroupWindows window = window().sum("requests", 45)
                .sum("completed", 40)
                .sum("failed", 3)
                .sum("cancelled", 2)
                .values("ttft", 40, i -> 100_000.0 * i + 50_000);
        harness.processElement(member(window, 1), 0);
        pass(1);
        FigureResult result = results().get(0);
        assertThat(result.getCounts()).containsEntry("good", 20L).containsEntry("total", 43L);
        assertThat(value(result, "threshold")).isEqualTo(2.0);
        assertThat(value(result, "effective_threshold")).isCloseTo(2.0, within(2.0 * 0.0037));
        assertThat(result.getDimensions())
                .contains(new Dimension("slo", "chat"), new Dimension("service", "chat"), new Dimension("model", "m"));
    }

    @Test
    void aCorrectionOfAMinuteChangesTheBudgetAndOneThatComesTooLateDoesNot() throws Exception {
        set(RATIO);
        run(0, 2, minute -> 10);
        send(2, 1_100, 60);
        run(2, 3, minute -> 10);
        assertThat(results().get(2).getCounts()).containsEntry("total", 3_100L).containsEntry("good", 3_020L);
        run(3, HOUR, minute -> 10);
        send(2, 5_000, 4_000);
        run(HOUR, HOUR + 1, minute -> 10);
        assertThat(results().get(HOUR).getCounts()).containsEntry("total", 61_100L);
    }

    @Test
    void aSeriesThatIsGoneForADayExpires() throws Exception {
        set(RATIO);
        run(0, 2 * HOUR, minute -> 300);
        int firing = alerts().size();
        for (int minute = 2 * HOUR + 1; minute < 2 * HOUR + DAY; minute++) {
            pass(minute);
        }
        assertThat(alerts()).hasSize(firing);
        pass(2 * HOUR + DAY);
        assertThat(alerts().subList(firing, alerts().size()))
                .hasSize(firing)
                .extracting(Alert::getState)
                .containsOnly(AlertState.EXPIRED);
        int told = results().size();
        pass(2 * HOUR + 2 * DAY);
        assertThat(results()).as("nobody asks any more").hasSize(told);
        // It comes back within its period: with the budget that it had.
        run(3 * DAY, 3 * DAY + 1, minute -> 0);
        assertThat(results().get(told).getCounts()).containsEntry("total", 121_000L);
    }

    @Test
    void aRestartIsNoNewsAndKeepsTheBudget() throws Exception {
        set(RATIO);
        run(0, 2 * HOUR, minute -> 300);
        assertThat(alerts()).isNotEmpty();
        OperatorSubtaskState state = harness.snapshot(0, 0);
        harness.close();
        harness = harness(PresentSettings.NONE);
        harness.initializeState(state);
        harness.open();
        run(2 * HOUR, 2 * HOUR + 2, minute -> 300);
        assertThat(alerts()).as("it is known that it fires").isEmpty();
        assertThat(results().get(0).getCounts()).containsEntry("total", 121_000L);
        run(2 * HOUR + 2, 3 * HOUR, minute -> 0);
        assertThat(alerts())
                .filteredOn(alert -> alert.getFingerprint().endsWith(":page-1h"))
                .singleElement()
                .satisfies(alert ->
                        assertThat(minutesOf(alert.getStartsAtMicros())).isLessThan(HOUR));
    }

    /** The topics of windows and settings are read side by side: without state no window of the past may be missed. */
    @Test
    void withoutStateWhatIsSetHoldsFromTheFirstWindowOn() throws Exception {
        harness.close();
        harness = harness(PresentSettings.of(List.of(setting(RATIO))));
        harness.open();
        run(0, 5, minute -> 300);
        assertThat(results().get(4).getCounts()).containsEntry("total", 5_000L).containsEntry("good", 3_500L);
    }

    @Test
    void missingDataIsAnAlertWhereItsOwnerSaysSo() throws Exception {
        set(RATIO + """
              alertPolicies:
                - kind: AlertPolicy
                  metadata: {name: fast}
                  spec:
                    alertWhenNoData: true
                    conditions:
                      - kind: AlertCondition
                        metadata: {name: burn-1h}
                        spec:
                          severity: page
                          condition: {kind: burnrate, op: gte, threshold: 14.4, lookbackWindow: 1h}
            """);
        run(0, 30, minute -> 0);
        for (int minute = 31; minute <= 40; minute++) {
            pass(minute);
        }
        run(40, 42, minute -> 0);
        assertThat(alerts())
                .extracting(
                        Alert::getFingerprint,
                        Alert::getState,
                        Alert::getSeverity,
                        alert -> minutesOf(alert.getChangedAtMicros()))
                .containsExactly(
                        tuple("slo-no-data:chat:model-version/m/v1", AlertState.FIRING, Severity.PAGE, 35.0),
                        tuple("slo-no-data:chat:model-version/m/v1", AlertState.RESOLVED, Severity.PAGE, 41.0));
    }

    private interface Bad {
        long of(int minute);
    }

    /** Minutes after the first of them up to the last, each with a thousand requests. */
    private void run(int after, int last, Bad bad) throws Exception {
        for (int minute = after + 1; minute <= last; minute++) {
            send(minute, 1_000, bad.of(minute));
            pass(minute);
        }
    }

    private void send(int minute, long requests, long failed) throws Exception {
        harness.processElement(member(window().sum("requests", requests).sum("failed", failed), minute), 0);
    }

    private static GroupWindows window() {
        return new GroupWindows(
                SloFunction.TASK, "model-version", new Dimension("model", "m"), new Dimension("version", "v1"));
    }

    private static Member member(GroupWindows window, int minute) {
        return window.member("model-version/m/v1", "model-version/m/v1", MINUTE, START + minute * MINUTE);
    }

    private void pass(int minute) throws Exception {
        long watermark = (START + minute * MINUTE) / 1_000;
        harness.processWatermark(watermark);
        harness.processBroadcastWatermark(watermark);
    }

    private void set(String body) throws Exception {
        send(setting(body));
    }

    private void send(InboundRecord setting) throws Exception {
        harness.processBroadcastElement(setting, 0);
    }

    private InboundRecord setting(@Nullable String body) {
        return new InboundRecord(
                "config",
                0,
                0,
                0,
                "slo/chat".getBytes(StandardCharsets.UTF_8),
                body == null ? null : codec.encode(new Setting("slo", "chat", START, body)));
    }

    private static double minutesOf(long micros) {
        return (micros - START) / (double) MINUTE;
    }

    private static double value(FigureResult result, String field) {
        return Objects.requireNonNull(result.getValues().get(field), field);
    }

    private List<FigureResult> results() {
        return harness.extractOutputValues().stream()
                .map(record -> decode(record, FigureResult.class))
                .toList();
    }

    private List<Alert> alerts() {
        List<Alert> alerts = new ArrayList<>();
        var output = harness.getSideOutput(SloFunction.ALERTS);
        if (output != null) {
            output.forEach(record -> alerts.add(decode(record.getValue(), Alert.class)));
        }
        return alerts;
    }

    private <T extends SpecificRecord> T decode(OutboundRecord record, Class<T> type) {
        try {
            return codec.decode(record.value(), type);
        } catch (UndecodableEventException e) {
            throw new AssertionError(e);
        }
    }

    private static KeyedBroadcastOperatorTestHarness<String, Member, InboundRecord, OutboundRecord> harness(
            PresentSettings settings) throws Exception {
        return new KeyedBroadcastOperatorTestHarness<>(
                new CoBroadcastWithKeyedOperator<>(
                        new SloFunction(MetricCatalogue.shippedYaml(), settings), List.of(LiveSettings.STATE)),
                Member::key,
                Types.STRING,
                1,
                1,
                0);
    }
}
