package io.inferwatch.probes.otlp;

import static io.inferwatch.probes.otlp.Spans.START_NANOS;
import static io.inferwatch.probes.otlp.Spans.flag;
import static io.inferwatch.probes.otlp.Spans.seconds;
import static io.inferwatch.probes.otlp.Spans.span;
import static io.inferwatch.probes.otlp.Spans.text;
import static io.inferwatch.probes.otlp.Spans.texts;
import static io.inferwatch.probes.otlp.Spans.vllm;
import static io.inferwatch.probes.otlp.Spans.whole;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.probes.identity.IdentityRules;
import io.inferwatch.schemas.Endpoint;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Source;
import io.inferwatch.schemas.TokenSource;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Span.SpanKind;
import io.opentelemetry.proto.trace.v1.Status;
import io.opentelemetry.proto.trace.v1.Status.StatusCode;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SpanReaderTest {
    private static final long START_MICROS = START_NANOS / 1_000;

    @TempDir
    private Path directory;

    private final Tally<Oddity> oddities = new Tally<>(Oddity.class);
    private IdentityRules identity;

    @BeforeEach
    void rules() {
        identity = Spans.identity(directory);
    }

    @Test
    void readsVllm() {
        RequestEvent event = read(vllm(7).addAttributes(text("http.request.header.x-tenant-id", "acme")));

        assertThat(event.getSource()).isEqualTo(Source.OTLP);
        assertThat(event.getOutcome()).isEqualTo(Outcome.OK);
        assertThat(event.getEngine()).isEqualTo("vllm");
        assertThat(event.getEngineRequestId()).isEqualTo("cmpl-req-7-0");
        assertThat(event.getEndpoint()).isEqualTo(Endpoint.COMPLETIONS);
        assertThat(event.getTraceId()).isEqualTo(Spans.TRACE);
        assertThat(event.getParentSpanId()).isEqualTo(Spans.CALLER);
        assertThat(event.getTenant()).isEqualTo("59e5ccfb9adf513c");
        assertThat(event.getStartedAtMicros()).isEqualTo(START_MICROS);
        assertThat(event.getCompletedAtMicros()).isEqualTo(START_MICROS + 1_000_000);
        assertThat(event.getPromptTokens()).isEqualTo(10);
        assertThat(event.getOutputTokens()).isEqualTo(5);
        assertThat(event.getTokenSource()).isEqualTo(TokenSource.USAGE);
        assertThat(event.getQueueMicros()).isEqualTo(50_000);
        assertThat(event.getTtftMicros()).isEqualTo(250_000);
        assertThat(event.getEngineTtftMicros()).isEqualTo(250_000);
        assertThat(event.getPrefillMicros()).isEqualTo(200_000);
        assertThat(event.getDecodeMicros()).isEqualTo(700_000);
        assertThat(event.getE2eMicros()).isEqualTo(950_000);
        assertThat(event.getEngineE2eMicros()).isEqualTo(950_000);
        assertThat(event.getTpotNanos()).as("0.7 s over 4 tokens").isEqualTo(175_000_000);
        assertThat(event.getCachedTokens()).isNull();
        assertThat(event.getReplica()).isEqualTo("vllm-0");
    }

    @Test
    void readsGenAiConventionsOfAClient() {
        RequestEvent event = read(span("chat llama", SpanKind.SPAN_KIND_CLIENT, 0xabc)
                .addAttributes(text("gen_ai.operation.name", "chat"))
                .addAttributes(text("gen_ai.provider.name", "vllm"))
                .addAttributes(text("gen_ai.request.model", "meta-llama/Llama-3.1-8B"))
                .addAttributes(text("gen_ai.response.model", "llama-3.1-8b"))
                .addAttributes(text("gen_ai.response.id", "chatcmpl-1"))
                .addAttributes(text("gen_ai.conversation.id", "acme"))
                .addAttributes(flag("gen_ai.request.stream", true))
                .addAttributes(texts("gen_ai.response.finish_reasons", "length"))
                .addAttributes(whole("gen_ai.usage.input_tokens", 100))
                .addAttributes(whole("gen_ai.usage.cache_read.input_tokens", 64))
                .addAttributes(whole("gen_ai.usage.output_tokens", 20))
                .addAttributes(whole("gen_ai.usage.reasoning.output_tokens", 7))
                .addAttributes(seconds("gen_ai.response.time_to_first_chunk", 0.1)));

        assertThat(event.getEndpoint()).isEqualTo(Endpoint.CHAT);
        assertThat(event.getModel()).isEqualTo("llama-3.1-8b");
        assertThat(event.getRequestedModel()).isEqualTo("meta-llama/Llama-3.1-8B");
        assertThat(event.getSession()).isEqualTo("e1bdae4f11911592");
        assertThat(event.getStreaming()).isTrue();
        assertThat(event.getOutcome()).isEqualTo(Outcome.LENGTH);
        assertThat(event.getPromptTokens()).isEqualTo(100);
        assertThat(event.getCachedTokens()).isEqualTo(64);
        assertThat(event.getOutputTokens()).isEqualTo(20);
        assertThat(event.getReasoningTokens()).isEqualTo(7);
        assertThat(event.getTtfbMicros()).isEqualTo(100_000);
        assertThat(event.getTtftMicros()).as("a first chunk is no first token").isNull();
        assertThat(event.getE2eMicros()).isEqualTo(1_000_000);
        assertThat(event.getTpotNanos()).isNull();
        assertThat(event.getParentSpanId()).as("its own id went over the wire").isEqualTo("0000000000000abc");
    }

    @Test
    void readsSglang() {
        Span.Builder span = span(" Req 3f2a9b1c", SpanKind.SPAN_KIND_INTERNAL, 5)
                .addAttributes(text("rid", "3f2a9b1c"))
                .addAttributes(text("module", "sglang::request"))
                .addAttributes(text("gen_ai.request.id", "3f2a9b1c"))
                .addAttributes(text("gen_ai.response.finish_reasons", "[\"length\"]"))
                .addAttributes(whole("gen_ai.usage.prompt_tokens", 10))
                .addAttributes(whole("gen_ai.usage.cached_tokens", 8))
                .addAttributes(whole("gen_ai.usage.completion_tokens", 3))
                .addAttributes(seconds("gen_ai.latency.time_to_first_token", 0.5))
                .addAttributes(seconds("gen_ai.latency.e2e", 0.9));
        assertThat(isRequest(span)).isTrue();
        RequestEvent event = read(span);
        assertThat(event.getEngine()).isEqualTo("sglang");
        assertThat(event.getEngineRequestId()).isEqualTo("3f2a9b1c");
        assertThat(event.getOutcome()).isEqualTo(Outcome.LENGTH);
        assertThat(event.getCachedTokens()).isEqualTo(8);
        assertThat(event.getTpotNanos()).as("0.4 s over 2 tokens").isEqualTo(200_000_000);
        assertThat(isRequest(span("Scheduler [TP 0]", SpanKind.SPAN_KIND_INTERNAL, 6)
                        .addAttributes(text("thread_label", "Scheduler"))))
                .isFalse();
    }

    /** OTL-07. */
    @Test
    void oldAndNewNamesAreOne() {
        RequestEvent old = read(request()
                .addAttributes(text("gen_ai.system", "vllm"))
                .addAttributes(whole("gen_ai.usage.prompt_tokens", 10))
                .addAttributes(whole("gen_ai.usage.completion_tokens", 3)));
        RequestEvent recent = read(request()
                .addAttributes(text("gen_ai.provider.name", "vllm"))
                .addAttributes(whole("gen_ai.usage.input_tokens", 10))
                .addAttributes(whole("gen_ai.usage.output_tokens", 3)));
        RequestEvent misspelt = read(request()
                .addAttributes(whole("gen_ai.usage.promp_tokens", 10))
                .addAttributes(whole("gen_ai.usage.completion_tokens", 3)));

        assertThat(old).isEqualTo(recent);
        assertThat(old.getEngine()).isEqualTo("vllm");
        assertThat(old.getPromptTokens()).isEqualTo(10);
        assertThat(old.getOutputTokens()).isEqualTo(3);
        assertThat(misspelt.getOutputTokens()).isEqualTo(3);
        assertThat(misspelt.getPromptTokens()).isNull();
        assertThat(oddities.counts().get(Oddity.NAME_CONFLICT)).isZero();

        RequestEvent conflict = read(request()
                .addAttributes(whole("gen_ai.usage.prompt_tokens", 11))
                .addAttributes(whole("gen_ai.usage.input_tokens", 12)));
        assertThat(conflict.getPromptTokens()).isEqualTo(12);
        assertThat(oddities.counts().get(Oddity.NAME_CONFLICT)).isEqualTo(1);
    }

    /** OTL-09. */
    @Test
    void withoutLatencyAttributesOnlyTheWholeTimeIsKnown() {
        RequestEvent event = read(span("llm_request", SpanKind.SPAN_KIND_SERVER, 1)
                .setEndTimeUnixNano(START_NANOS + 1_200_000_000L)
                .addAttributes(text("gen_ai.request.id", "cmpl-1"))
                .addAttributes(whole("gen_ai.usage.prompt_tokens", 10)));
        assertThat(event.getE2eMicros()).isEqualTo(1_200_000);
        assertThat(event.getTtftMicros()).isNull();
        assertThat(event.getQueueMicros()).isNull();
        assertThat(event.getPrefillMicros()).isNull();
        assertThat(event.getDecodeMicros()).isNull();
        assertThat(event.getTpotNanos()).isNull();
        assertThat(event.getOutcome()).isEqualTo(Outcome.OK);
    }

    /** OTL-11. */
    @Test
    void anEndBeforeItsStartHasNoLatencies() {
        RequestEvent event = read(vllm(1).setStartTimeUnixNano(1_700_000_000_500_000_000L)
                .setEndTimeUnixNano(1_700_000_000_200_000_000L));
        assertThat(event.getMarks()).containsExactly("negative-duration");
        assertThat(event.getStartedAtMicros()).isEqualTo(1_700_000_000_200_000L);
        assertThat(event.getCompletedAtMicros()).isEqualTo(1_700_000_000_200_000L);
        assertThat(event.getE2eMicros()).isNull();
        assertThat(event.getTtftMicros()).isNull();
        assertThat(event.getTpotNanos()).isNull();
        assertThat(event.getOutputTokens()).isEqualTo(5);
        assertThat(oddities.counts().get(Oddity.NEGATIVE_DURATION)).isEqualTo(1);
    }

    /** OTL-13. */
    @Test
    void aDurationOfZeroIsKept() {
        RequestEvent event = read(span("llm_request", SpanKind.SPAN_KIND_SERVER, 1)
                .setStartTimeUnixNano(1_700_000_000_123_000_000L)
                .setEndTimeUnixNano(1_700_000_000_123_000_000L)
                .addAttributes(whole("gen_ai.usage.completion_tokens", 1))
                .addAttributes(seconds("gen_ai.latency.time_to_first_token", 0)));
        assertThat(event.getE2eMicros()).isZero();
        assertThat(event.getTtftMicros()).isZero();
        assertThat(event.getTpotNanos()).isNull();
        assertThat(event.getMarks()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "false, -, -, stop, OK",
                "false, -, -, length, LENGTH",
                "false, -, -, abort, CLIENT_CANCEL",
                "false, -, 200, -, OK",
                "true, -, -, -, UNKNOWN",
                "true, -, 200, -, INBAND_ERROR",
                "true, -, 503, -, HTTP_ERROR",
                "false, -, 500, -, HTTP_ERROR",
                "true, -, 429, -, REJECTED",
                "true, 429, -, -, REJECTED",
                "true, timeout, 504, -, TIMEOUT",
                "true, cancelled, -, -, CLIENT_CANCEL",
                "false, _OTHER, -, -, UNKNOWN"
            })
    void readsTheOutcome(boolean failed, String error, Long status, String finish, Outcome outcome) {
        Span.Builder span = request();
        if (failed) {
            span.setStatus(Status.newBuilder().setCode(StatusCode.STATUS_CODE_ERROR));
        }
        if (error != null) {
            span.addAttributes(text("error.type", error));
        }
        if (status != null) {
            span.addAttributes(whole("http.response.status_code", status));
        }
        if (finish != null) {
            span.addAttributes(texts("gen_ai.response.finish_reasons", finish));
        }
        assertThat(read(span).getOutcome()).isEqualTo(outcome);
    }

    @Test
    void noOutputTokenIsNoSuccessButForEmbeddings() {
        assertThat(read(request().addAttributes(whole("gen_ai.usage.output_tokens", 0)))
                        .getOutcome())
                .isEqualTo(Outcome.NO_TOKEN);
        assertThat(read(span("embeddings", SpanKind.SPAN_KIND_CLIENT, 1)
                                .addAttributes(text("gen_ai.operation.name", "embeddings"))
                                .addAttributes(whole("gen_ai.usage.output_tokens", 0)))
                        .getOutcome())
                .isEqualTo(Outcome.OK);
    }

    @ParameterizedTest
    @ValueSource(doubles = {-0.1, Double.NaN, Double.POSITIVE_INFINITY, 1e9})
    void aLatencyThatCannotBeIsNone(double time) {
        RequestEvent event = read(span("llm_request", SpanKind.SPAN_KIND_SERVER, 1)
                .addAttributes(seconds("gen_ai.latency.time_to_first_token", time))
                .addAttributes(seconds("gen_ai.latency.time_in_queue", time)));
        assertThat(event.getTtftMicros()).isNull();
        assertThat(event.getQueueMicros()).isNull();
    }

    @Test
    void noTextOfPromptsOrAnswersPasses() {
        String secret = "the quick brown fox";
        Span.Builder span = request();
        for (String key : List.of(
                "gen_ai.prompt.0.content",
                "gen_ai.input.messages",
                "gen_ai.output.messages",
                "gen_ai.request.model",
                "gen_ai.response.model",
                "gen_ai.request.id",
                "gen_ai.provider.name",
                "error.type",
                "http.request.header.x-prompt-template",
                "http.request.header.x-workload-class",
                "http.request.header.x-request-id",
                "http.request.header.x-session-id")) {
            span.addAttributes(text(key, secret));
        }
        span.addAttributes(texts("gen_ai.response.finish_reasons", secret));
        span.setStatus(Status.newBuilder().setMessage(secret));
        assertThat(read(span).toString()).doesNotContain("quick");
    }

    @Test
    void onlySpansOfRequestsAreTaken() {
        assertThat(isRequest(span("Load weights", SpanKind.SPAN_KIND_INTERNAL, 1)))
                .isFalse();
        assertThat(isRequest(vllm(1))).isTrue();
        assertThat(isRequest(span("execute_tool", SpanKind.SPAN_KIND_CLIENT, 1)
                        .addAttributes(text("gen_ai.operation.name", "execute_tool"))
                        .addAttributes(whole("gen_ai.usage.input_tokens", 1))))
                .isFalse();
        assertThat(isRequest(
                        span("x", SpanKind.SPAN_KIND_SERVER, 1).addAttributes(whole("gen_ai.usage.prompt_tokens", 1))))
                .isTrue();
        assertThat(isRequest(span("x", SpanKind.SPAN_KIND_INTERNAL, 1)
                        .addAttributes(whole("gen_ai.usage.prompt_tokens", 1))))
                .as("a step of an agent sums up what its requests used")
                .isFalse();
    }

    private static boolean isRequest(Span.Builder span) {
        return SpanReader.isRequest(span.build(), new Attributes(span.getAttributesList()));
    }

    private static Span.Builder request() {
        return span("llm_request", SpanKind.SPAN_KIND_SERVER, 1);
    }

    private RequestEvent read(Span.Builder span) {
        Resource resource = Spans.resource(text("service.instance.id", "vllm-0"));
        return new SpanReader(identity, oddities)
                .read(
                        span.build(),
                        new Attributes(span.getAttributesList()),
                        new SpanReplicas(List.of(), oddities).of(resource));
    }
}
