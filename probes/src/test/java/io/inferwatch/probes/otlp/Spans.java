package io.inferwatch.probes.otlp;

import com.google.protobuf.ByteString;
import io.inferwatch.probes.identity.IdentityRules;
import io.inferwatch.schemas.settings.Settings;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.ArrayValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Span.SpanKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;

/** Spans for tests, and what reads them. */
final class Spans {
    static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    static final String CALLER = "b7ad6b7169203331";
    static final long START_NANOS = 1_700_000_000_000_000_000L;

    private Spans() {}

    /** A span of a second whose id is this number. */
    static Span.Builder span(String name, SpanKind kind, long id) {
        return Span.newBuilder()
                .setName(name)
                .setKind(kind)
                .setTraceId(hex(TRACE))
                .setParentSpanId(hex(CALLER))
                .setSpanId(hex("%016x".formatted(id)))
                .setStartTimeUnixNano(START_NANOS)
                .setEndTimeUnixNano(START_NANOS + 1_000_000_000L);
    }

    /** As vLLM writes it. */
    static Span.Builder vllm(long id) {
        return span("llm_request", SpanKind.SPAN_KIND_SERVER, id)
                .addAttributes(text("gen_ai.request.id", "cmpl-req-" + id + "-0"))
                .addAttributes(whole("gen_ai.request.max_tokens", 64))
                .addAttributes(whole("gen_ai.usage.prompt_tokens", 10))
                .addAttributes(whole("gen_ai.usage.completion_tokens", 5))
                .addAttributes(seconds("gen_ai.latency.time_in_queue", 0.05))
                .addAttributes(seconds("gen_ai.latency.time_to_first_token", 0.25))
                .addAttributes(seconds("gen_ai.latency.time_in_model_prefill", 0.2))
                .addAttributes(seconds("gen_ai.latency.time_in_model_decode", 0.7))
                .addAttributes(seconds("gen_ai.latency.e2e", 0.95));
    }

    static KeyValue text(String key, String value) {
        return attribute(key, AnyValue.newBuilder().setStringValue(value));
    }

    static KeyValue texts(String key, String... values) {
        ArrayValue.Builder array = ArrayValue.newBuilder();
        for (String value : values) {
            array.addValues(AnyValue.newBuilder().setStringValue(value));
        }
        return attribute(key, AnyValue.newBuilder().setArrayValue(array));
    }

    static KeyValue whole(String key, long value) {
        return attribute(key, AnyValue.newBuilder().setIntValue(value));
    }

    static KeyValue seconds(String key, double value) {
        return attribute(key, AnyValue.newBuilder().setDoubleValue(value));
    }

    static KeyValue flag(String key, boolean value) {
        return attribute(key, AnyValue.newBuilder().setBoolValue(value));
    }

    static Resource resource(KeyValue... attributes) {
        return Resource.newBuilder().addAllAttributes(List.of(attributes)).build();
    }

    static ExportTraceServiceRequest batch(Resource resource, Span.Builder... spans) {
        ScopeSpans.Builder scope = ScopeSpans.newBuilder();
        for (Span.Builder span : spans) {
            scope.addSpans(span);
        }
        return ExportTraceServiceRequest.newBuilder()
                .addResourceSpans(
                        ResourceSpans.newBuilder().setResource(resource).addScopeSpans(scope))
                .build();
    }

    static ByteString hex(String digits) {
        return ByteString.copyFrom(HexFormat.of().parseHex(digits));
    }

    /** The default rules with a salt of the test's. */
    static IdentityRules identity(Path directory) {
        try {
            Path salt = Files.writeString(directory.resolve("salt"), "0123456789abcdef0123");
            return IdentityRules.of(Settings.parse("identity", "salt-file: " + salt));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static KeyValue attribute(String key, AnyValue.Builder value) {
        return KeyValue.newBuilder().setKey(key).setValue(value).build();
    }
}
