package io.inferwatch.probes.proxy.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.schemas.Endpoint;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.TokenSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DialectsTest {
    private static final String DONE = "data: [DONE]\n\n";

    @ParameterizedTest
    @CsvSource({
        "/v1/chat/completions, CHAT",
        "/v1/chat/completions?api-version=1, CHAT",
        "/team-a/v1/chat/completions, CHAT",
        "/v1/completions, COMPLETIONS",
        "/v1/responses, RESPONSES",
        "/v1/messages, MESSAGES",
        "/v1/embeddings, EMBEDDINGS",
        "/generate, GENERATE",
        "/generate_stream, GENERATE",
        "/v2/models/llama/generate, GENERATE",
        "/v2/models/llama/versions/1/generate_stream, GENERATE",
        "/v2/models/bert/infer, KSERVE"
    })
    void isKnownByItsPath(String uri, Dialect dialect) {
        assertThat(Dialect.of("POST", uri)).isEqualTo(dialect);
        assertThat(Dialect.of("GET", uri)).isNull();
    }

    @ParameterizedTest
    @CsvSource({"/v1/models", "/metrics", "/v1/chat/completions/x", "/v1/messages/count_tokens", "/regenerate", "/"})
    void otherPathsAreNotMeasured(String uri) {
        assertThat(Dialect.of("POST", uri)).isNull();
    }

    @Test
    void aWholeChatAnswerHasNoFirstToken() {
        RequestEvent event = Exchange.json(Dialect.CHAT, 200)
                .asks("{\"model\":\"llama\",\"messages\":[{\"role\":\"user\",\"content\":\"Tell me 那.\"}]}")
                .at(2.5, """
                        {"id":"chatcmpl-1","object":"chat.completion","model":"llama-3","choices":[{"index":0,"message":{"role":"assistant",
                        "content":"It is a demonstrative."},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":12,
                        "completion_tokens":6,"total_tokens":18,"prompt_tokens_details":{"cached_tokens":8},
                        "completion_tokens_details":{"reasoning_tokens":2}}}
                        """)
                .complete();
        assertThat(event.getEndpoint()).isEqualTo(Endpoint.CHAT);
        assertThat(event.getStreaming()).isFalse();
        assertThat(event.getTtftMicros()).isNull();
        assertThat(event.getTpotNanos()).isNull();
        assertThat(event.getE2eMicros()).isEqualTo(2_500_000);
        assertThat(event.getCompletedAtMicros()).isEqualTo(Exchange.STARTED_AT_MICROS + 2_500_000);
        assertThat(event.getPromptTokens()).isEqualTo(12);
        assertThat(event.getCachedTokens()).isEqualTo(8);
        assertThat(event.getOutputTokens()).isEqualTo(6);
        assertThat(event.getReasoningTokens()).isEqualTo(2);
        assertThat(event.getModel()).isEqualTo("llama-3");
        assertThat(event.getRequestedModel()).isEqualTo("llama");
        assertThat(event.getEngineRequestId()).isEqualTo("chatcmpl-1");
        assertThat(event.getPromptCharacters()).isEqualTo(10);
        assertThat(event.getOutcome()).isEqualTo(Outcome.OK);
    }

    @Test
    void ofSeveralAnswersTheFirstTokenCountsAndAllTokensAddUp() {
        RequestEvent event = Exchange.stream(Dialect.CHAT)
                .at(0.1, "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"a\"}}]}\n\n")
                .at(
                        0.2,
                        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"b\"}},{\"index\":1,\"delta\":{\"content\":\"c\"}}]}\n\n")
                .at(0.3, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"length\"}]}\n\n")
                .at(0.4, "data: {\"choices\":[{\"index\":1,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n" + DONE)
                .complete();
        assertThat(event.getTtftMicros()).isEqualTo(100_000);
        assertThat(event.getE2eMicros()).isEqualTo(200_000);
        assertThat(event.getOutputTokens()).isEqualTo(3);
        assertThat(event.getTokenSource()).isEqualTo(TokenSource.CHUNKS);
        assertThat(event.getOutcome()).isEqualTo(Outcome.LENGTH);
    }

    @Test
    void anEmptyTextOfACompletionIsASpecialToken() {
        RequestEvent event = Exchange.stream(Dialect.COMPLETIONS)
                .at(0.1, "data: {\"choices\":[{\"index\":0,\"text\":\"\",\"finish_reason\":null}]}\n\n")
                .at(0.2, "data: {\"choices\":[{\"index\":0,\"text\":\"a\",\"finish_reason\":null}]}\n\n")
                .at(0.3, "data: {\"choices\":[{\"index\":0,\"text\":\"\",\"finish_reason\":\"stop\"}]}\n\n" + DONE)
                .complete();
        assertThat(event.getOutputTokens()).isEqualTo(2);
        assertThat(event.getTtftMicros()).isEqualTo(100_000);
        assertThat(event.getE2eMicros()).isEqualTo(200_000);
    }

    @Test
    void chunksThatTheFinalCountEqualsBoreOneTokenEach() {
        RequestEvent event = Exchange.stream(Dialect.COMPLETIONS)
                .at(0.10, "data: {\"choices\":[{\"index\":0,\"text\":\"a\",\"finish_reason\":null}]}\n\n")
                .at(0.14, "data: {\"choices\":[{\"index\":0,\"text\":\"b\",\"finish_reason\":\"length\"}]}\n\n")
                .at(0.15, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\n" + DONE)
                .complete();
        assertThat(event.getItlSketch()).isEqualTo(event.getIclSketch()).isNotNull();
        assertThat(event.getFirstChunkTokens()).isEqualTo(1);
        assertThat(event.getTpotNanos()).isEqualTo(40_000_000);
    }

    @Test
    void chunksOfUnknownSizeHaveNoTokenGaps() {
        RequestEvent event = Exchange.stream(Dialect.COMPLETIONS)
                .at(0.10, "data: {\"choices\":[{\"index\":0,\"text\":\"a b c\",\"finish_reason\":null}]}\n\n")
                .at(0.14, "data: {\"choices\":[{\"index\":0,\"text\":\"d e f\",\"finish_reason\":\"length\"}]}\n\n")
                .at(0.15, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":6}}\n\n" + DONE)
                .complete();
        assertThat(event.getItlSketch()).isNull();
        assertThat(event.getIclSketch()).isNotNull();
        assertThat(event.getFirstChunkTokens()).isNull();
        assertThat(event.getTpotNanos()).isEqualTo(8_000_000);
    }

    @Test
    void responsesSayTheirKindByTheirType() {
        RequestEvent event = Exchange.stream(Dialect.RESPONSES)
                .at(
                        0.1,
                        "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"resp_1\",\"model\":\"gpt-x\",\"error\":null}}\n\n")
                .at(0.2, "data: {\"type\":\"response.reasoning_summary_text.delta\",\"delta\":\"Hm\"}\n\n")
                .at(0.3, "data: {\"delta\":\"Hi\",\"type\":\"response.output_text.delta\"}\n\n")
                .at(0.4, "data: {\"type\":\"response.function_call_arguments.delta\",\"delta\":\"{\"}\n\n")
                .at(0.5, "data: {\"type\":\"response.output_text.done\",\"text\":\"Hi\"}\n\n")
                .at(
                        0.6,
                        "data: {\"type\":\"response.completed\",\"response\":{\"id\":\"resp_1\",\"output\":[{\"content\":[{\"text\":\"Hi\"}]}],\"usage\":{\"input_tokens\":5,\"input_tokens_details\":{\"cached_tokens\":4},\"output_tokens\":9,\"output_tokens_details\":{\"reasoning_tokens\":3}}}}\n\n")
                .complete();
        assertThat(event.getTtfbMicros()).isEqualTo(100_000);
        assertThat(event.getTtftMicros()).isEqualTo(200_000);
        assertThat(event.getTtfoMicros()).isEqualTo(300_000);
        assertThat(event.getE2eMicros()).isEqualTo(400_000);
        assertThat(event.getOutputTokens()).isEqualTo(9);
        assertThat(event.getCachedTokens()).isEqualTo(4);
        assertThat(event.getReasoningTokens()).isEqualTo(3);
        assertThat(event.getEngineRequestId()).isEqualTo("resp_1");
        assertThat(event.getOutcome()).isEqualTo(Outcome.OK);
        assertThat(event.getMarks()).isEmpty();
    }

    @Test
    void aResponseCanFailOrRunIntoItsLimit() {
        String delta = "data: {\"type\":\"response.output_text.delta\",\"delta\":\"Hi\"}\n\n";
        assertThat(Exchange.stream(Dialect.RESPONSES)
                        .at(0.1, delta)
                        .at(
                                0.2,
                                "data: {\"type\":\"response.failed\",\"response\":{\"error\":{\"code\":\"server_error\",\"message\":\"secret\"}}}\n\n")
                        .complete())
                .satisfies(event -> {
                    assertThat(event.getOutcome()).isEqualTo(Outcome.INBAND_ERROR);
                    assertThat(event.getErrorType()).isEqualTo("server_error");
                });
        assertThat(Exchange.stream(Dialect.RESPONSES)
                        .at(0.1, delta)
                        .at(
                                0.2,
                                "data: {\"type\":\"response.incomplete\",\"response\":{\"incomplete_details\":{\"reason\":\"max_output_tokens\"}}}\n\n")
                        .complete()
                        .getOutcome())
                .isEqualTo(Outcome.LENGTH);
        assertThat(Exchange.stream(Dialect.RESPONSES).at(0.1, delta).complete().getOutcome())
                .isEqualTo(Outcome.TRUNCATED);
    }

    @Test
    void messagesCountThePromptWithoutWhatTheCacheHad() {
        RequestEvent event = Exchange.stream(Dialect.MESSAGES)
                .at(
                        0.1,
                        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"model\":\"claude\",\"content\":[],\"usage\":{\"input_tokens\":25,\"cache_read_input_tokens\":100,\"cache_creation_input_tokens\":10,\"output_tokens\":1}}}\n\n")
                .at(0.2, "event: ping\ndata: {\"type\":\"ping\"}\n\n")
                .at(
                        0.3,
                        "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"hm\"}}\n\n")
                .at(
                        0.4,
                        "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\n")
                .at(
                        0.5,
                        "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":15}}\n\n")
                .at(0.6, "data: {\"type\":\"message_stop\"}\n\n")
                .complete();
        assertThat(event.getPromptTokens()).isEqualTo(135);
        assertThat(event.getCachedTokens()).isEqualTo(100);
        assertThat(event.getOutputTokens()).isEqualTo(15);
        assertThat(event.getTokenSource()).isEqualTo(TokenSource.USAGE);
        assertThat(event.getTtftMicros()).isEqualTo(300_000);
        assertThat(event.getTtfoMicros()).isEqualTo(400_000);
        assertThat(event.getFinishReason()).isEqualTo("end_turn");
        assertThat(event.getOutcome()).isEqualTo(Outcome.OK);
        assertThat(event.getMarks()).isEmpty();
    }

    @Test
    void messagesTellErrorsWithinTheStream() {
        RequestEvent event = Exchange.stream(Dialect.MESSAGES)
                .at(
                        0.4,
                        "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\n")
                .at(
                        0.5,
                        "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n")
                .complete();
        assertThat(event.getOutcome()).isEqualTo(Outcome.INBAND_ERROR);
        assertThat(event.getErrorType()).isEqualTo("overloaded_error");
        assertThat(event.getTtftMicros()).isEqualTo(400_000);
    }

    @Test
    void tgiSendsOneTokenAnEvent() {
        RequestEvent event = Exchange.stream(Dialect.GENERATE)
                .at(
                        0.1,
                        "data:{\"index\":1,\"token\":{\"id\":5,\"text\":\"a\",\"special\":false},\"generated_text\":null,\"details\":null}\n\n")
                .at(
                        0.2,
                        "data:{\"index\":2,\"token\":{\"id\":2,\"text\":\"\",\"special\":true},\"generated_text\":\"a\",\"details\":{\"finish_reason\":\"eos_token\",\"generated_tokens\":2,\"input_length\":7}}\n\n")
                .complete();
        assertThat(event.getOutputTokens()).isEqualTo(2);
        assertThat(event.getPromptTokens()).isEqualTo(7);
        assertThat(event.getTpotNanos()).isEqualTo(100_000_000);
        assertThat(event.getItlSketch()).isNotNull();
        assertThat(event.getFinishReason()).isEqualTo("eos_token");
        assertThat(event.getOutcome()).isEqualTo(Outcome.OK);
    }

    @Test
    void sglangRepeatsItsTextAndItsCounts() {
        RequestEvent event = Exchange.stream(Dialect.GENERATE)
                .at(
                        0.1,
                        "data: {\"text\":\"a\",\"meta_info\":{\"id\":\"r1\",\"finish_reason\":null,\"prompt_tokens\":3,\"completion_tokens\":1,\"cached_tokens\":2}}\n\n")
                .at(
                        0.3,
                        "data: {\"text\":\"a b c\",\"meta_info\":{\"id\":\"r1\",\"finish_reason\":{\"type\":\"length\",\"length\":3},\"prompt_tokens\":3,\"completion_tokens\":3,\"cached_tokens\":2}}\n\n")
                .at(0.3, DONE)
                .complete();
        assertThat(event.getOutputTokens()).isEqualTo(3);
        assertThat(event.getTpotNanos()).isEqualTo(100_000_000);
        assertThat(event.getCachedTokens()).isEqualTo(2);
        assertThat(event.getOutcome()).isEqualTo(Outcome.LENGTH);
    }

    @Test
    void tritonStreamsTextWithoutAnEnd() {
        RequestEvent event = Exchange.stream(Dialect.GENERATE)
                .at(0.1, "data: {\"model_name\":\"ensemble\",\"model_version\":\"1\",\"text_output\":\"a\"}\n\n")
                .at(0.2, "data: {\"model_name\":\"ensemble\",\"model_version\":\"1\",\"text_output\":\" b\"}\n\n")
                .complete();
        assertThat(event.getModel()).isEqualTo("ensemble");
        assertThat(event.getOutputTokens()).isEqualTo(2);
        assertThat(event.getTokenSource()).isEqualTo(TokenSource.CHUNKS);
        assertThat(event.getOutcome()).isEqualTo(Outcome.OK);
        assertThat(event.getMarks()).isEmpty();
        assertThat(Exchange.stream(Dialect.GENERATE)
                        .at(0.1, "data: {\"error\":\"prompt text that is nobody's business\"}\n\n")
                        .complete())
                .satisfies(failed -> {
                    assertThat(failed.getOutcome()).isEqualTo(Outcome.INBAND_ERROR);
                    assertThat(failed.toString()).doesNotContain("nobody");
                });
    }

    @Test
    void embeddingsAndTensorsHaveResultsInsteadOfTokens() {
        RequestEvent embeddings = Exchange.json(Dialect.EMBEDDINGS, 200)
                .at(
                        0.1,
                        "{\"object\":\"list\",\"data\":[{\"embedding\":[0.1,-2e-3]}],\"model\":\"bge\",\"usage\":{\"prompt_tokens\":4,\"total_tokens\":4}}")
                .complete();
        assertThat(embeddings.getOutcome()).isEqualTo(Outcome.OK);
        assertThat(embeddings.getPromptTokens()).isEqualTo(4);
        assertThat(embeddings.getOutputTokens()).isNull();
        RequestEvent tensors = Exchange.json(Dialect.KSERVE, 200)
                .at(
                        0.1,
                        "{\"model_name\":\"bert\",\"id\":\"7\",\"outputs\":[{\"name\":\"o\",\"shape\":[1],\"datatype\":\"FP32\",\"data\":[1.0]}]}")
                .complete();
        assertThat(tensors.getOutcome()).isEqualTo(Outcome.OK);
        assertThat(tensors.getModel()).isEqualTo("bert");
        assertThat(Exchange.json(Dialect.EMBEDDINGS, 200)
                        .at(0.1, "{\"data\":[]}")
                        .complete()
                        .getOutcome())
                .isEqualTo(Outcome.NO_TOKEN);
    }

    @ParameterizedTest
    @CsvSource({
        "429, REJECTED",
        "504, TIMEOUT",
        "408, TIMEOUT",
        "499, CLIENT_CANCEL",
        "500, HTTP_ERROR",
        "400, HTTP_ERROR",
        "307, HTTP_ERROR"
    })
    void aStatusDecidesBeforeTheBody(int status, Outcome outcome) {
        RequestEvent event = Exchange.json(Dialect.CHAT, status)
                .at(
                        0.1,
                        "{\"object\":\"error\",\"message\":\"your prompt was: secret\",\"type\":\"SomeError\",\"code\":1}")
                .complete();
        assertThat(event.getOutcome()).isEqualTo(outcome);
        assertThat(event.getErrorType()).isEqualTo("SomeError");
        assertThat(event.getOutputTokens()).isNull();
        assertThat(event.toString()).doesNotContain("secret");
    }

    @Test
    void tokenlessAnswersAreFailures() {
        assertThat(Exchange.stream(Dialect.CHAT)
                        .at(
                                0.1,
                                "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\"},\"finish_reason\":\"stop\"}]}\n\n"
                                        + DONE)
                        .complete()
                        .getOutcome())
                .isEqualTo(Outcome.NO_TOKEN);
        assertThat(Exchange.stream(Dialect.CHAT).at(0.1, DONE).complete().getOutcome())
                .isEqualTo(Outcome.NO_TOKEN);
        assertThat(Exchange.stream(Dialect.CHAT).complete().getOutcome()).isEqualTo(Outcome.TRUNCATED);
    }

    @Test
    void whoEndsARequestDecidesItsOutcome() {
        String token = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n";
        RequestEvent cancelled = Exchange.stream(Dialect.CHAT).at(0.1, token).end(Ending.CLIENT_CLOSED, 0.7);
        assertThat(cancelled.getOutcome()).isEqualTo(Outcome.CLIENT_CANCEL);
        assertThat(cancelled.getClientClosedMicros()).isEqualTo(700_000);
        assertThat(cancelled.getOutputTokens()).isEqualTo(1);
        assertThat(Exchange.stream(Dialect.CHAT)
                        .at(0.1, token + DONE)
                        .end(Ending.CLIENT_CLOSED, 0.7)
                        .getOutcome())
                .isEqualTo(Outcome.OK);
        assertThat(Exchange.request(Dialect.CHAT).end(Ending.REFUSED, 0.1)).satisfies(event -> {
            assertThat(event.getOutcome()).isEqualTo(Outcome.HTTP_ERROR);
            assertThat(event.getErrorType()).isEqualTo("upstream-refused");
            assertThat(event.getTtftMicros()).isNull();
        });
        assertThat(Exchange.request(Dialect.CHAT).end(Ending.TIMED_OUT, 60).getOutcome())
                .isEqualTo(Outcome.TIMEOUT);
        assertThat(Exchange.stream(Dialect.CHAT)
                        .at(0.1, token)
                        .end(Ending.SHUT_DOWN, 60)
                        .getOutcome())
                .isEqualTo(Outcome.SERVER_CANCEL);
        assertThat(Exchange.stream(Dialect.CHAT)
                        .at(0.1, token)
                        .at(
                                0.2,
                                "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"abort\"}]}\n\n"
                                        + DONE)
                        .complete()
                        .getOutcome())
                .isEqualTo(Outcome.SERVER_CANCEL);
    }

    @Test
    void aStreamThatCameInOneReadWasHeldBack() {
        String token = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n";
        RequestEvent burst = Exchange.stream(Dialect.CHAT)
                .at(0.9, token + token + token)
                .at(0.91, DONE)
                .complete();
        assertThat(burst.getBufferedUpstream()).isTrue();
        assertThat(burst.getCoalescedReads()).isEqualTo(1);
        assertThat(burst.getMarks()).containsExactly("coalesced");
        RequestEvent flow = Exchange.stream(Dialect.CHAT)
                .at(0.1, token)
                .at(0.2, token)
                .at(0.3, DONE)
                .complete();
        assertThat(flow.getBufferedUpstream()).isFalse();
        assertThat(flow.getCoalescedReads()).isZero();
    }
}
