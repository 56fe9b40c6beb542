package io.inferwatch.probes.proxy.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.TokenSource;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What servers are known to send, each with what must come of it. */
class SseEdgeCasesTest {
    private static final String DONE = "data: [DONE]\n\n";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"role\":\"assistant\",\"content\":\"\"}",
                "{\"role\":\"assistant\",\"content\":null}",
                "{\"role\":\"assistant\"}"
            })
    void aRoleIsNoToken(String delta) {
        RequestEvent event = Exchange.stream(Dialect.CHAT)
                .at(0.005, chunk("{\"index\":0,\"delta\":" + delta + ",\"finish_reason\":null}"))
                .at(0.214, chunk("{\"index\":0,\"delta\":{\"content\":\"Hi\"},\"finish_reason\":null}"))
                .at(0.3, DONE)
                .complete();
        assertThat(event.getTtfbMicros()).isEqualTo(5_000);
        assertThat(event.getTtftMicros()).isEqualTo(214_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"reasoning", "reasoning_content"})
    void reasoningIsAFirstTokenButNoFirstOutput(String field) {
        RequestEvent event = Exchange.stream(Dialect.CHAT)
                .at(1.175, chunk("{\"index\":0,\"delta\":{\"" + field + "\":\"Okay\"}}"))
                .at(183.581, chunk("{\"index\":0,\"delta\":{\"content\":\"\\n\\n\"}}"))
                .at(183.6, DONE)
                .complete();
        assertThat(event.getTtftMicros()).isEqualTo(1_175_000);
        assertThat(event.getTtfoMicros()).isEqualTo(183_581_000);
    }

    @Test
    void countsAfterTheLastTokenDoNotMoveItsTime() {
        RequestEvent event = Exchange.stream(Dialect.CHAT)
                .at(0.8, chunk("{\"index\":0,\"delta\":{\"content\":\"the \"}}"))
                .at(
                        1.00,
                        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"end\"},\"finish_reason\":\"stop\"}],\"usage\":null}\n\n")
                .at(
                        1.40,
                        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":3,\"total_tokens\":13}}\n\n")
                .at(1.41, DONE)
                .complete();
        assertThat(event.getOutputTokens()).isEqualTo(3);
        assertThat(event.getPromptTokens()).isEqualTo(10);
        assertThat(event.getTokenSource()).isEqualTo(TokenSource.USAGE);
        assertThat(event.getE2eMicros()).isEqualTo(1_000_000);
        assertThat(event.getStreamEndMicros()).isEqualTo(1_410_000);
        // (1.00 s - 0.80 s) / (3 tokens - 1)
        assertThat(event.getTpotNanos()).isEqualTo(100_000_000);
        assertThat(event.getOutcome()).isEqualTo(Outcome.OK);
    }

    @Test
    void commentsAreNoEventsAndSwallowNothing() {
        RequestEvent event = Exchange.stream(Dialect.CHAT)
                .at(0.1, ": OPENROUTER PROCESSING\n\n")
                .at(0.5, ": x-tokens-in=178\n" + chunk("{\"index\":0,\"delta\":{\"content\":\"a\"}}"))
                .at(0.6, ": bye\n" + DONE)
                .complete();
        assertThat(event.getTtfbMicros()).isEqualTo(500_000);
        assertThat(event.getTtftMicros()).isEqualTo(500_000);
        assertThat(event.getChunks()).isEqualTo(2);
        assertThat(event.getOutcome()).isEqualTo(Outcome.OK);
        assertThat(event.getMarks()).isEmpty();
    }

    @Test
    void aLineEndCutBetweenItsTwoBytesIsOneLineEnd() {
        RequestEvent event = Exchange.stream(Dialect.CHAT)
                .at(0.1, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\r")
                .at(0.2, "\n\r\ndata: [DONE]\r\n\r\n")
                .complete();
        assertThat(event.getChunks()).isEqualTo(2);
        assertThat(event.getTokenChunks()).isEqualTo(1);
        assertThat(event.getTtftMicros()).isEqualTo(200_000);
        assertThat(event.getMarks()).containsExactly("coalesced");
    }

    @Test
    void aSpaceAfterTheColonIsOptionalAndLinesOfAnEventAreJoined() {
        RequestEvent event = Exchange.stream(Dialect.CHAT)
                .at(0.1, "data:{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n")
                .at(0.2, "data: {\"choices\":[{\"index\":0,\ndata: \"delta\":{\"content\":\"b\"}}]}\n\n")
                .at(0.3, "data:[DONE]\n\n")
                .complete();
        assertThat(event.getTokenChunks()).isEqualTo(2);
        assertThat(event.getOutcome()).isEqualTo(Outcome.OK);
        assertThat(event.getMarks()).isEmpty();
    }

    @Test
    void aCharacterMayBeCutAnywhere() {
        byte[] stream = (chunk("{\"index\":0,\"delta\":{\"content\":\"那\"}}") + DONE).getBytes(StandardCharsets.UTF_8);
        Exchange exchange = Exchange.stream(Dialect.CHAT);
        for (byte b : stream) {
            exchange.at(0.1, new byte[] {b});
        }
        RequestEvent event = exchange.complete();
        assertThat(event.getTokenChunks()).isEqualTo(1);
        assertThat(event.getChunks()).isEqualTo(2);
        assertThat(event.getMarks()).isEmpty();
        assertThat(event.getOutcome()).isEqualTo(Outcome.OK);
    }

    @Test
    void anErrorUnderStatus200IsAFailureWithoutSamples() {
        RequestEvent event = Exchange.stream(Dialect.CHAT)
                .asks("{\"model\":\"m\",\"max_tokens\":512}")
                .at(
                        0.4,
                        "data: {\"error\":{\"message\":\"TimeoutError\",\"type\":\"GatewayTimeout\",\"code\":504}}\n\n")
                .at(0.5, DONE)
                .complete();
        assertThat(event.getOutcome()).isEqualTo(Outcome.INBAND_ERROR);
        assertThat(event.getErrorType()).isEqualTo("GatewayTimeout");
        assertThat(event.getHttpStatus()).isEqualTo(200);
        assertThat(event.getTtftMicros()).isNull();
        assertThat(event.getTpotNanos()).isNull();
        assertThat(event.getItlSketch()).isNull();
        assertThat(event.getOutputTokens()).isNull();
    }

    @Test
    void aStreamThatBreaksOffIsTruncatedAndKeepsItsFirstToken() {
        Exchange exchange = Exchange.stream(Dialect.CHAT)
                .at(0.25, chunk("{\"index\":0,\"delta\":{\"content\":\"half\"},\"finish_reason\":null}"));
        RequestEvent cut = exchange.end(Ending.CUT, 0.5);
        assertThat(cut.getOutcome()).isEqualTo(Outcome.TRUNCATED);
        assertThat(cut.getTtftMicros()).isEqualTo(250_000);
        assertThat(cut.getErrorType()).isEqualTo("upstream-cut");
    }

    @Test
    void aStreamWithAReasonAndAProperEndIsWholeWithoutItsMark() {
        RequestEvent event = Exchange.stream(Dialect.CHAT)
                .at(0.25, chunk("{\"index\":0,\"delta\":{\"content\":\"all\"},\"finish_reason\":\"stop\"}"))
                .complete();
        assertThat(event.getOutcome()).isEqualTo(Outcome.OK);
        assertThat(event.getMarks()).containsExactly("no-done");
    }

    @Test
    void severalTokensInAChunkShareItsGap() {
        RequestEvent event = Exchange.stream(Dialect.CHAT)
                .at(
                        0.10,
                        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"one two three four\"}}],\"usage\":{\"completion_tokens\":4}}\n\n")
                .at(
                        0.18,
                        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" five six seven eight\"}}],\"usage\":{\"completion_tokens\":8}}\n\n")
                .at(0.2, DONE)
                .complete();
        assertThat(event.getOutputTokens()).isEqualTo(8);
        assertThat(event.getTokenSource()).isEqualTo(TokenSource.CONTINUOUS);
        assertThat(event.getFirstChunkTokens()).isEqualTo(4);
        // 80 ms / (8 - 4)
        assertThat(event.getTpotNanos()).isEqualTo(20_000_000);
        QuantileSketch tokens = sketch(event.getItlSketch());
        assertThat(tokens.n()).isEqualTo(4);
        assertThat(tokens.min()).isEqualTo(20_000_000);
        assertThat(tokens.max()).isEqualTo(20_000_000);
        QuantileSketch chunks = sketch(event.getIclSketch());
        assertThat(chunks.n()).isEqualTo(1);
        assertThat((double) chunks.max()).isCloseTo(80_000_000, within(1.0));
        assertThat(event.getMaxStallMicros()).isEqualTo(80_000);
    }

    @Test
    void runningCountsAreNotAddedUp() {
        RequestEvent event = Exchange.stream(Dialect.CHAT)
                .at(0.1, counted("a", 1))
                .at(0.2, counted("b", 2))
                .at(
                        0.3,
                        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2,\"total_tokens\":11}}\n\n")
                .at(0.3, DONE)
                .complete();
        assertThat(event.getPromptTokens()).isEqualTo(9);
        assertThat(event.getOutputTokens()).isEqualTo(2);
        assertThat(event.getTokenSource()).isEqualTo(TokenSource.USAGE);
    }

    @Test
    void aToolCallInPiecesIsTokensFromItsFirstPieceOn() {
        RequestEvent event = Exchange.stream(Dialect.CHAT)
                .at(
                        0.1,
                        chunk(
                                "{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]}}"))
                .at(
                        0.2,
                        chunk(
                                "{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":null,\"function\":{\"arguments\":\"{\\\"x\\\":\"}}]}}"))
                .at(0.3, chunk("{\"index\":0,\"delta\":{\"tool_calls\":[{\"function\":{\"arguments\":\"1}\"}}]}}"))
                .at(0.4, chunk("{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}"))
                .at(0.4, DONE)
                .complete();
        assertThat(event.getTtftMicros()).isEqualTo(100_000);
        assertThat(event.getTtfoMicros()).isEqualTo(100_000);
        assertThat(event.getTokenChunks()).isEqualTo(3);
        assertThat(event.getE2eMicros()).isEqualTo(300_000);
        assertThat(event.getFinishReason()).isEqualTo("tool_calls");
        assertThat(event.toString()).doesNotContain("call_1");
    }

    @ParameterizedTest
    @ValueSource(ints = {64 << 10, 1 << 20, 4 << 20})
    void aLineOfAnyLengthIsMeasured(int length) {
        byte[] line = (chunk("{\"index\":0,\"delta\":{\"content\":\"" + "A".repeat(length)
                                + "\"},\"finish_reason\":\"stop\"}")
                        + DONE)
                .getBytes(StandardCharsets.UTF_8);
        Exchange exchange = Exchange.stream(Dialect.CHAT);
        int reads = 64;
        for (int i = 0; i < reads; i++) {
            int from = (int) ((long) line.length * i / reads);
            int to = (int) ((long) line.length * (i + 1) / reads);
            exchange.at(0.1 + 0.01 * i, Arrays.copyOfRange(line, from, to));
        }
        RequestEvent event = exchange.complete();
        assertThat(event.getTokenChunks()).isEqualTo(1);
        assertThat(event.getTtftMicros()).isEqualTo(100_000 + 10_000 * 63);
        assertThat(event.getFinishReason()).isEqualTo("stop");
        assertThat(event.getOutcome()).isEqualTo(Outcome.OK);
    }

    private static String chunk(String choice) {
        return "data: {\"id\":\"c-1\",\"model\":\"m\",\"choices\":[" + choice + "]}\n\n";
    }

    private static String counted(String text, int tokens) {
        return "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + text
                + "\"}}],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":" + tokens + ",\"total_tokens\":"
                + (9 + tokens)
                + "}}\n\n";
    }

    private static QuantileSketch sketch(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        return SketchEncoding.decode(copy);
    }
}
