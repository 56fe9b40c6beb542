package io.inferwatch.jobs.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.Setting;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.co.CoBroadcastWithKeyedOperator;
import org.apache.flink.streaming.util.KeyedBroadcastOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PaddingFunctionTest {
    private static final long HOUR = GroupWindows.HOUR_MICROS;
    private static final long DAY = 24 * HOUR;
    private static final long TEN =
            1_000 * Instant.parse("2026-01-01T10:00:00Z").toEpochMilli();

    private final EventCodec codec = new EventCodec();
    private KeyedBroadcastOperatorTestHarness<String, Member, InboundRecord, OutboundRecord> harness;

    @BeforeEach
    void open() throws Exception {
        harness = new KeyedBroadcastOperatorTestHarness<>(
                new CoBroadcastWithKeyedOperator<>(
                        new PaddingFunction(MetricCatalogue.shippedYaml()), List.of(LiveSettings.STATE)),
                Member::key,
                Types.STRING,
                1,
                1,
                0);
        harness.open();
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    @Test
    void boundariesOfThreeDaysAlikeAreAdvised() throws Exception {
        set("{boundaries: [128, 1024], count: 4}");
        for (int day = 0; day < 3; day++) {
            send(TEN + day * DAY);
            pass(TEN + day * DAY);
        }
        List<FigureResult> results = results();
        assertThat(results).hasSize(3);
        FigureResult last = results.get(2);
        assertThat(last.getKind()).isEqualTo("padding");
        assertThat(last.getWindowMicros()).isEqualTo(HOUR);
        assertThat(last.getWindowEndMicros()).isEqualTo(TEN + 2 * DAY);
        assertThat(last.getDimensions()).containsExactly(new Dimension("model", "m"), new Dimension("version", "v1"));
        // On each day 600 of 40, 350 of 120, 50 of 130 tokens; P99 is 130.
        assertThat(last.getCounts())
                .containsEntry("n", 3_000L)
                .containsEntry("days", 3L)
                .containsEntry("recommended", 1L)
                .containsEntry("boundary_1", 40L)
                .containsEntry("boundary_2", 120L)
                .containsEntry("boundary_3", 130L)
                .containsEntry("boundary_4", 1_024L)
                .doesNotContainKey("boundary_5");
        double tokens = 600 * 40 + 350 * 120 + 50 * 130;
        assertThat(last.getValues().get("current_padding_estimated"))
                .isCloseTo(1 - tokens / (950 * 128 + 50 * 1_024), within(1e-9));
        assertThat(last.getValues().get("optimal_padding_estimated")).isCloseTo(0, within(1e-9));
        assertThat(last.getValues().get("saving_estimated")).isCloseTo(1, within(1e-9));
        assertThat(last.getValues().get("least_saving_estimated")).isCloseTo(1, within(1e-9));
        assertThat(results.get(1).getCounts()).as("two days are too few").containsEntry("recommended", 0L);
    }

    @Test
    void withoutPresentBoundariesNothingIsAdvised() throws Exception {
        send(TEN);
        pass(TEN);
        assertThat(results()).isEmpty();
        set("{boundaries: [128, 1024]}");
        send(TEN + HOUR);
        pass(TEN + HOUR);
        assertThat(results()).as("what came before is not lost").singleElement().satisfies(result -> assertThat(
                        result.getCounts())
                .containsEntry("n", 2_000L));
    }

    @Test
    void aWindowThatComesTwiceCountsOnce() throws Exception {
        set("{boundaries: [128, 1024]}");
        send(TEN);
        send(TEN);
        pass(TEN);
        assertThat(results().get(0).getCounts()).containsEntry("n", 1_000L);
    }

    @Test
    void aDayIsForgottenAfterSevenAndASilentSeriesWithIt() throws Exception {
        set("{boundaries: [128, 1024]}");
        send(TEN);
        pass(TEN);
        send(TEN + 7 * DAY);
        pass(TEN + 7 * DAY);
        assertThat(results()).hasSize(2);
        assertThat(results().get(1).getCounts()).containsEntry("n", 1_000L);
        pass(TEN + 30 * DAY);
        assertThat(results()).as("silence is no hour").hasSize(2);
        var operator = (AbstractStreamOperator<?>) harness.getOperator();
        assertThat(((HeapKeyedStateBackend<?>) operator.getKeyedStateBackend()).numKeyValueStateEntries())
                .isZero();
    }

    private void send(long endMicros) throws Exception {
        GroupWindows window = new GroupWindows(
                        "padding", "model-version", new Dimension("model", "m"), new Dimension("version", "v1"))
                .values("sequence_tokens", 1_000, i -> i < 600 ? 40 : i < 950 ? 120 : 130);
        harness.processElement(
                window.member("padding/m/v1", "model-version/m/v1", GroupWindows.MINUTE_MICROS, endMicros), 0);
    }

    private void pass(long micros) throws Exception {
        harness.processWatermark(micros / 1_000);
        harness.processBroadcastWatermark(micros / 1_000);
    }

    private void set(String yaml) throws Exception {
        harness.processBroadcastElement(
                new InboundRecord(
                        "config",
                        0,
                        0,
                        0,
                        "padding/m".getBytes(StandardCharsets.UTF_8),
                        codec.encode(new Setting("padding", "m", TEN, yaml))),
                0);
    }

    private List<FigureResult> results() {
        return harness.extractOutputValues().stream()
                .map(record -> {
                    try {
                        return codec.decode(record.value(), FigureResult.class);
                    } catch (UndecodableEventException e) {
                        throw new AssertionError(e);
                    }
                })
                .toList();
    }
}
