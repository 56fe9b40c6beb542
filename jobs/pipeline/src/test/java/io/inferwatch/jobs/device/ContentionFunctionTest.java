package io.inferwatch.jobs.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.Granularity;
import io.inferwatch.schemas.OperatorMetric;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ContentionFunctionTest {
    private static final long TEN =
            1_000 * Instant.parse("2026-01-01T10:00:00Z").toEpochMilli();
    private static final long MINUTE = MinuteFigures.MINUTE_MICROS;
    private static final List<String> UNITS = List.of("text", "image", "audio");

    private final EventCodec codec = new EventCodec();
    private KeyedOneInputStreamOperatorTestHarness<String, UnitOperation, OutboundRecord> harness;

    @BeforeEach
    void open() throws Exception {
        harness = new KeyedOneInputStreamOperatorTestHarness<>(
                new KeyedProcessOperator<>(new ContentionFunction()), UnitOperation::device, Types.STRING);
        harness.open();
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    /** Half of the operations meet others and last 37.4 us longer: 18.7 us for each of all. Under the new schedule 6.4: 3.2. */
    @Test
    void timeLostBeforeAndAfterAChangeOfTheSchedule() throws Exception {
        minute(0, "fifo", 37.4);
        FigureResult before = byUnit().get("image");
        minute(1, "partitioned", 6.4);
        FigureResult after = byUnit().get("image");

        assertThat(before.getDimensions())
                .containsExactly(
                        new Dimension("replica", "mm-0"),
                        new Dimension("device", "GPU-1"),
                        new Dimension("modality", "image"));
        close(before, "lost_seconds", 18.7e-6, 0.05e-6);
        assertThat(before.getValues().get("lost_low_seconds")).isBetween(15e-6, 18.7e-6);
        assertThat(before.getValues()).doesNotContainKeys("lost_change_seconds", "lost_before_seconds");
        assertThat(before.getTexts()).containsEntry("schedule", "fifo").doesNotContainKey("schedule_before");
        close(after, "lost_seconds", 3.2e-6, 0.05e-6);
        close(after, "lost_before_seconds", 18.7e-6, 0.05e-6);
        close(after, "lost_change_seconds", -15.5e-6, 0.1e-6);
        assertThat(after.getValues().get("lost_change_high_seconds")).isNegative();
        assertThat(after.getTexts()).containsEntry("schedule", "partitioned").containsEntry("schedule_before", "fifo");
        assertThat(after.getCounts()).containsEntry("operations", 200L).containsEntry("uncovered", 0L);
    }

    /** In each of 200 slots the units are busy 200 us each: in the even ones after each other, in the odd ones at once. */
    @Test
    void unitsThatAreBusyAtOnce() throws Exception {
        minute(0, "fifo", 0);
        FigureResult text = byUnit().get("text");
        double each = 100 * 200e-6;
        close(text, "alone_seconds", each, 1e-9);
        close(text, "shared_seconds", each, 1e-9);
        close(text, "overlap", each / 60, 1e-9);
        close(text, "units_busy", 6 * each / 60, 1e-9);
    }

    @Test
    void operationsOfOneUnitDoNotContend() throws Exception {
        for (int i = 0; i < 100; i++) {
            send("text", "fifo", TEN + 1_000 + i * 50L, 200);
        }
        harness.processWatermark((TEN + MINUTE) / 1_000);
        FigureResult told = byUnit().get("text");
        assertThat(told.getValues()).containsEntry("overlap", 0.0).doesNotContainKey("lost_seconds");
    }

    @Test
    void aUnitThatIsSilentForADayIsForgotten() throws Exception {
        minute(0, "fifo", 0);
        harness.processWatermark(TEN / 1_000 + Duration.ofDays(3).toMillis());
        assertThat(harness.numKeyedStateEntries()).isZero();
        assertThat(harness.numEventTimeTimers()).isZero();
    }

    @Test
    void whatOperatorsReportIsAnOperationUntilItsEnd() {
        OperatorMetric metric = OperatorMetric.newBuilder()
                .setStream("s")
                .setSequence(0)
                .setMeasuredAtMicros(TEN)
                .setReplica("mm-0")
                .setGpu("GPU-1")
                .setName("modality_operation_seconds")
                .setValue(200e-6)
                .setGranularity(Granularity.FORWARD_PASS)
                .setVersion("v1")
                .setLabels(Map.of("modality", "audio", "size", "300"))
                .build();
        assertThat(UnitOperation.of(metric))
                .isEqualTo(new UnitOperation("GPU-1", "mm-0", "audio", "v1", 300, TEN * 1_000 - 200_000, TEN * 1_000));
        metric.setGpu(null);
        metric.setLabels(Map.of("modality", "audio", "size", "large", "schedule", "fifo"));
        assertThat(UnitOperation.of(metric))
                .isEqualTo(new UnitOperation("mm-0", "mm-0", "audio", "fifo", 0, TEN * 1_000 - 200_000, TEN * 1_000));
        assertThat(UnitOperation.of(metric).bucket()).isZero();
    }

    private void minute(int minute, String schedule, double lostMicros) throws Exception {
        for (int slot = 0; slot < 200; slot++) {
            long start = TEN + minute * MINUTE + slot * 10_000L;
            // By two lengths, so that there is a variance.
            double own = lostMicros == 0 ? 200 : slot % 4 < 2 ? 195 : 205;
            for (int unit = 0; unit < UNITS.size(); unit++) {
                boolean isShared = slot % 2 == 1;
                send(
                        UNITS.get(unit),
                        schedule,
                        start + (isShared ? 0 : unit * 1_000L),
                        own + (isShared ? lostMicros : 0));
            }
        }
        harness.processWatermark((TEN + (minute + 1) * MINUTE) / 1_000);
    }

    private void send(String unit, String schedule, long startMicros, double micros) throws Exception {
        long end = startMicros * 1_000 + Math.round(micros * 1_000);
        harness.processElement(
                new UnitOperation("GPU-1", "mm-0", unit, schedule, 128, startMicros * 1_000, end), end / 1_000_000);
    }

    private static void close(FigureResult told, String field, double expected, double by) {
        assertThat(told.getValues().get(field)).as(field).isCloseTo(expected, within(by));
    }

    /** The figures of each unit since they were last taken. */
    private Map<String, FigureResult> byUnit() throws Exception {
        Map<String, FigureResult> found = new TreeMap<>();
        for (OutboundRecord record : harness.extractOutputValues()) {
            FigureResult figures = codec.decode(record.value(), FigureResult.class);
            found.put(figures.getDimensions().get(2).getValue(), figures);
        }
        harness.getOutput().clear();
        return found;
    }
}
