package io.inferwatch.probes.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The exports against the field lists of AIPerf's schema 1.5 and of vLLM's benchmark. */
class ExportsTest {
    private static final long BEGIN = 1_790_000_000_000_000L;
    private static final List<String> AIPERF_TOP = List.of(
            "schema_version",
            "aiperf_version",
            "benchmark_id",
            "start_time",
            "end_time",
            "was_cancelled",
            "input_config",
            "run_info",
            "telemetry_data",
            "error_summary",
            "warmup_metrics");
    private static final List<String> AIPERF_RUN_INFO = List.of(
            "benchmark_id",
            "sweep_id",
            "random_seed",
            "trial",
            "run_label",
            "variation_label",
            "variation_index",
            "variation_values",
            "cli_command");
    private static final List<String> AIPERF_RECORD_TAGS = List.of(
            "time_to_first_token",
            "time_to_second_token",
            "time_to_first_output_token",
            "request_latency",
            "decode_duration",
            "inter_token_latency",
            "inter_chunk_latency",
            "output_token_throughput_per_user",
            "prefill_throughput_per_user",
            "output_sequence_length",
            "input_sequence_length",
            "output_token_count",
            "reasoning_token_count");
    private static final List<String> AIPERF_AGGREGATE_TAGS = List.of(
            "request_throughput",
            "request_count",
            "error_request_count",
            "output_token_throughput",
            "total_token_throughput",
            "total_osl",
            "total_output_tokens",
            "good_request_count",
            "good_request_fraction",
            "goodput",
            "benchmark_duration",
            "min_request_timestamp",
            "max_response_timestamp",
            "replay_sched_lag_p50",
            "replay_sched_lag_p90",
            "replay_sched_lag_p99",
            "replay_sched_degraded");
    private static final List<String> AIPERF_BLOCK = List.of(
            "unit", "avg", "min", "max", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "std", "count",
            "sum");
    private static final List<String> AIPERF_METADATA = List.of(
            "session_num",
            "x_request_id",
            "x_correlation_id",
            "conversation_id",
            "turn_index",
            "request_start_ns",
            "request_ack_ns",
            "request_end_ns",
            "worker_id",
            "record_processor_id",
            "benchmark_phase",
            "was_cancelled",
            "cancellation_time_ns");
    private static final List<String> VLLM = List.of(
            "date",
            "endpoint_type",
            "backend",
            "label",
            "model_id",
            "tokenizer_id",
            "num_prompts",
            "request_rate",
            "burstiness",
            "max_concurrency",
            "duration",
            "completed",
            "failed",
            "total_input_tokens",
            "total_output_tokens",
            "request_throughput",
            "request_goodput",
            "output_throughput",
            "total_token_throughput",
            "max_output_tokens_per_s",
            "max_concurrent_requests",
            "input_lens",
            "output_lens",
            "ttfts",
            "itls",
            "latencies",
            "start_times",
            "queue_times",
            "generated_texts",
            "errors");

    private final RunReport report = report();
    private final Optional<Goodput> goodput = Optional.of(new Goodput.Converter().convert("ttft:105ms,tpot:50ms"));

    @Test
    void aiperfsSummaryHasItsFields() {
        JsonNode node = new AiperfExport(report, goodput).summary();
        assertHas(node, AIPERF_TOP);
        assertHas(node.path("run_info"), AIPERF_RUN_INFO);
        assertThat(node.path("schema_version").asText()).isEqualTo("1.5");
        AIPERF_RECORD_TAGS.forEach(tag -> assertHas(node.path(tag), AIPERF_BLOCK));
        AIPERF_AGGREGATE_TAGS.forEach(tag -> assertHas(node.path(tag), List.of("unit", "avg")));
    }

    /** Ten answers sent 2 ms late, TTFT 100 to 109 ms from the schedule, so 98 to 107 ms from the sending; ten gaps of 20 ms. */
    @Test
    void aiperfsFiguresCountFromTheSending() {
        JsonNode node = new AiperfExport(report, goodput).summary();
        assertThat(node.at("/time_to_first_token/avg").asDouble()).isCloseTo(102.5, within(1e-9));
        assertThat(node.at("/time_to_first_token/p50").asDouble()).isCloseTo(102.5, within(1e-9));
        assertThat(node.at("/time_to_first_token/p90").asDouble()).isCloseTo(106.1, within(1e-9));
        assertThat(node.at("/time_to_first_token/unit").asText()).isEqualTo("ms");
        assertThat(node.at("/inter_token_latency/avg").asDouble()).isCloseTo(20, within(1e-9));
        assertThat(node.at("/inter_chunk_latency/count").asInt()).isEqualTo(100);
        assertThat(node.at("/request_latency/min").asDouble()).isCloseTo(298, within(1e-9));
        assertThat(node.at("/output_sequence_length/sum").asDouble()).isEqualTo(110);
        assertThat(node.at("/output_token_count/sum").asDouble()).isEqualTo(100);
        assertThat(node.at("/request_count/avg").asDouble()).isEqualTo(10);
        assertThat(node.at("/error_request_count/avg").asDouble()).isEqualTo(1);
        assertThat(node.at("/error_summary/0/error_details/type").asText()).isEqualTo("HTTP_ERROR");
        // 98 to 105 ms are within the limit: eight of eleven.
        assertThat(node.at("/good_request_count/avg").asDouble()).isEqualTo(8);
        assertThat(node.at("/good_request_fraction/avg").asDouble()).isCloseTo(8 / 11.0, within(1e-9));
        assertThat(node.at("/replay_sched_lag_p50/avg").asDouble()).isCloseTo(2, within(1e-9));
    }

    @Test
    void aiperfsRecordsHaveTheirFields(@TempDir Path directory) throws IOException {
        new AiperfExport(report, goodput).write(directory);
        List<JsonNode> lines = new ArrayList<>();
        for (String line : Files.readAllLines(directory.resolve(AiperfExport.RECORDS_FILE))) {
            lines.add(new ObjectMapper().readTree(line));
        }
        assertThat(lines).hasSize(11).allSatisfy(line -> {
            assertHas(line, List.of("metadata", "metrics", "error"));
            assertHas(line.path("metadata"), AIPERF_METADATA);
        });
        assertThat(lines.get(0).at("/metrics/time_to_first_token/value").asDouble())
                .isCloseTo(98, within(1e-9));
        assertThat(lines.get(0).path("error").isNull()).isTrue();
        assertThat(lines.get(10).at("/error/code").asInt()).isEqualTo(500);
        assertThat(lines.get(10).at("/metrics/time_to_first_token").isMissingNode())
                .isTrue();
    }

    @Test
    void vllmsResultHasItsFields() {
        JsonNode node = new VllmExport(report, goodput).result();
        assertHas(node, VLLM);
        for (String metric :
                List.of("ttft", "tpot", "itl", "e2el", "client_queue_time", "e2el_including_client_queue")) {
            assertHas(
                    node,
                    List.of(
                            "mean_" + metric + "_ms",
                            "median_" + metric + "_ms",
                            "std_" + metric + "_ms",
                            "p99_" + metric + "_ms"));
        }
        assertThat(node.path("request_rate").asText()).isEqualTo("inf");
        assertThat(node.path("completed").asInt()).isEqualTo(10);
        assertThat(node.path("failed").asInt()).isEqualTo(1);
        assertThat(node.path("mean_ttft_ms").asDouble()).isCloseTo(102.5, within(1e-9));
        assertThat(node.path("mean_e2el_including_client_queue_ms").asDouble())
                .isCloseTo(node.path("mean_e2el_ms").asDouble() + 2, within(1e-9));
        assertThat(node.path("mean_client_queue_time_ms").asDouble()).isCloseTo(2, within(1e-9));
        assertThat(node.path("ttfts").get(10).isNull()).isTrue();
        assertThat(node.path("itls").get(0)).hasSize(10);
        assertThat(node.at("/itls/0/0").asDouble()).isCloseTo(0.02, within(1e-9));
        assertThat(node.at("/errors/10").asText()).isEqualTo("HTTP_ERROR");
        assertThat(node.path("max_concurrent_requests").asInt()).isEqualTo(1);
    }

    @Test
    void withoutLimitsNothingIsCalledGood() {
        assertThat(new VllmExport(report, Optional.empty())
                        .result()
                        .path("request_goodput")
                        .isNull())
                .isTrue();
        assertThat(new AiperfExport(report, Optional.empty()).summary().has("goodput"))
                .isFalse();
    }

    @Test
    void theSingleRunHasFourNumbers() {
        JsonNode node = new SingleRunRecord(report).record();
        assertThat(node.path("prefill_latency_ms").asDouble()).isCloseTo(102.5, within(1e-9));
        assertThat(node.path("decode_latency_per_token_ms").asDouble()).isCloseTo(20, within(1e-9));
        assertThat(node.path("peak_gpu_mem_gb").isNull()).isTrue();
        // 10 x 111 tokens from the first sending, 2 ms after its time, to the eleventh's failure, 1 ms after its own.
        assertThat(node.path("total_tokens_per_second").asDouble()).isCloseTo(1_110 / 9.999, within(1e-6));
        assertThat(node.path("total_tokens_per_second_std").isNull()).isTrue();
        assertThat(node.path("stable").isNull()).isTrue();
    }

    @Test
    void theResultFileHasEveryRequestsTimeline(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("result.json");
        ResultFile.write(file, report);
        JsonNode node = new ObjectMapper().readTree(file.toFile());
        assertThat(node.path("valid").asBoolean()).isTrue();
        assertThat(node.path("requests")).hasSize(11);
        JsonNode first = node.at("/requests/0");
        assertThat(first.path("ttft_micros").asLong()).isEqualTo(100_000);
        assertThat(first.path("sent_ttft_micros").asLong()).isEqualTo(98_000);
        assertThat(first.path("chunk_micros")).hasSize(11);
        assertThat(first.at("/chunk_micros/0").asLong()).isEqualTo(98_000);
        assertThat(node.at("/requests/10/ttft_micros").isNull()).isTrue();
        assertThat(node.at("/summary/ttft_micros/n").asInt()).isEqualTo(10);
        assertThat(node.at("/summary/failed_by_outcome/HTTP_ERROR").asInt()).isEqualTo(1);
    }

    /** numpy of 3, 1, 4, 1, 5, 9, 2, 6. */
    @Test
    void quantilesAreNumpys() {
        Distribution values = Distribution.of(Stream.of(3, 1, 4, 1, 5, 9, 2, 6));
        assertThat(values.quantile(0.25)).isCloseTo(1.75, within(1e-12));
        assertThat(values.quantile(0.9)).isCloseTo(6.9, within(1e-12));
        assertThat(values.quantile(0.99)).isCloseTo(8.79, within(1e-12));
        assertThat(values.deviation()).isCloseTo(2.5708704751503917, within(1e-12));
    }

    private static void assertHas(JsonNode node, List<String> fields) {
        assertThat(fields)
                .allSatisfy(field -> assertThat(node.has(field)).as(field).isTrue());
    }

    private static RunReport report() {
        List<FinishedRequest> requests = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            long ttft = 100_000 + i * 1_000L;
            requests.add(Finished.late(i, BEGIN + i * 1_000_000L, ttft, ttft + 200_000, 2_000));
        }
        requests.add(Finished.failed(10, 0, BEGIN + 10_000_000L));
        Distribution floor = Distribution.of(Stream.of(200, 300));
        return new RunReport(
                "test",
                Map.of("endpoint", "chat", "seed", "1"),
                BEGIN,
                BEGIN + 11_000_000L,
                new SelfTest(100, floor, floor),
                1,
                3,
                0,
                null,
                5_000,
                requests,
                List.of(),
                new Environment(2, "17", "Linux", null, 0, null));
    }
}
