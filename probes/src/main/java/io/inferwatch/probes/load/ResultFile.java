package io.inferwatch.probes.load;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.inferwatch.schemas.RequestEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Writes a run as one JSON file: what it was, its summary, and every request with its timeline. Absent is null. Nothing of a prompt is in it. */
final class ResultFile {
    private static final ObjectMapper JSON = new ObjectMapper();

    private ResultFile() {}

    static void write(Path file, RunReport report) throws IOException {
        try (JsonGenerator out = JSON.createGenerator(file.toFile(), JsonEncoding.UTF8)) {
            out.setPrettyPrinter(new DefaultPrettyPrinter().withArrayIndenter(new DefaultPrettyPrinter.NopIndenter()));
            out.writeStartObject();
            out.writeStringField("run", report.run());
            out.writeNumberField("begin_at_micros", report.beginAtMicros());
            out.writeNumberField("end_at_micros", report.endAtMicros());
            out.writeBooleanField("valid", report.isValid());
            out.writePOJOField("invalid_because", report.invalidity());
            out.writePOJOField("cautions", report.cautions());
            out.writeStringField("stopped_because", report.stopReason());
            out.writeNumberField("warm_up_requests", report.warmUps());
            out.writeNumberField("unsent_requests", report.unsent());
            out.writePOJOField("options", new TreeMap<>(report.options()));
            out.writePOJOField("environment", environment(report.environment()));
            out.writePOJOField("self_test", selfTest(report.selfTest()));
            out.writePOJOField("summary", summary(report.summary()));
            out.writePOJOField(
                    "iterations",
                    report.byIteration().stream().map(ResultFile::summary).toList());
            out.writePOJOField(
                    "steps", report.steps().stream().map(ResultFile::step).toList());
            out.writeArrayFieldStart("requests");
            for (FinishedRequest request : report.requests()) {
                out.writeRaw("\n");
                out.writeTree(request(request));
            }
            out.writeEndArray();
            out.writeEndObject();
            out.writeRaw("\n");
        }
    }

    private static ObjectNode environment(Environment environment) {
        return JSON.createObjectNode()
                .put("processors", environment.processors())
                .put("java", environment.java())
                .put("system", environment.system())
                .put("governor", environment.governor())
                .put("collector_millis", environment.collectorMillis())
                .put("load_average", environment.loadAverage());
    }

    private static ObjectNode selfTest(SelfTest test) {
        ObjectNode node = JSON.createObjectNode().put("rate_per_second", test.ratePerSecond());
        node.set("ttft_micros", distribution(test.ttftMicros()));
        node.set("lag_micros", distribution(test.lagMicros()));
        return node;
    }

    private static ObjectNode summary(RunSummary summary) {
        ObjectNode node =
                JSON.createObjectNode().put("requests", summary.requests()).put("failed", summary.failedTotal());
        node.set("failed_by_outcome", JSON.valueToTree(summary.failed()));
        node.put("seconds", summary.seconds())
                .put("requests_per_second", summary.requestRate())
                .put("output_tokens_per_second", summary.outputRate())
                .put("total_tokens_per_second", summary.totalRate())
                .put("most_open", summary.mostOpen());
        summary.metrics().forEach((metric, values) -> node.set(metric.label(), distribution(values)));
        node.set("chunk_gap_micros", distribution(summary.chunkGapMicros()));
        return node;
    }

    private static @Nullable ObjectNode distribution(Distribution values) {
        if (values.isEmpty()) {
            return null;
        }
        return JSON.createObjectNode()
                .put("n", values.n())
                .put("mean", values.mean())
                .put("deviation", values.deviation())
                .put("min", values.min())
                .put("p50", values.quantile(0.5))
                .put("p90", values.quantile(0.9))
                .put("p95", values.quantile(0.95))
                .put("p99", values.quantile(0.99))
                .put("max", values.max());
    }

    private static ObjectNode step(StepResult step) {
        return JSON.createObjectNode()
                .put("step", step.number())
                .put("asked_per_second", step.askedRate())
                .put("begin_at_micros", step.beginAtMicros())
                .put("seconds", step.seconds())
                .put("requests", step.requests())
                .put("failed", step.failed())
                .put("due_per_second", step.rate())
                .put("p99_micros", step.knownP99Micros().map(Math::round).orElse(null))
                .put("verdict", step.label());
    }

    private static ObjectNode request(FinishedRequest request) {
        RequestEvent event = request.event();
        ObjectNode node = JSON.createObjectNode()
                .put("id", event.getRequestId())
                .put("phase", request.phase())
                .put("step", request.planned().step() + 1)
                .put("session", request.planned().session())
                .put("turn", request.planned().turn())
                .put("scheduled_at_micros", event.getScheduledAtMicros())
                .put("sent_at_micros", event.getSentAtMicros())
                .put("completed_at_micros", event.getCompletedAtMicros())
                .put("queued_micros", request.queuedMicros())
                .put("lag_micros", request.lagMicros())
                .put("outcome", event.getOutcome().name())
                .put("http_status", event.getHttpStatus())
                .put("error_type", event.getErrorType())
                .put("planned_prompt_tokens", request.planned().promptTokens())
                .put("planned_output_tokens", request.planned().answerTokens())
                .put("prompt_tokens", event.getPromptTokens())
                .put("cached_tokens", event.getCachedTokens())
                .put("output_tokens", event.getOutputTokens())
                .put("reasoning_tokens", event.getReasoningTokens())
                .put("ttft_micros", request.ttftMicros())
                .put("sent_ttft_micros", request.sentTtftMicros())
                .put("e2e_micros", request.e2eMicros())
                .put("sent_e2e_micros", request.sentE2eMicros())
                .put("tpot_nanos", event.getTpotNanos())
                .put("max_stall_micros", event.getMaxStallMicros());
        int[] chunks = request.chunkMicros();
        node.set("chunk_micros", chunks == null ? null : JSON.valueToTree(chunks));
        return node;
    }
}
