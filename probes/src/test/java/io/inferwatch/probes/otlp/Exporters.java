package io.inferwatch.probes.otlp;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporter;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** The official SDK and its exporters, as an engine uses them. */
public final class Exporters {
    private static final long TIMEOUT_SECONDS = 20;

    private Exporters() {}

    public static SpanExporter http(int port, String compression) {
        return OtlpHttpSpanExporter.builder()
                .setEndpoint("http://127.0.0.1:" + port + "/v1/traces")
                .setCompression(compression)
                .build();
    }

    public static SpanExporter grpc(int port, String compression) {
        return OtlpGrpcSpanExporter.builder()
                .setEndpoint("http://127.0.0.1:" + port)
                .setCompression(compression)
                .build();
    }

    static boolean sendVllm(SpanExporter exporter, String replica, String traceId, String callerSpanId) {
        return sendVllm(exporter, replica, traceId, callerSpanId, Instant.ofEpochSecond(0, Spans.START_NANOS));
    }

    /** Sends vLLM's span of one request of a second whose caller's span is this, and says whether the answer was success. */
    public static boolean sendVllm(
            SpanExporter exporter, String replica, String traceId, String callerSpanId, Instant start) {
        Resource resource = Resource.create(Attributes.of(AttributeKey.stringKey("service.instance.id"), replica));
        CompletableResultCode sent;
        try (SdkTracerProvider provider = SdkTracerProvider.builder()
                .setResource(resource)
                .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                .build()) {
            Context caller = Context.root()
                    .with(Span.wrap(SpanContext.createFromRemoteParent(
                            traceId, callerSpanId, TraceFlags.getSampled(), TraceState.getDefault())));
            provider.get("vllm.llm_engine")
                    .spanBuilder("llm_request")
                    .setSpanKind(SpanKind.SERVER)
                    .setParent(caller)
                    .setStartTimestamp(start)
                    .setAttribute("gen_ai.request.id", "chatcmpl-" + traceId)
                    .setAttribute("gen_ai.usage.prompt_tokens", 10L)
                    .setAttribute("gen_ai.usage.completion_tokens", 5L)
                    .setAttribute("gen_ai.latency.time_in_queue", 0.05)
                    .setAttribute("gen_ai.latency.time_to_first_token", 0.25)
                    .setAttribute("gen_ai.latency.e2e", 0.95)
                    .startSpan()
                    .end(start.plusSeconds(1));
            sent = provider.forceFlush().join(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        }
        return sent.isSuccess();
    }
}
