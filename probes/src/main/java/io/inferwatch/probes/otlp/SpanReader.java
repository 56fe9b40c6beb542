package io.inferwatch.probes.otlp;

import io.inferwatch.probes.identity.HeaderLookup;
import io.inferwatch.probes.identity.IdentityRules;
import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.probes.identity.RequestIdentity;
import io.inferwatch.schemas.Endpoint;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Source;
import io.inferwatch.schemas.TokenSource;
import io.inferwatch.schemas.Traffic;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Span.SpanKind;
import io.opentelemetry.proto.trace.v1.Status.StatusCode;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Turns a span about a request into an event: vLLM's {@code llm_request}, SGLang's span of a whole request, and spans after the GenAI semantic
 * conventions, by their old names and by their new ones. What a span does not say is null, never 0. A first chunk is no first token, for it may hold the role only.
 *
 * <p>The event's parent span is the one that stood in the request's {@code traceparent} on the wire: a server span's parent, a client span's
 * own id. So everyone who saw the same request agrees on it.
 */
final class SpanReader {
    static final String VLLM_SPAN = "llm_request";
    static final String NEGATIVE_DURATION = "negative-duration";

    private static final String E2E = "gen_ai.latency.e2e";
    private static final String OPERATION = "gen_ai.operation.name";
    private static final Map<String, Endpoint> OPERATIONS = Map.of(
            "chat", Endpoint.CHAT,
            "text_completion", Endpoint.COMPLETIONS,
            "generate_content", Endpoint.GENERATE,
            "embeddings", Endpoint.EMBEDDINGS);
    private static final Map<String, Endpoint> ID_PREFIXES = Map.of(
            "chatcmpl-", Endpoint.CHAT,
            "cmpl-", Endpoint.COMPLETIONS,
            "resp_", Endpoint.RESPONSES,
            "embd-", Endpoint.EMBEDDINGS);
    private static final Map<String, Endpoint> PATHS = Map.of(
            "/chat/completions", Endpoint.CHAT,
            "/completions", Endpoint.COMPLETIONS,
            "/responses", Endpoint.RESPONSES,
            "/messages", Endpoint.MESSAGES,
            "/embeddings", Endpoint.EMBEDDINGS);
    private static final Set<String> CANCELLED = Set.of("abort", "aborted", "cancel", "cancelled", "canceled", "499");
    private static final Set<String> TIMED_OUT = Set.of("timeout", "deadline_exceeded", "408", "504");

    private final IdentityRules identity;
    private final Tally<Oddity> oddities;

    SpanReader(IdentityRules identity, Tally<Oddity> oddities) {
        this.identity = identity;
        this.oddities = oddities;
    }

    /** Whether a span is about one request to a model. */
    static boolean isRequest(Span span, Attributes attributes) {
        if (span.getName().equals(VLLM_SPAN)) {
            return true;
        }
        if (attributes.has(OPERATION)) {
            return OPERATIONS.containsKey(String.valueOf(attributes.name(OPERATION)));
        }
        if (attributes.has(E2E)) {
            return true;
        }
        boolean crossesAWire = span.getKind() == SpanKind.SPAN_KIND_SERVER || isClient(span);
        return crossesAWire
                && (attributes.has("gen_ai.usage.input_tokens") || attributes.has("gen_ai.usage.prompt_tokens"));
    }

    /** Whether it was measured by who asked, and not by who answered. */
    static boolean isClient(Span span) {
        return span.getKind() == SpanKind.SPAN_KIND_CLIENT;
    }

    /** The path that was asked for, without query; null when the span does not say. */
    static @Nullable String path(Attributes attributes) {
        String path = attributes.name("url.path", "http.route");
        String target = path == null ? attributes.text("http.target") : path;
        return target == null ? null : target.split("\\?", 2)[0];
    }

    /** The event of a span whose ids and times are valid. */
    RequestEvent read(Span span, Attributes attributes, ReplicaIdentity replica) {
        RequestEvent event = new RequestEvent();
        event.setTraffic(Traffic.PRODUCTION);
        event.setSource(Source.OTLP);
        event.setSampleWeight(1);
        event.setMarks(List.of());
        event.setGuardrails(List.of());
        event.setTokenSource(TokenSource.UNKNOWN);
        who(event, span, attributes);
        what(event, span, attributes);
        tokens(event, attributes);
        outcome(event, span, attributes);
        times(event, span, attributes);
        replica.fill(event);
        return event;
    }

    private void who(RequestEvent event, Span span, Attributes attributes) {
        HeaderLookup headers = name -> attributes.text("http.request.header." + name);
        RequestIdentity who =
                identity.identify(headers, attributes::text, Objects.requireNonNullElse(path(attributes), ""));
        who.fill(event);
        HexFormat hex = HexFormat.of();
        event.setTraceId(hex.formatHex(span.getTraceId().toByteArray()));
        byte[] onTheWire = (isClient(span) ? span.getSpanId() : span.getParentSpanId()).toByteArray();
        event.setParentSpanId(onTheWire.length == 0 ? null : hex.formatHex(onTheWire));
    }

    private void what(RequestEvent event, Span span, Attributes attributes) {
        String asked = attributes.name("gen_ai.request.model");
        String answered = attributes.name("gen_ai.response.model");
        event.setModel(answered == null ? asked : answered);
        event.setRequestedModel(answered == null || answered.equals(asked) ? null : asked);
        event.setEngineRequestId(attributes.name("gen_ai.request.id", "gen_ai.response.id"));
        String engine = newerName(attributes, "gen_ai.provider.name", "gen_ai.system");
        event.setEngine(engine == null ? engine(span, attributes) : engine);
        event.setEndpoint(endpoint(attributes, event.getEngineRequestId()));
        event.setStreaming(attributes.flag("gen_ai.request.stream"));
        OptionalLong preemptions = attributes.count("num_preemptions");
        event.setPreemptions(preemptions.isPresent() ? Integer.valueOf((int) preemptions.getAsLong()) : null);
    }

    private void tokens(RequestEvent event, Attributes attributes) {
        event.setPromptTokens(newerCount(attributes, "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"));
        event.setOutputTokens(newerCount(attributes, "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"));
        event.setCachedTokens(
                newerCount(attributes, "gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cached_tokens"));
        event.setReasoningTokens(attributes.nullableCount("gen_ai.usage.reasoning.output_tokens"));
        if (event.getPromptTokens() != null || event.getOutputTokens() != null) {
            event.setTokenSource(TokenSource.USAGE);
        }
    }

    private static void outcome(RequestEvent event, Span span, Attributes attributes) {
        Long status = newer(
                attributes.nullableCount("http.response.status_code"), attributes.nullableCount("http.status_code"));
        String error = attributes.name("error.type");
        String finish = attributes.names("gen_ai.response.finish_reasons").stream()
                .findFirst()
                .orElse(null);
        event.setHttpStatus(status == null || status > 999 ? null : Integer.valueOf(status.intValue()));
        event.setErrorType(error);
        event.setFinishReason(finish);
        boolean failed = span.getStatus().getCode() == StatusCode.STATUS_CODE_ERROR;
        event.setOutcome(outcome(failed, event.getHttpStatus(), error, finish, event));
    }

    private static Outcome outcome(
            boolean failed,
            @Nullable Integer status,
            @Nullable String error,
            @Nullable String finish,
            RequestEvent event) {
        String kind = String.valueOf(error).toLowerCase(Locale.ROOT);
        if (CANCELLED.contains(kind)
                || CANCELLED.contains(String.valueOf(finish).toLowerCase(Locale.ROOT))) {
            return Outcome.CLIENT_CANCEL;
        }
        if (failed || error != null || (status != null && status >= 400)) {
            if (TIMED_OUT.contains(kind)) {
                return Outcome.TIMEOUT;
            }
            if (kind.equals("429") || (status != null && status == 429)) {
                return Outcome.REJECTED;
            }
            if (status != null) {
                return status >= 400 ? Outcome.HTTP_ERROR : Outcome.INBAND_ERROR;
            }
            return Outcome.UNKNOWN;
        }
        boolean noToken = event.getEndpoint() != Endpoint.EMBEDDINGS
                && event.getOutputTokens() != null
                && event.getOutputTokens() == 0;
        if (noToken) {
            return Outcome.NO_TOKEN;
        }
        return "length".equals(finish) ? Outcome.LENGTH : Outcome.OK;
    }

    private void times(RequestEvent event, Span span, Attributes attributes) {
        long startNanos = span.getStartTimeUnixNano();
        long endNanos = span.getEndTimeUnixNano();
        event.setStartedAtMicros(startNanos / 1_000);
        event.setCompletedAtMicros(endNanos / 1_000);
        if (endNanos < startNanos) {
            oddities.add(Oddity.NEGATIVE_DURATION);
            event.setStartedAtMicros(endNanos / 1_000);
            List<String> marks = new ArrayList<>(event.getMarks());
            marks.add(NEGATIVE_DURATION);
            event.setMarks(marks);
            return;
        }
        event.setEngineE2eMicros(attributes.micros(E2E));
        event.setE2eMicros(
                newer(event.getEngineE2eMicros(), Long.valueOf(Math.round((endNanos - startNanos) / 1_000.0))));
        event.setEngineTtftMicros(newer(
                attributes.micros("gen_ai.latency.time_to_first_token"),
                attributes.micros("gen_ai.server.time_to_first_token")));
        event.setTtftMicros(event.getEngineTtftMicros());
        event.setTtfbMicros(attributes.micros("gen_ai.response.time_to_first_chunk"));
        event.setQueueMicros(newer(attributes.micros("gen_ai.latency.time_in_queue"), event.getQueueMicros()));
        event.setPrefillMicros(
                newer(attributes.micros("gen_ai.latency.time_in_model_prefill"), event.getPrefillMicros()));
        event.setDecodeMicros(newer(attributes.micros("gen_ai.latency.time_in_model_decode"), event.getDecodeMicros()));
        event.setTpotNanos(tpotNanos(event));
    }

    /** Nanoseconds for each token after those of the first chunk; null when they cannot be known. */
    static @Nullable Long tpotNanos(RequestEvent event) {
        if (event.getE2eMicros() == null || event.getTtftMicros() == null || event.getOutputTokens() == null) {
            return null;
        }
        long firstTokens = event.getFirstChunkTokens() == null ? 1 : event.getFirstChunkTokens();
        long tokens = event.getOutputTokens() - firstTokens;
        long nanos = (event.getE2eMicros() - event.getTtftMicros()) * 1_000;
        return tokens < 1 || nanos < 0 ? null : Long.valueOf(nanos / tokens);
    }

    private static @Nullable String engine(Span span, Attributes attributes) {
        if (span.getName().equals(VLLM_SPAN)) {
            return "vllm";
        }
        return String.valueOf(attributes.name("module")).startsWith("sglang::") ? "sglang" : null;
    }

    private static Endpoint endpoint(Attributes attributes, @Nullable String engineRequestId) {
        Endpoint byOperation = OPERATIONS.get(String.valueOf(attributes.name(OPERATION)));
        if (byOperation != null) {
            return byOperation;
        }
        String path = String.valueOf(path(attributes));
        for (Map.Entry<String, Endpoint> known : PATHS.entrySet()) {
            if (path.endsWith("/v1" + known.getKey())) {
                return known.getValue();
            }
        }
        for (Map.Entry<String, Endpoint> known : ID_PREFIXES.entrySet()) {
            if (engineRequestId != null && engineRequestId.startsWith(known.getKey())) {
                return known.getValue();
            }
        }
        return Endpoint.UNKNOWN;
    }

    private @Nullable Long newerCount(Attributes attributes, String newName, String oldName) {
        Long newValue = attributes.nullableCount(newName);
        Long oldValue = attributes.nullableCount(oldName);
        noteConflict(newValue, oldValue);
        return newer(newValue, oldValue);
    }

    private @Nullable String newerName(Attributes attributes, String newName, String oldName) {
        String newValue = attributes.name(newName);
        String oldValue = attributes.name(oldName);
        noteConflict(newValue, oldValue);
        return newer(newValue, oldValue);
    }

    private void noteConflict(@Nullable Object newValue, @Nullable Object oldValue) {
        if (newValue != null && oldValue != null && !newValue.equals(oldValue)) {
            oddities.add(Oddity.NAME_CONFLICT);
        }
    }

    private static <T> @Nullable T newer(@Nullable T newValue, @Nullable T oldValue) {
        return newValue == null ? oldValue : newValue;
    }
}
