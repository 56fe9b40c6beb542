package io.inferwatch.probes.load;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A run under the names of {@code vllm bench serve --save-result --save-detailed}: {@code vllm_bench.json}. TTFT and E2E count from the sending, {@code client_queue_time} and {@code e2el_including_client_queue} have what went before. An answer of
 * one token has no time between tokens and is left out of it, not 0. Answers' texts are not kept, so {@code generated_texts} are empty.
 */
final class VllmExport {
    static final String FILE = "vllm_bench.json";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);
    private static final int[] PERCENTILES = {50, 90, 95, 99};
    private static final double SECOND_MICROS = 1e6;

    private final RunReport report;
    private final Optional<Goodput> goodput;
    private final List<FinishedRequest> good;

    VllmExport(RunReport report, Optional<Goodput> goodput) {
        this.report = report;
        this.goodput = goodput;
        this.good = report.requests().stream().filter(FinishedRequest::isGood).toList();
    }

    void write(Path directory) throws IOException {
        JSON.writerWithDefaultPrettyPrinter().writeValue(directory.resolve(FILE).toFile(), result());
    }

    ObjectNode result() {
        RunSummary summary = report.summary();
        Map<String, String> options = report.options();
        String concurrency = options.get("max-concurrency");
        ObjectNode node = JSON.createObjectNode()
                .put("date", DATE.format(Instant.EPOCH.plus(report.beginAtMicros(), ChronoUnit.MICROS)))
                .put("endpoint_type", options.get("endpoint"))
                .put("backend", "openai-" + options.get("endpoint"))
                .put("label", report.run())
                .put("model_id", options.get("model"))
                .putNull("tokenizer_id")
                .put("num_prompts", summary.requests());
        putRate(node, options.get("request-rate"));
        node.put("burstiness", burstiness(options))
                .put("max_concurrency", concurrency == null ? null : Integer.valueOf(concurrency))
                .put("duration", summary.seconds())
                .put("completed", summary.good())
                .put("failed", summary.failedTotal())
                .put("total_input_tokens", summary.promptTokens())
                .put("total_output_tokens", summary.outputTokens())
                .put("request_throughput", summary.requestRate())
                .put("request_goodput", requestGoodput(summary))
                .put("output_throughput", summary.outputRate())
                .put("total_token_throughput", summary.totalRate())
                .put("max_output_tokens_per_s", mostTokensOfASecond())
                .put("max_concurrent_requests", summary.mostOpen());
        add(node, "ttft", FinishedRequest::sentTtftMicros, 1e-3);
        add(node, "tpot", request -> request.event().getTpotNanos(), 1e-6);
        add(node, "itl", summary.chunkGapMicros().times(1e-3));
        add(node, "e2el", FinishedRequest::sentE2eMicros, 1e-3);
        add(node, "client_queue_time", VllmExport::queuedMicros, 1e-3);
        add(node, "e2el_including_client_queue", FinishedRequest::e2eMicros, 1e-3);
        addDetails(node);
        return node;
    }

    private static void putRate(ObjectNode node, @Nullable String rate) {
        if (rate == null) {
            node.put("request_rate", "inf");
        } else {
            node.put("request_rate", Double.parseDouble(rate));
        }
    }

    private static double burstiness(Map<String, String> options) {
        return Double.parseDouble(options.getOrDefault("burstiness", "1"));
    }

    private @Nullable Double requestGoodput(RunSummary summary) {
        return goodput.filter(limits -> summary.seconds() > 0)
                .map(limits -> limits.good(report.requests()) / summary.seconds())
                .orElse(null);
    }

    /** Waiting for a place and for the generator itself, as that tool has both in one. */
    private static Number queuedMicros(FinishedRequest request) {
        return request.queuedMicros() + request.lagMicros();
    }

    private void add(ObjectNode node, String name, Function<FinishedRequest, @Nullable Number> value, double factor) {
        add(node, name, Distribution.of(good, value).times(factor));
    }

    private static void add(ObjectNode node, String name, Distribution millis) {
        if (millis.isEmpty()) {
            return;
        }
        node.put("mean_" + name + "_ms", millis.mean());
        node.put("median_" + name + "_ms", millis.quantile(0.5));
        node.put("std_" + name + "_ms", millis.deviation());
        for (int percentile : PERCENTILES) {
            node.put("p" + percentile + "_" + name + "_ms", millis.quantile(percentile / 100.0));
        }
    }

    /** Chunks of the fullest second; null where chunks were not kept. */
    private @Nullable Long mostTokensOfASecond() {
        Map<Long, Long> seconds = new HashMap<>();
        for (FinishedRequest request : report.requests()) {
            int[] chunks = request.chunkMicros();
            if (chunks == null) {
                return null;
            }
            for (int micros : chunks) {
                seconds.merge((request.sentAtMicros() + micros) / 1_000_000, 1L, Long::sum);
            }
        }
        return seconds.values().stream().max(Long::compare).orElse(null);
    }

    private void addDetails(ObjectNode node) {
        long beginAtMicros = report.beginAtMicros();
        ArrayNode inputs = node.putArray("input_lens");
        ArrayNode outputs = node.putArray("output_lens");
        ArrayNode ttfts = node.putArray("ttfts");
        ArrayNode itls = node.putArray("itls");
        ArrayNode latencies = node.putArray("latencies");
        ArrayNode starts = node.putArray("start_times");
        ArrayNode queues = node.putArray("queue_times");
        ArrayNode texts = node.putArray("generated_texts");
        ArrayNode errors = node.putArray("errors");
        for (FinishedRequest request : report.requests()) {
            inputs.add(request.event().getPromptTokens());
            outputs.add(request.event().getOutputTokens());
            ttfts.add(seconds(request.sentTtftMicros()));
            itls.add(gaps(request.chunkMicros()));
            latencies.add(seconds(request.sentE2eMicros()));
            starts.add((request.sentAtMicros() - beginAtMicros) / SECOND_MICROS);
            queues.add(queuedMicros(request).longValue() / SECOND_MICROS);
            texts.add("");
            errors.add(request.isGood() ? "" : request.event().getOutcome().name());
        }
    }

    private static ArrayNode gaps(int @Nullable [] chunks) {
        ArrayNode gaps = JSON.createArrayNode();
        if (chunks != null) {
            for (int i = 1; i < chunks.length; i++) {
                gaps.add((chunks[i] - chunks[i - 1]) / SECOND_MICROS);
            }
        }
        return gaps;
    }

    private static @Nullable Double seconds(@Nullable Long micros) {
        return micros == null ? null : (Double) (micros / SECOND_MICROS);
    }
}
