package io.inferwatch.probes.load;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A run under the names of AIPerf's exports, schema 1.5, so that what reads those reads this: {@code profile_export_aiperf.json} and {@code profile_export.jsonl}. Latencies count from the sending, as
 * they do there; the schedule's part is in {@code replay_sched_lag_*}, counted from the schedule itself and not from the least late request. What was not measured is left out.
 */
final class AiperfExport {
    static final String SUMMARY_FILE = "profile_export_aiperf.json";
    static final String RECORDS_FILE = "profile_export.jsonl";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SCHEMA_VERSION = "1.5";
    private static final int[] PERCENTILES = {1, 5, 10, 25, 50, 75, 90, 95, 99};
    private static final double DEGRADED_LAG_MILLIS = 500;
    private static final int CANCELLED_CODE = 499;

    private final RunReport report;
    private final Optional<Goodput> goodput;
    private final List<FinishedRequest> good;

    AiperfExport(RunReport report, Optional<Goodput> goodput) {
        this.report = report;
        this.goodput = goodput;
        this.good = report.requests().stream().filter(FinishedRequest::isGood).toList();
    }

    void write(Path directory) throws IOException {
        JSON.writerWithDefaultPrettyPrinter()
                .writeValue(directory.resolve(SUMMARY_FILE).toFile(), summary());
        try (BufferedWriter out = Files.newBufferedWriter(directory.resolve(RECORDS_FILE))) {
            for (FinishedRequest request : report.requests()) {
                out.write(JSON.writeValueAsString(record(request)));
                out.write('\n');
            }
        }
    }

    ObjectNode summary() {
        ObjectNode node = JSON.createObjectNode()
                .put("schema_version", SCHEMA_VERSION)
                .put("aiperf_version", "none: written by inferwatch")
                .put("benchmark_id", report.run())
                .put("start_time", instant(report.beginAtMicros()))
                .put("end_time", instant(report.endAtMicros()))
                .put("was_cancelled", report.stopReason() != null);
        node.set("input_config", JSON.valueToTree(report.options()));
        node.set("run_info", runInfo());
        node.putObject("telemetry_data").putObject("endpoints");
        node.set("error_summary", errors());
        node.putObject("warmup_metrics").set("request_count", single("requests", report.warmUps()));
        addMetrics(node);
        return node;
    }

    private ObjectNode runInfo() {
        return JSON.createObjectNode()
                .put("benchmark_id", report.run())
                .putNull("sweep_id")
                .put("random_seed", report.options().get("seed"))
                .put("trial", 1)
                .put("run_label", report.run())
                .putNull("variation_label")
                .putNull("variation_index")
                .putNull("variation_values")
                .put("cli_command", report.options().get("command"));
    }

    private ArrayNode errors() {
        ArrayNode errors = JSON.createArrayNode();
        report.summary().failed().forEach((outcome, count) -> errors.addObject()
                .put("count", count)
                .set("error_details", JSON.createObjectNode().put("type", outcome)));
        return errors;
    }

    private void addMetrics(ObjectNode node) {
        RunSummary summary = report.summary();
        set(node, "time_to_first_token", "ms", FinishedRequest::sentTtftMicros, 1e-3);
        set(node, "time_to_second_token", "ms", AiperfExport::secondTokenMicros, 1e-3);
        set(node, "time_to_first_output_token", "ms", AiperfExport::firstOutputMicros, 1e-3);
        set(node, "request_latency", "ms", FinishedRequest::sentE2eMicros, 1e-3);
        set(node, "decode_duration", "ms", AiperfExport::decodeMicros, 1e-3);
        set(node, "inter_token_latency", "ms", request -> request.event().getTpotNanos(), 1e-6);
        put(
                node,
                "inter_chunk_latency",
                "ms",
                Distribution.of(good.stream().flatMap(RunSummary::gaps)).times(1e-3));
        set(node, "output_token_throughput_per_user", "tokens/sec/user", AiperfExport::userRate, 1);
        set(node, "prefill_throughput_per_user", "tokens/sec/user", AiperfExport::prefillRate, 1);
        set(node, "output_sequence_length", "tokens", request -> request.event().getOutputTokens(), 1);
        set(node, "input_sequence_length", "tokens", request -> request.event().getPromptTokens(), 1);
        set(node, "output_token_count", "tokens", AiperfExport::plainTokens, 1);
        set(node, "reasoning_token_count", "tokens", request -> request.event().getReasoningTokens(), 1);
        node.set("request_throughput", single("requests/sec", summary.requestRate()));
        node.set("request_count", single("requests", summary.good()));
        node.set("error_request_count", single("requests", summary.failedTotal()));
        node.set("output_token_throughput", single("tokens/sec", summary.outputRate()));
        node.set("total_token_throughput", single("tokens/sec", summary.totalRate()));
        node.set("total_osl", single("tokens", summary.outputTokens()));
        node.set("total_output_tokens", single("tokens", sum(AiperfExport::plainTokens)));
        goodput.ifPresent(limits -> {
            long count = limits.good(report.requests());
            node.set("good_request_count", single("requests", count));
            node.set("good_request_fraction", single("ratio", count / (double) Math.max(1, summary.requests())));
            node.set("goodput", single("requests/sec", summary.seconds() > 0 ? count / summary.seconds() : 0));
        });
        node.set("benchmark_duration", single("sec", summary.seconds()));
        put(node, "min_request_timestamp", "ns", sentNanos().min());
        put(node, "max_response_timestamp", "ns", endNanos().max());
        addLag(node, summary.metric(RequestMetric.LAG).times(1e-3));
    }

    private void addLag(ObjectNode node, Distribution lagMillis) {
        if (!lagMillis.isEmpty()) {
            for (int percentile : new int[] {50, 90, 99}) {
                node.set("replay_sched_lag_p" + percentile, single("ms", lagMillis.quantile(percentile / 100.0)));
            }
            node.set("replay_sched_degraded", single("bool", lagMillis.quantile(0.99) > DEGRADED_LAG_MILLIS ? 1 : 0));
        }
    }

    private LongStream sentNanos() {
        return report.requests().stream().mapToLong(request -> request.sentAtMicros() * 1_000);
    }

    private LongStream endNanos() {
        return report.requests().stream().mapToLong(request -> request.event().getCompletedAtMicros() * 1_000);
    }

    private double sum(Function<FinishedRequest, @Nullable Number> value) {
        return Distribution.of(good, value).sum();
    }

    private void set(
            ObjectNode node,
            String tag,
            String unit,
            Function<FinishedRequest, @Nullable Number> value,
            double factor) {
        put(node, tag, unit, Distribution.of(good, value).times(factor));
    }

    private static void put(ObjectNode node, String tag, String unit, Distribution values) {
        if (!values.isEmpty()) {
            node.set(tag, block(unit, values));
        }
    }

    private static void put(ObjectNode node, String tag, String unit, OptionalLong value) {
        value.ifPresent(present -> node.set(tag, single(unit, present)));
    }

    private static ObjectNode block(String unit, Distribution values) {
        ObjectNode block = JSON.createObjectNode()
                .put("unit", unit)
                .put("avg", values.mean())
                .put("min", values.min())
                .put("max", values.max());
        for (int percentile : PERCENTILES) {
            block.put("p" + percentile, values.quantile(percentile / 100.0));
        }
        return block.put("std", values.deviation()).put("count", values.n()).put("sum", values.sum());
    }

    private static ObjectNode single(String unit, Number value) {
        return JSON.createObjectNode().put("unit", unit).put("avg", value.doubleValue());
    }

    /** One line of the records. */
    static ObjectNode record(FinishedRequest request) {
        RequestEvent event = request.event();
        boolean isCancelled = event.getOutcome() == Outcome.CLIENT_CANCEL;
        long sentNanos = request.sentAtMicros() * 1_000;
        long endNanos = event.getCompletedAtMicros() * 1_000;
        Long headers = event.getUpstreamHeadersMicros();
        ObjectNode node = JSON.createObjectNode();
        ObjectNode metadata = node.putObject("metadata")
                .put("session_num", request.planned().number())
                .put("x_request_id", event.getRequestId())
                .put("x_correlation_id", event.getRequestId())
                .put("conversation_id", request.planned().session())
                .put(
                        "turn_index",
                        request.planned().turn() == null ? 0 : request.planned().turn() - 1)
                .put("request_start_ns", sentNanos);
        metadata.put("request_ack_ns", headers == null ? null : (Long) ((event.getStartedAtMicros() + headers) * 1_000))
                .put("request_end_ns", endNanos)
                .put("worker_id", "inferwatch")
                .put("record_processor_id", "inferwatch")
                .put("benchmark_phase", "profiling")
                .put("was_cancelled", isCancelled)
                .put("cancellation_time_ns", isCancelled ? (Long) endNanos : null);
        ObjectNode metrics = node.putObject("metrics");
        value(metrics, "time_to_first_token", "ms", request.sentTtftMicros(), 1e-3);
        value(metrics, "time_to_second_token", "ms", secondTokenMicros(request), 1e-3);
        value(metrics, "time_to_first_output_token", "ms", firstOutputMicros(request), 1e-3);
        value(metrics, "request_latency", "ms", request.sentE2eMicros(), 1e-3);
        value(metrics, "inter_token_latency", "ms", event.getTpotNanos(), 1e-6);
        value(metrics, "input_sequence_length", "tokens", event.getPromptTokens(), 1);
        value(metrics, "output_sequence_length", "tokens", event.getOutputTokens(), 1);
        value(metrics, "output_token_count", "tokens", plainTokens(request), 1);
        if (request.isGood()) {
            node.putNull("error");
        } else {
            Integer status = event.getHttpStatus();
            node.putObject("error")
                    .put("code", isCancelled ? (Integer) CANCELLED_CODE : status)
                    .put(
                            "type",
                            isCancelled
                                    ? "RequestCancellationError"
                                    : event.getOutcome().name())
                    .put("message", event.getErrorType());
        }
        return node;
    }

    private static void value(ObjectNode metrics, String tag, String unit, @Nullable Number value, double factor) {
        if (value != null) {
            metrics.putObject(tag).put("value", value.doubleValue() * factor).put("unit", unit);
        }
    }

    private static @Nullable Number secondTokenMicros(FinishedRequest request) {
        int[] chunks = request.chunkMicros();
        return chunks == null || chunks.length < 2 ? null : (Number) (chunks[1] - chunks[0]);
    }

    private static @Nullable Number firstOutputMicros(FinishedRequest request) {
        Long output = request.event().getTtfoMicros();
        return output == null ? null : (Number) (output - (request.sentAtMicros() - request.dueAtMicros()));
    }

    private static @Nullable Number decodeMicros(FinishedRequest request) {
        Long ttft = request.ttftMicros();
        Long e2e = request.e2eMicros();
        return ttft == null || e2e == null ? null : (Number) (e2e - ttft);
    }

    private static @Nullable Number userRate(FinishedRequest request) {
        Long nanos = request.event().getTpotNanos();
        return nanos == null || nanos == 0 ? null : (Number) (1e9 / nanos);
    }

    private static @Nullable Number prefillRate(FinishedRequest request) {
        Long tokens = request.event().getPromptTokens();
        Long ttft = request.sentTtftMicros();
        return tokens == null || ttft == null || ttft == 0 ? null : (Number) (tokens * 1e6 / ttft);
    }

    private static @Nullable Number plainTokens(FinishedRequest request) {
        Long output = request.event().getOutputTokens();
        Long reasoning = request.event().getReasoningTokens();
        return output == null ? null : (Number) (output - (reasoning == null ? 0 : reasoning));
    }

    private static String instant(long atMicros) {
        return Instant.EPOCH.plus(atMicros, ChronoUnit.MICROS).toString();
    }
}
