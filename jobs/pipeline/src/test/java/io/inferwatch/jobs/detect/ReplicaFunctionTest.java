package io.inferwatch.jobs.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.schedule.SkewedLengths;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReplicaFunctionTest {
    private static final long END =
            1_000 * Instant.parse("2026-01-01T10:01:00Z").toEpochMilli();
    private static final long MINUTE = GroupWindows.MINUTE_MICROS;
    private static final int N = 2_000;

    private final EventCodec codec = new EventCodec();
    private KeyedOneInputStreamOperatorTestHarness<String, Member, OutboundRecord> harness = harness();

    @BeforeEach
    void open() throws Exception {
        harness.open();
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    /** Lengths vary by 0.8 / root 2; every latency is a length at 20 ms a token, half of them half as long and half of them half as long again. */
    @Test
    void aSchedulerBesideAnIdealOne() throws Exception {
        SkewedLengths lengths = new SkewedLengths(1_000, 0.8);
        send(requests()
                .values("output_tokens", N, i -> lengths.length(i))
                .values("e2e", N, i -> 20_000.0 * lengths.length(i) * (i % 2 == 0 ? 0.5 : 1.5)));
        send(engine().values("batch_fill", 60, i -> 500_000).values("batch_wanted", 60, i -> 750_000));
        send(gpus(i -> i % 2 == 0 ? 250_000 : 750_000));
        harness.processWatermark(END / 1_000 - 1);
        assertThat(figures("scheduler")).isEmpty();
        harness.processWatermark(END / 1_000);

        FigureResult told = figures("scheduler").get(0);
        assertThat(told.getView()).isEqualTo("engine-replica");
        assertThat(told.getDimensions()).contains(new Dimension("replica", "r-0"), new Dimension("model", "m"));
        double length = 0.8 / Math.sqrt(2);
        close(told, "length_variation", length, 0.01);
        close(told, "latency_variation", Math.sqrt((1 + length * length) * 1.25 - 1), 0.01);
        close(told, "latency_sigma_seconds", 20 * Math.sqrt((1 + length * length) * 1.25 - 1), 0.2);
        close(told, "utilisation_variation", 0.5, 0.01);
        close(told, "fill_rate", 0.5, 1e-9);
        close(told, "ideal_fill_rate", 0.75, 1e-9);
        close(told, "latency_deviation", 0.2, 0.01);
        close(told, "utilisation_deviation", 0.2, 0.01);
        close(told, "fill_deviation", 1 / 3.0, 1e-9);
        close(told, "deviation_index", Math.sqrt((0.04 + 0.04 + 1 / 9.0) / 3), 0.01);
        assertThat(told.getValues().get("latency_variation_low"))
                .isLessThan(told.getValues().get("latency_variation"));
        assertThat(told.getCounts()).containsEntry("n", (long) N);
    }

    @Test
    void withoutUtilisationThereIsNoIndex() throws Exception {
        send(requests().values("output_tokens", N, i -> 100).values("e2e", N, i -> 1_000_000 + i));
        send(engine());
        harness.processWatermark(END / 1_000);

        assertThat(figures("scheduler").get(0).getValues())
                .containsKeys("latency_variation", "length_variation")
                .doesNotContainKeys("deviation_index", "fill_rate", "utilisation_variation");
    }

    @Test
    void readingsThatDoNotTellWhoWaitsTellNoFill() throws Exception {
        send(engine().values("batch_fill", 60, i -> 500_000).values("batch_wanted", 30, i -> 500_000));
        harness.processWatermark(END / 1_000);
        assertThat(figures("scheduler")).isEmpty();
    }

    @Test
    void capturesAtStartUpAndLazyOnesApartAndAnewAfterAGap() throws Exception {
        captures(0, 35, 2, 0);
        captures(1, 4, 1, 500);
        captures(2, 10, 3, 500);
        captures(5, 35, 0, 0);
        harness.processWatermark((END + 10 * MINUTE) / 1_000);

        List<FigureResult> told = figures("graph_capture");
        assertThat(told)
                .extracting(
                        one -> one.getCounts().get("start_up_captures"),
                        one -> one.getCounts().get("start_up_failures"),
                        one -> one.getCounts().get("lazy_captures"),
                        one -> one.getCounts().get("lazy_failures"))
                .containsExactly(
                        tuple(35L, 2L, 0L, 0L), tuple(4L, 1L, 0L, 0L), tuple(0L, 0L, 10L, 3L), tuple(35L, 0L, 0L, 0L));
        assertThat(told.get(2).getValues()).containsEntry("lazy_failure_ratio", 0.3);
        assertThat(told.get(2).getValues().get("fallback_ratio")).isCloseTo(0.2, within(1e-12));
        assertThat(told.get(0).getValues()).doesNotContainKeys("lazy_failure_ratio", "fallback_ratio");
    }

    @Test
    void shapesAreNewOnceInAProcessAndARestartOfTheJobForgetsNone() throws Exception {
        batches(0, 16, 17, 64);
        OperatorSubtaskState snapshot = harness.snapshot(1, 1);
        harness.close();
        harness = harness();
        harness.initializeState(snapshot);
        harness.open();
        batches(1, 16, 64, 33);
        batches(4, 16);

        List<FigureResult> told = figures("graph_capture");
        assertThat(told)
                .extracting(one -> one.getCounts().get("new_shapes"), one -> one.getCounts()
                        .get("seen_shapes"))
                .containsExactly(tuple(1L, 4L), tuple(1L, 1L));
    }

    /** 20 microseconds of 20 ms: the width of a bucket is 148. */
    @Test
    void jitterBelowABucketComesFromSquares() throws Exception {
        long squares = 0;
        for (int i = 0; i < 600; i++) {
            long micros = i % 2 == 0 ? 19_980 : 20_020;
            squares += micros * micros;
        }
        send(engine().values("batch_size", 600, i -> 32)
                .values("step", 600, i -> i % 2 == 0 ? 19_980_000 : 20_020_000)
                .sum("step_squares", squares));
        harness.processWatermark(END / 1_000);

        FigureResult told = figures("graph_capture").get(0);
        close(told, "step_jitter_seconds", 20e-6 * Math.sqrt(600 / 599.0), 1e-9);
        close(told, "batch_variation", 0, 1e-9);
        close(told, "batch_mean", 32, 1e-9);
    }

    @Test
    void whatIsGoneForDaysIsForgotten() throws Exception {
        batches(0, 16);
        assertThat(harness.numKeyedStateEntries()).isPositive();
        harness.processWatermark(END / 1_000 + Duration.ofDays(3).toMillis());
        assertThat(harness.numKeyedStateEntries()).isZero();
        assertThat(harness.numEventTimeTimers()).isZero();
    }

    private void captures(int minute, long attempts, long failures, long steps) throws Exception {
        long end = END + minute * MINUTE;
        send(
                engine().sum("graph_captures", attempts)
                        .sum("graph_capture_failures", failures)
                        .sum("graph_steps", 4 * steps / 5)
                        .sum("eager_steps", steps / 5),
                end);
    }

    private void batches(int minute, int... sizes) throws Exception {
        long end = END + minute * MINUTE;
        send(engine().sum("graph_steps", 1).values("batch_size", 10 * sizes.length, i -> sizes[i % sizes.length]), end);
        harness.processWatermark(end / 1_000);
    }

    private static void close(FigureResult told, String field, double expected, double by) {
        assertThat(told.getValues().get(field)).as(field).isCloseTo(expected, within(by));
    }

    private static GroupWindows engine() {
        return new GroupWindows(
                "replica",
                "engine-replica",
                new Dimension("replica", "r-0"),
                new Dimension("model", "m"),
                new Dimension("version", "v1"));
    }

    private static GroupWindows requests() {
        return new GroupWindows(
                "replica", "replica-version", new Dimension("replica", "r-0"), new Dimension("version", "v1"));
    }

    private static GroupWindows gpus(IntToDoubleFunction utilisation) {
        return new GroupWindows("replica", "gpu-replica", new Dimension("replica", "r-0"))
                .values("gpu_utilisation", 60, utilisation);
    }

    private void send(GroupWindows windows) throws Exception {
        send(windows, END);
    }

    private void send(GroupWindows windows, long end) throws Exception {
        Member made = windows.member("", MINUTE, end);
        // The view's name tells members apart, as the series' does.
        harness.processElement(
                new Member("replica", "r-0", made.group(), made.windowMicros(), made.endMicros(), made.content()), 0);
    }

    private List<FigureResult> figures(String kind) throws Exception {
        List<FigureResult> found = new ArrayList<>();
        for (OutboundRecord record : harness.extractOutputValues()) {
            FigureResult figures = codec.decode(record.value(), FigureResult.class);
            if (figures.getKind().equals(kind)) {
                found.add(figures);
            }
        }
        return found;
    }

    private static KeyedOneInputStreamOperatorTestHarness<String, Member, OutboundRecord> harness() {
        try {
            return new KeyedOneInputStreamOperatorTestHarness<>(
                    new KeyedProcessOperator<>(new ReplicaFunction()), Member::key, Types.STRING);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
