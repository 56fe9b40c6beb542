package io.inferwatch.probes.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.schemas.EngineHistogram;
import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.GpuSample;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;

/**
 * One page of each engine in its documented format, every number of it expected by hand. Counters begin at 0 on a page before, of the same process, so that
 * what stands on the page is what was counted.
 */
class EnginePagesTest {
    private static final String[] NOT_SIGNALS = {
        "stream", "sequence", "sampledAtMicros", "intervalMicros", "replica", "mapping", "gpu", "state", "origin"
    };

    @Test
    void vllmUnderItsNewNames() throws IOException {
        EngineSample sample = second("vllm-new");
        assertThat(told(sample))
                .isEqualTo(expected(
                        "engine",
                        "vllm",
                        "model",
                        "llama",
                        "runningRequests",
                        12L,
                        "waitingRequests",
                        4L,
                        "kvUsagePpm",
                        750_000L,
                        "kvBlockTokens",
                        16L,
                        "kvTotalBlocks",
                        27_541L,
                        "maxAdapters",
                        4L,
                        "succeededTotal",
                        25L,
                        "abortedTotal",
                        2L,
                        "promptTokensTotal",
                        5_000L,
                        "generatedTokensTotal",
                        700L,
                        "cachedTokensTotal",
                        460L,
                        "prefixQueriedTotal",
                        1_000L,
                        "prefixHitTotal",
                        400L,
                        "externalQueriedTotal",
                        600L,
                        "externalHitTotal",
                        60L,
                        "preemptionsTotal",
                        4L,
                        "draftsTotal",
                        50L,
                        "draftTokensTotal",
                        150L,
                        "acceptedTokensTotal",
                        90L,
                        "stepsTotal",
                        300L,
                        "stepTokensTotal",
                        5_700L,
                        "queueTotalMicros",
                        3_500_000L,
                        "prefillTotalMicros",
                        1_250_000L,
                        "decodeTotalMicros",
                        40_500_000L,
                        "requestTotalMicros",
                        45_250_000L,
                        "computedFlopsTotal",
                        2_500_000_000L,
                        "readBytesTotal",
                        3_000_000_000_000L,
                        "writtenBytesTotal",
                        1_000_000_000_000L));
        assertThat(sample.getRunningAdapters()).containsExactly("sql", "chat");
        assertThat(sample.getWaitingAdapters()).containsExactly("fr");
        assertThat(sample.getConfiguration())
                .isEqualTo(
                        Map.of("cache_dtype", "fp8", "enable_prefix_caching", "True", "gpu_memory_utilization", "0.9"));
        assertThat(sample.getHistograms())
                .containsExactlyInAnyOrder(
                        histogram("queue", "request", List.of(300_000L, 500_000L), List.of(20L, 4L, 1L), 3_500_000),
                        histogram("itl", "chunk", List.of(10_000L), List.of(100L, 575L), 40_500_000));
        assertThat(sample.getMarks()).containsExactly("saturated-histogram");
    }

    @Test
    void vllmUnderItsOldNames() throws IOException {
        EngineSample sample = second("vllm-old");
        assertThat(told(sample))
                .isEqualTo(expected(
                        "engine",
                        "vllm",
                        "model",
                        "llama",
                        "runningRequests",
                        12L,
                        "waitingRequests",
                        4L,
                        "pausedRequests",
                        1L,
                        "kvUsagePpm",
                        750_000L,
                        "prefixHitPpm",
                        400_000L,
                        "generatedTokensPerSecond",
                        350L,
                        "succeededTotal",
                        25L,
                        "promptTokensTotal",
                        5_000L,
                        "generatedTokensTotal",
                        700L,
                        "prefixQueriedTotal",
                        1_000L,
                        "prefixHitTotal",
                        400L,
                        "preemptionsTotal",
                        4L,
                        "queueTotalMicros",
                        3_500_000L));
        assertThat(sample.getHistograms())
                .containsExactlyInAnyOrder(
                        histogram("queue", "request", List.of(300_000L), List.of(20L, 5L), 3_500_000),
                        histogram("itl", "chunk", List.of(10_000L), List.of(100L, 575L), 40_500_000));
    }

    @Test
    void sglang() throws IOException {
        EngineSample sample = second("sglang");
        assertThat(told(sample))
                .isEqualTo(expected(
                        "engine",
                        "sglang",
                        "model",
                        "qwen",
                        "runningRequests",
                        9L,
                        "waitingRequests",
                        2L,
                        "pausedRequests",
                        3L,
                        "decodeTokens",
                        45_000L,
                        "generatedTokensPerSecond",
                        821L,
                        "kvUsagePpm",
                        500_000L,
                        "kvBlockTokens",
                        64L,
                        "kvTotalBlocks",
                        1_565L,
                        "kvTotalTokens",
                        100_200L,
                        "kvUsedTokens",
                        50_100L,
                        "kvEvictableTokens",
                        12_000L,
                        "prefixHitPpm",
                        125_000L,
                        "weightBytes",
                        14L << 30,
                        "kvCacheBytes",
                        40L << 30,
                        "graphBytes",
                        2L << 30,
                        "succeededTotal",
                        25L,
                        "abortedTotal",
                        2L,
                        "promptTokensTotal",
                        5_000L,
                        "generatedTokensTotal",
                        700L,
                        "cachedTokensTotal",
                        460L,
                        "prefixQueriedTotal",
                        1_000L,
                        "prefixHitTotal",
                        460L,
                        "preemptionsTotal",
                        3L,
                        "retractedTokensTotal",
                        990L,
                        "draftsTotal",
                        50L,
                        "graphStepsTotal",
                        280L,
                        "eagerStepsTotal",
                        20L,
                        "queueTotalMicros",
                        3_500_000L,
                        "kvTransferTotalMicros",
                        120_500L));
        assertThat(sample.getHistograms())
                .containsExactlyInAnyOrder(
                        histogram("ttft", "request", List.of(100_000L), List.of(10L, 10L), 4_000_000),
                        histogram("queue", "request", List.of(0L, 1_000L), List.of(0L, 15L, 10L), 3_500_000));
    }

    @Test
    void trtllmServe() throws IOException {
        EngineSample sample = second("trtllm");
        assertThat(told(sample))
                .isEqualTo(expected(
                        "engine",
                        "trtllm",
                        "runningRequests",
                        7L,
                        "waitingRequests",
                        3L,
                        "pausedRequests",
                        1L,
                        "maxRequests",
                        64L,
                        "batchTokens",
                        906L,
                        "kvUsagePpm",
                        500_000L,
                        "prefixHitPpm",
                        400_000L,
                        "kvBlockTokens",
                        32L,
                        "kvTotalBlocks",
                        2_000L,
                        "kvUsedBlocks",
                        1_000L,
                        "kvFreeBlocks",
                        1_000L,
                        "engineGpuBytes",
                        60_000_000_000L,
                        "succeededTotal",
                        25L,
                        "abortedTotal",
                        2L,
                        "failedTotal",
                        1L,
                        "promptTokensTotal",
                        5_000L,
                        "generatedTokensTotal",
                        700L,
                        "cachedTokensTotal",
                        460L,
                        "prefixQueriedTotal",
                        100L,
                        "prefixHitTotal",
                        40L,
                        "draftTokensTotal",
                        150L,
                        "acceptedTokensTotal",
                        90L,
                        "stepsTotal",
                        300L,
                        "queueTotalMicros",
                        3_500_000L));
    }

    @Test
    void trtllmServeUnderItsOldNames() throws IOException {
        EngineSample sample = second("trtllm-old");
        assertThat(told(sample))
                .isEqualTo(expected(
                        "engine",
                        "trtllm",
                        "succeededTotal",
                        25L,
                        "queueTotalMicros",
                        3_500_000L,
                        "requestTotalMicros",
                        45_250_000L));
        assertThat(sample.getHistograms())
                .containsExactlyInAnyOrder(
                        histogram("e2e", "request", List.of(300_000L), List.of(5L, 20L), 45_250_000),
                        histogram("queue", "request", List.of(300_000L), List.of(20L, 5L), 3_500_000));
    }

    @Test
    void tritonWithItsTensorRtLlmBackend() throws IOException {
        TargetReadings.Page page = page("triton");
        assertThat(told(Objects.requireNonNull(page.engine())))
                .isEqualTo(expected(
                        "engine",
                        "triton",
                        "runningRequests",
                        7L,
                        "waitingRequests",
                        3L,
                        "maxRequests",
                        64L,
                        "batchTokens",
                        906L,
                        "kvUsagePpm",
                        500_000L,
                        "kvBlockTokens",
                        64L,
                        "kvTotalBlocks",
                        2_000L,
                        "kvUsedBlocks",
                        1_000L,
                        "kvFreeBlocks",
                        1_000L,
                        "engineGpuBytes",
                        60_000_000_000L,
                        "succeededTotal",
                        25L,
                        "abortedTotal",
                        2L,
                        "failedTotal",
                        3L,
                        "stepsTotal",
                        300L,
                        "queueTotalMicros",
                        3_500_000L,
                        "requestTotalMicros",
                        45_250_000L,
                        "kvTransferTotalMicros",
                        120_000L));
        assertThat(told(page.gpus().get(0)))
                .isEqualTo(expected(
                        "memorySource",
                        "dcgm",
                        "busyPpm",
                        870_000L,
                        "totalBytes",
                        80L << 30,
                        "usedBytes",
                        64L << 30,
                        "powerMilliwatts",
                        412_500L,
                        "powerLimitMilliwatts",
                        700_000L,
                        "energyMillijoulesTotal",
                        1_000_500L));
    }

    @Test
    void tgi() throws IOException {
        assertThat(told(second("tgi")))
                .isEqualTo(expected(
                        "engine",
                        "tgi",
                        "runningRequests",
                        7L,
                        "waitingRequests",
                        3L,
                        "succeededTotal",
                        25L,
                        "failedTotal",
                        3L,
                        "promptTokensTotal",
                        5_000L,
                        "generatedTokensTotal",
                        700L,
                        "stepsTotal",
                        300L,
                        "queueTotalMicros",
                        3_500_000L,
                        "requestTotalMicros",
                        45_250_000L));
    }

    @Test
    void llamacpp() throws IOException {
        assertThat(told(second("llamacpp")))
                .isEqualTo(expected(
                        "engine",
                        "llamacpp",
                        "runningRequests",
                        7L,
                        "waitingRequests",
                        3L,
                        "generatedTokensPerSecond",
                        17L,
                        "requestsPerStepPpm",
                        2_500_000L,
                        "longestSequenceTokens",
                        4_096L,
                        "promptTokensTotal",
                        5_000L,
                        "generatedTokensTotal",
                        700L,
                        "prefillTotalMicros",
                        1_250_000L,
                        "decodeTotalMicros",
                        40_500_000L,
                        "stepsTotal",
                        300L,
                        "draftsTotal",
                        50L,
                        "draftTokensTotal",
                        150L,
                        "acceptedTokensTotal",
                        90L));
    }

    @Test
    void dynamo() throws IOException {
        EngineSample sample = second("dynamo");
        assertThat(told(sample))
                .isEqualTo(expected(
                        "engine",
                        "dynamo",
                        "model",
                        "llama",
                        "runningRequests",
                        7L,
                        "waitingRequests",
                        3L,
                        "maxRequests",
                        64L,
                        "kvUsagePpm",
                        500_000L,
                        "kvBlockTokens",
                        16L,
                        "kvUsedBlocks",
                        1_000L,
                        "kvTotalBlocks",
                        2_000L,
                        "prefixHitPpm",
                        400_000L,
                        "succeededTotal",
                        25L,
                        "failedTotal",
                        1L,
                        "promptTokensTotal",
                        5_000L,
                        "generatedTokensTotal",
                        700L,
                        "requestTotalMicros",
                        45_250_000L));
        assertThat(sample.getMarks()).contains("waiting-holds-prefill");
    }

    @Test
    void dcgmExporter() throws IOException {
        TargetReadings.Page page = page("dcgm");
        assertThat(page.engine()).isNull();
        assertThat(page.gpus()).hasSize(1);
        GpuSample gpu = page.gpus().get(0);
        assertThat(gpu.getGpu()).isEqualTo("GPU-b");
        assertThat(told(gpu))
                .isEqualTo(expected(
                        "index",
                        3,
                        "name",
                        "NVIDIA H200",
                        "node",
                        "node-7",
                        "pod",
                        "chat-0",
                        "memorySource",
                        "dcgm",
                        "usedBytes",
                        120L << 30,
                        "freeBytes",
                        20L << 30,
                        "reservedBytes",
                        600L << 20,
                        "busyPpm",
                        870_000L,
                        "memoryTrafficPpm",
                        410_000L,
                        "encoderPpm",
                        0L,
                        "decoderPpm",
                        10_000L,
                        "engineActivePpm",
                        900_000L,
                        "tensorActivePpm",
                        450_000L,
                        "dramActivePpm",
                        625_000L,
                        "pcieSentBytesPerSecond",
                        1_000_000L,
                        "pcieReceivedBytesPerSecond",
                        2_000_000L,
                        "powerMilliwatts",
                        412_525L,
                        "temperatureCelsius",
                        58L,
                        "memoryTemperatureCelsius",
                        66L,
                        "smClockMegahertz",
                        1_980L,
                        "memoryClockMegahertz",
                        3_201L,
                        "remappedRows",
                        3L,
                        "rowRemapFailed",
                        false,
                        "energyMillijoulesTotal",
                        9_000L,
                        "pcieReplaysTotal",
                        4L,
                        "powerThrottledTotalMicros",
                        5_000L,
                        "thermalThrottledTotalMicros",
                        0L,
                        "xidEventsTotal",
                        0L));
    }

    @Test
    void noSeriesOfThesePagesIsUnknown() throws IOException {
        for (String name : List.of(
                "vllm-new",
                "vllm-old",
                "sglang",
                "trtllm",
                "trtllm-old",
                "triton",
                "tgi",
                "llamacpp",
                "dynamo",
                "dcgm")) {
            assertThat(page(name).unknown()).as(name).isZero();
        }
    }

    private static EngineSample second(String name) throws IOException {
        return Objects.requireNonNull(page(name).engine());
    }

    private static TargetReadings.Page page(String name) throws IOException {
        try (InputStream in = EnginePagesTest.class.getResourceAsStream(name + ".prom")) {
            String text = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
            String[] lines = text.lines().toArray(String[]::new);
            String[] zeros = new String[lines.length];
            for (int i = 0; i < lines.length; i++) {
                zeros[i] = lines[i].startsWith("process_start") || lines[i].startsWith("#")
                        ? lines[i]
                        : lines[i].replaceAll(" \\S+$", " 0");
            }
            ScrapedTarget target = new ScrapedTarget();
            target.page(zeros);
            return target.page(lines);
        }
    }

    /** The fields of a record that say anything, but for lists, marks and what every sample has. */
    private static Map<String, Object> told(SpecificRecord record) {
        Map<String, Object> told = new HashMap<>();
        for (Schema.Field field : record.getSchema().getFields()) {
            Object value = record.get(field.pos());
            boolean isPlain = value instanceof String || value instanceof Number || value instanceof Boolean;
            if (isPlain && !List.of(NOT_SIGNALS).contains(field.name())) {
                told.put(field.name(), value);
            }
        }
        return told;
    }

    private static Map<String, Object> expected(Object... pairs) {
        Map<String, Object> expected = new HashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            expected.put((String) pairs[i], pairs[i + 1]);
        }
        return expected;
    }

    private static EngineHistogram histogram(
            String signal, String basis, List<Long> boundsMicros, List<Long> totals, long sumMicros) {
        return EngineHistogram.newBuilder()
                .setSignal(signal)
                .setBasis(basis)
                .setBoundsMicros(boundsMicros)
                .setTotals(totals)
                .setSumTotalMicros(sumMicros)
                .build();
    }
}
