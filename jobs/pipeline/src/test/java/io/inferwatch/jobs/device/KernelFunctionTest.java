package io.inferwatch.jobs.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.jobs.ingest.OutboundRecord;
import io.inferwatch.jobs.ingest.Sample;
import io.inferwatch.schemas.Dimension;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.KernelProfile;
import io.inferwatch.schemas.Profiler;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class KernelFunctionTest {
    private static final long TEN = Instant.parse("2026-01-01T10:00:00Z").toEpochMilli();
    private static final long MINUTE = Duration.ofMinutes(1).toMillis();

    private final EventCodec codec = new EventCodec();
    private KeyedOneInputStreamOperatorTestHarness<String, Sample, OutboundRecord> harness;

    @BeforeEach
    void open() throws Exception {
        harness = new KeyedOneInputStreamOperatorTestHarness<>(
                new KeyedProcessOperator<>(new KernelFunction()), Sample::subject, Types.STRING);
        harness.open();
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    /** Two kernels each, a large and a small one; of a third nobody knows the hits, of a fourth nothing. */
    @Test
    void cachesByTheMixOfPrecisions() throws Exception {
        send(kernel("gemm", "fp16+bf16")
                .setL2Requests(900_000L)
                .setL2Hits(810_000L)
                .setL2Bytes(28_890_000L));
        send(kernel("norm", "fp16+bf16")
                .setL2Requests(100_000L)
                .setL2Hits(77_000L)
                .setL2Bytes(3_210_000L));
        send(kernel("gemm", "fp16+int4")
                .setL2Requests(1_000_000L)
                .setL2Hits(653_000L)
                .setL2Bytes(18_900_000L));
        send(kernel("topk", "fp16+int4").setL2Requests(5_000_000L));
        send(kernel("scan", "fp16+int4"));
        harness.processWatermark(TEN + MINUTE - 1);
        assertThat(figures("kernel_cache")).isEmpty();
        harness.processWatermark(TEN + MINUTE);

        List<FigureResult> told = figures("kernel_cache");
        assertThat(told).hasSize(2);
        assertThat(told.get(0).getDimensions())
                .containsExactly(
                        new Dimension("replica", "r-0"),
                        new Dimension("model", "m"),
                        new Dimension("precision", "fp16+bf16"));
        close(told.get(0), "l2_miss_ratio", 0.113);
        close(told.get(0), "l2_bytes_per_request", 32.1);
        close(told.get(1), "l2_miss_ratio", 0.347);
        close(told.get(1), "l2_bytes_per_request", 18.9);
        assertThat(told.get(1).getCounts())
                .containsEntry("kernels_left_out", 2L)
                .containsEntry("cache_requests", 1_000_000L);
    }

    @Test
    void ratesAreWeightedByTime() throws Exception {
        send(kernel("long", "fp8")
                .setDurationTotalNanos(3_000L)
                .setL1HitPpm(800_000L)
                .setInstructionsPerCyclePpm(2_000_000L));
        send(kernel("short", "fp8")
                .setDurationTotalNanos(1_000L)
                .setL1HitPpm(400_000L)
                .setInstructionsPerCyclePpm(400_000L));
        send(kernel("untold", "fp8").setDurationTotalNanos(9_000L));
        harness.processWatermark(TEN + MINUTE);

        FigureResult told = figures("kernel_cache").get(0);
        close(told, "l1_hit_ratio", 0.7);
        close(told, "instructions_per_cycle", 1.6);
    }

    /** Of another minute each; the tracer's second profile stands for its first. */
    @Test
    void threeSourcesOfAStageSideBySide() throws Exception {
        timed(0, Profiler.CUDA_EVENTS, "a", 100, 100_000);
        timed(1, Profiler.KINETO, "b", 100, 900_000);
        timed(2, Profiler.KINETO, "c", 100, 110_000);
        timed(3, Profiler.NSIGHT_COMPUTE, "d", 20, 130_000);

        List<FigureResult> told = figures("kernel_timing");
        assertThat(told).hasSize(4);
        assertThat(told.get(0).getValues()).as("one alone").doesNotContainKey("disagreement");
        FigureResult last = told.get(3);
        assertThat(last.getDimensions()).contains(new Dimension("stage", "attention"));
        close(last, "cuda_events_seconds", 100e-6);
        close(last, "kineto_seconds", 110e-6);
        close(last, "nsight_compute_seconds", 130e-6);
        close(last, "disagreement", 0.3);
        assertThat(last.getCounts()).containsEntry("nsight_compute_calls", 20L);
        assertThat(last.getValues().get("kineto_change")).isCloseTo(0.1, within(0.001));
        assertThat(last.getValues().get("kineto_low_change")).isGreaterThan(0.05);
    }

    @Test
    void afterAWeekSourcesAreForgotten() throws Exception {
        timed(0, Profiler.CUDA_EVENTS, "a", 100, 100_000);
        assertThat(harness.numKeyedStateEntries()).isPositive();
        harness.processWatermark(TEN + Duration.ofDays(22).toMillis());
        assertThat(harness.numKeyedStateEntries()).isZero();
    }

    private void timed(int minute, Profiler profiler, String profile, int calls, long nanos) throws Exception {
        QuantileSketch sketch = new QuantileSketch();
        for (int i = 0; i < calls; i++) {
            sketch.add(i % 2 == 0 ? nanos * 9 / 10 : nanos * 11 / 10);
        }
        send(kernel("flash", "fp16")
                .setProfiledAtMicros((TEN + minute * MINUTE + 1_000) * 1_000)
                .setProfiler(profiler)
                .setProfile(profile)
                .setStage("attention")
                .setCalls(calls)
                .setDurationTotalNanos(calls * nanos)
                .setDurationSketch(ByteBuffer.wrap(SketchEncoding.encode(sketch))));
        harness.processWatermark(TEN + (minute + 1) * MINUTE);
    }

    private static KernelProfile.Builder kernel(String name, String precision) {
        return KernelProfile.newBuilder()
                .setStream("s")
                .setSequence(0)
                .setProfiledAtMicros((TEN + 1_000) * 1_000)
                .setReplica("r-0")
                .setModel("m")
                .setProfiler(Profiler.NSIGHT_COMPUTE)
                .setProfile("p")
                .setKernel(name)
                .setPrecision(precision)
                .setCalls(1);
    }

    private void send(KernelProfile.Builder built) throws Exception {
        KernelProfile profile = built.build();
        long atMillis = profile.getProfiledAtMicros() / 1_000;
        harness.processElement(
                new Sample(
                        new InboundRecord("inferwatch.kernels", 0, 0, atMillis, null, codec.encode(profile)),
                        "inferwatch.kernels/r-0",
                        profile.getProfiledAtMicros(),
                        "",
                        ""),
                atMillis);
    }

    private static void close(FigureResult told, String field, double expected) {
        assertThat(told.getValues().get(field)).as(field).isCloseTo(expected, within(1e-9));
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
}
