package io.inferwatch.jobs.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.Setting;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.schemas.catalogue.AnomalySetting;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.co.CoBroadcastWithKeyedOperator;
import org.apache.flink.streaming.util.KeyedBroadcastOperatorTestHarness;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** A replica that has been as usual for two days and an hour: TTFT of about 100 ms, seed 5. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AnomalyFunctionTest {
    private static final long MINUTE = GroupWindows.MINUTE_MICROS;
    private static final long START =
            1_000 * Instant.parse("2026-01-05T00:00:00Z").toEpochMilli();
    private static final int LEARNED_MINUTES = 49 * 60;
    private static final int USUAL_MICROS = 100_000;
    private static final int REQUESTS = 60;

    private final EventCodec codec = new EventCodec();
    private final SplittableRandom random = new SplittableRandom(5);
    private OperatorSubtaskState learned = OperatorSubtaskState.builder().build();
    private KeyedBroadcastOperatorTestHarness<String, Member, InboundRecord, OutboundRecord> harness;

    @BeforeAll
    void learn() throws Exception {
        harness = harness();
        harness.open();
        for (int minute = 1; minute <= LEARNED_MINUTES; minute++) {
            send(1, minute);
        }
        assertThat(results()).first().satisfies(result -> {
            assertThat(result.getTexts()).containsEntry("state", "LEARNING");
            assertThat(result.getValues()).containsOnlyKeys("observed");
        });
        assertThat(last().getTexts()).containsEntry("state", "OK");
        learned = harness.snapshot(1, 1);
        harness.close();
    }

    @BeforeEach
    void open() throws Exception {
        harness = harness();
        harness.initializeState(learned);
        harness.open();
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    @Test
    void aChangeIsToldWithTheSecondWindowInShadowUnlessItIsPromoted() throws Exception {
        send(2, LEARNED_MINUTES + 1);
        send(2, LEARNED_MINUTES + 2);
        FigureResult result = last();
        assertThat(result.getKind()).isEqualTo("anomaly");
        assertThat(result.getDimensions())
                .containsExactly(
                        new Dimension("replica", "r1"),
                        new Dimension("version", "v1"),
                        new Dimension("metric", "ttft"),
                        new Dimension("statistic", "p50"));
        assertThat(result.getTexts())
                .containsEntry("state", "ANOMALOUS")
                .containsEntry("channel", "JUMP")
                .containsEntry("unit", "seconds");
        assertThat(result.getCounts())
                .containsEntry("told", 1L)
                .containsEntry("promoted", 0L)
                .containsEntry("accepted", 0L);
        assertThat(result.getValues().get("observed")).isCloseTo(0.2, within(0.02));
        assertThat(result.getValues().get("expected_low")).isBetween(0.08, 0.1);
        assertThat(result.getValues().get("expected_high")).isBetween(0.1, 0.12);
        assertThat(result.getValues().get("chance")).isLessThan(1e-9);

        set("ttft.p50", "{mode: promoted}");
        send(2, LEARNED_MINUTES + 3);
        assertThat(standings())
                .extracting(Standing::anomalous, Standing::told, Standing::lasting, Standing::promoted)
                .containsExactly(
                        tuple(false, false, false, false),
                        tuple(true, true, false, false),
                        tuple(true, true, true, true));
        assertThat(standings().get(2).labels()).isEqualTo("replica=r1\nversion=v1\nview=replica-version");
    }

    @Test
    void whatIsOverHasRecovered() throws Exception {
        for (int minute = 1; minute <= 25; minute++) {
            send(minute <= 3 ? 2 : 1, LEARNED_MINUTES + minute);
        }
        assertThat(standings()).filteredOn(Standing::recovered).hasSize(1);
        assertThat(standings()).filteredOn(Standing::anomalous).hasSizeLessThan(20);
        assertThat(standings().get(24).anomalous()).isFalse();
        assertThat(standings().get(24).result()).isEmpty();
    }

    @Test
    void settingsOfAllHoldWhereThereIsNoneOfItsOwn() throws Exception {
        set("all", "{mode: unwatched}");
        set("e2e.p50", "{mode: promoted}");
        send(1, LEARNED_MINUTES + 1);
        assertThat(results()).as("nobody watches it").isEmpty();
        set("ttft.p50", "{mode: shadow}");
        send(1, LEARNED_MINUTES + 2);
        assertThat(last().getTexts()).as("what was learned is kept").containsEntry("state", "OK");
        harness.processBroadcastElement(setting("ttft.p50", null), 0);
        send(1, LEARNED_MINUTES + 3);
        assertThat(results()).hasSize(1);
    }

    @Test
    void sensitivityIsTheChanceAtWhichSomebodyIsTold() {
        assertThat(List.of(AnomalySetting.Sensitivity.values()))
                .extracting(sensitivity -> AnomalyRules.of(
                                new AnomalySetting("all", AnomalySetting.Mode.SHADOW, sensitivity, false))
                        .alarms()
                        .told())
                .containsExactly(1e-12, 1e-9, 1e-6);
    }

    @Test
    void aForestIsAskedWhereASettingSaysSo() throws Exception {
        set("ttft.p50", "{forest: true}");
        send(1, LEARNED_MINUTES + 1);
        assertThat(last().getValues()).as("it learns for a day").containsEntry("forest_score", 0.0);
        set("ttft.p50", "{forest: false}");
        send(1, LEARNED_MINUTES + 2);
        assertThat(last().getValues()).doesNotContainKey("forest_score");
    }

    @Test
    void aSeriesWithoutWindowsIsStaleOnceAndNeverZero() throws Exception {
        send(1, LEARNED_MINUTES + 1);
        pass(LEARNED_MINUTES + 4);
        assertThat(results()).hasSize(1);
        pass(LEARNED_MINUTES + 5);
        assertThat(last().getTexts()).containsEntry("state", "STALE");
        assertThat(last().getValues()).isEmpty();
        assertThat(last().getWindowEndMicros()).isEqualTo(START + (LEARNED_MINUTES + 5) * MINUTE);
        pass(LEARNED_MINUTES + 60);
        assertThat(results()).hasSize(2);

        send(1, LEARNED_MINUTES + 61);
        assertThat(last().getTexts()).containsEntry("state", "OK");
    }

    @Test
    void theEndOfTheInputIsNoSilence() throws Exception {
        send(1, LEARNED_MINUTES + 1);
        harness.processWatermark(Long.MAX_VALUE);
        harness.processBroadcastWatermark(Long.MAX_VALUE);
        assertThat(results()).hasSize(1);
    }

    @Test
    void aWindowThatComesAgainIsLeftOut() throws Exception {
        send(1, LEARNED_MINUTES + 1);
        send(9, LEARNED_MINUTES + 1);
        send(9, LEARNED_MINUTES);
        assertThat(results()).hasSize(1);
    }

    @Test
    void tooFewRequestsAreNeitherJudgedNorStale() throws Exception {
        send(window(5, 29), LEARNED_MINUTES + 1);
        send(window(5, 29), LEARNED_MINUTES + 2);
        pass(LEARNED_MINUTES + 5);
        assertThat(results()).isEmpty();
    }

    @Test
    void aSeriesThatDoesNotComeBackIsForgotten() throws Exception {
        send(1, LEARNED_MINUTES + 1);
        pass(LEARNED_MINUTES + (int) Duration.ofDays(7).toMinutes());
        assertThat(entries()).isPositive();
        pass(LEARNED_MINUTES + (int) Duration.ofDays(8).toMinutes());
        assertThat(entries()).isZero();
    }

    private int entries() {
        var operator = (AbstractStreamOperator<?>) harness.getOperator();
        return ((HeapKeyedStateBackend<?>) operator.getKeyedStateBackend()).numKeyValueStateEntries();
    }

    private void send(double factor, int minute) throws Exception {
        send(window(factor, REQUESTS), minute);
    }

    private GroupWindows window(double factor, int requests) {
        double level = factor * USUAL_MICROS * (1 + 0.02 * (random.nextDouble() - 0.5));
        return new GroupWindows(
                        "replica-version",
                        "replica-version",
                        new Dimension("replica", "r1"),
                        new Dimension("version", "v1"))
                .values("ttft", requests, i -> level * (1 + 0.1 * (random.nextDouble() - 0.5)));
    }

    private void send(GroupWindows window, int minute) throws Exception {
        harness.processElement(
                window.member("replica-version/r1/v1", "replica-version/r1/v1", MINUTE, START + minute * MINUTE), 0);
    }

    private void pass(int minute) throws Exception {
        long watermark = (START + minute * MINUTE) / 1_000;
        harness.processWatermark(watermark);
        harness.processBroadcastWatermark(watermark);
    }

    private void set(String name, String body) throws Exception {
        harness.processBroadcastElement(setting(name, codec.encode(new Setting("anomaly", name, START, body))), 0);
    }

    private static InboundRecord setting(String name, byte @Nullable [] value) {
        return new InboundRecord("config", 0, 0, 0, ("anomaly/" + name).getBytes(StandardCharsets.UTF_8), value);
    }

    private List<FigureResult> results() {
        List<FigureResult> results = new ArrayList<>();
        for (OutboundRecord record : harness.extractOutputValues()) {
            try {
                results.add(codec.decode(record.value(), FigureResult.class));
            } catch (UndecodableEventException e) {
                throw new AssertionError(e);
            }
        }
        return results;
    }

    private FigureResult last() {
        List<FigureResult> results = results();
        return results.get(results.size() - 1);
    }

    private List<Standing> standings() {
        List<Standing> standings = new ArrayList<>();
        var output = harness.getSideOutput(AnomalyFunction.STANDINGS);
        if (output != null) {
            output.forEach(record -> standings.add(record.getValue()));
        }
        return standings;
    }

    private static KeyedBroadcastOperatorTestHarness<String, Member, InboundRecord, OutboundRecord> harness()
            throws Exception {
        return new KeyedBroadcastOperatorTestHarness<>(
                new CoBroadcastWithKeyedOperator<>(
                        new AnomalyFunction(MetricCatalogue.shippedYaml()), List.of(LiveSettings.STATE)),
                Member::key,
                Types.STRING,
                1,
                1,
                0);
    }
}
