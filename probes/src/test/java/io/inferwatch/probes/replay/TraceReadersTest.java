package io.inferwatch.probes.replay;

import static io.inferwatch.probes.replay.TraceFixtures.byRow;
import static io.inferwatch.probes.replay.TraceFixtures.offsetsMillis;
import static io.inferwatch.probes.replay.TraceFixtures.read;
import static io.inferwatch.probes.replay.TraceFixtures.small;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Source;
import io.inferwatch.schemas.Traffic;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceReadersTest {
    @Test
    void agenticRowsBecomeRequestsWithLatenciesByOurDefinitions() {
        List<RequestEvent> rows = byRow(read(TraceFormat.AGENTIC, small("agentic.csv")));

        RequestEvent streamed = rows.get(2);
        assertThat(streamed.getRow()).isEqualTo(3);
        assertThat(streamed.getModel()).isEqualTo("haiku");
        assertThat(streamed.getE2eMicros()).isEqualTo(3_000_000);
        assertThat(streamed.getTtftMicros()).isEqualTo(1_000_000);
        // (3.0 s - 1.0 s) / (11 - 1)
        assertThat(streamed.getTpotNanos()).isEqualTo(200_000_000);
        assertThat(streamed.getPromptTokens()).isEqualTo(700);
        assertThat(streamed.getCachedTokens()).isEqualTo(8 * 64);
        assertThat(streamed.getOutputTokens()).isEqualTo(11);
        assertThat(streamed.getFinishReason()).isEqualTo("end_turn");
        assertThat(streamed.getStreaming()).isTrue();
        assertThat(streamed.getOutcome()).isEqualTo(Outcome.OK);
        assertThat(streamed.getSource()).isEqualTo(Source.REPLAY);
        assertThat(streamed.getTraffic()).isEqualTo(Traffic.PRODUCTION);
        assertThat(streamed.getMarks()).containsExactlyInAnyOrder("estimated-cache", "synthetic-dimensions");

        RequestEvent whole = rows.get(0);
        assertThat(whole.getE2eMicros()).isEqualTo(10_000_000);
        assertThat(whole.getTtftMicros()).isNull();
        assertThat(whole.getTpotNanos()).isNull();
        assertThat(whole.getStreaming()).isFalse();

        RequestEvent oneToken = rows.get(3);
        assertThat(oneToken.getTtftMicros()).isEqualTo(500_000);
        assertThat(oneToken.getTpotNanos())
                .as("one token has no time per further token")
                .isNull();
        // 16 shared blocks are 1,024 tokens of 1,040
        assertThat(oneToken.getCachedTokens()).isEqualTo(1_024);
    }

    @Test
    void agenticCachedTokensNeverExceedThePrompt() {
        RequestEvent last =
                byRow(read(TraceFormat.AGENTIC, small("agentic.csv"))).get(5);
        assertThat(last.getPromptTokens()).isEqualTo(100);
        assertThat(last.getCachedTokens()).isEqualTo(100);
    }

    @Test
    void agenticRowsWithoutALatencyAreOkAndHaveNone() {
        RequestEvent unmeasured =
                byRow(read(TraceFormat.AGENTIC, small("agentic.csv"))).get(4);
        assertThat(unmeasured.getOutcome()).isEqualTo(Outcome.OK);
        assertThat(unmeasured.getE2eMicros()).isNull();
        assertThat(unmeasured.getTtftMicros()).isNull();
        assertThat(unmeasured.getTpotNanos()).isNull();
        assertThat(unmeasured.getStartedAtMicros()).isEqualTo(unmeasured.getCompletedAtMicros());
        assertThat(unmeasured.getFinishReason()).isNull();
    }

    @Test
    void agenticRowsWithoutOutputAreMarked() {
        Trace trace = read(TraceFormat.AGENTIC, small("agentic.csv"));
        assertThat(byRow(trace).get(5).getMarks()).contains("zero-output");
        assertThat(trace.summary().marked()).containsEntry(Mark.ZERO_OUTPUT, 1L);
    }

    @Test
    void agenticTurnsCountWithinTheConversationOfAnAgent() {
        List<RequestEvent> rows = byRow(read(TraceFormat.AGENTIC, small("agentic.csv")));
        // The file numbers main's second request 2, because it counts the sub-agent as 1.
        assertThat(rows).extracting(RequestEvent::getTurn).containsExactly(1, 1, 2, 2, 1, 2);
        assertThat(rows.get(0).getSession()).isEqualTo(rows.get(3).getSession());
        assertThat(rows.get(1).getSession())
                .isEqualTo(rows.get(2).getSession())
                .isNotEqualTo(rows.get(0).getSession());
    }

    @Test
    void agenticSessionsLieWithinTheSpanOfTheLongestAndKeepTheirSpacing() {
        List<RequestEvent> rows = byRow(read(TraceFormat.AGENTIC, small("agentic.csv")));
        // trace_2 is the longest: 90 s and 8.6 s of answer.
        assertThat(rows.get(4).getStartedAtMicros()).isZero();
        assertThat(rows.get(5).getCompletedAtMicros()).isEqualTo(98_600_000);
        long start = rows.get(0).getStartedAtMicros();
        // trace_1 is 25.25 s long.
        assertThat(start).isBetween(0L, 98_600_000L - 25_250_000L);
        assertThat(rows.get(3).getStartedAtMicros() - start).isEqualTo(20_000_000);
        assertThat(rows.get(3).getCompletedAtMicros() - start).isEqualTo(25_250_000);
        // The sub-agent's clock begins at the end of the request that called it.
        assertThat(rows.get(1).getStartedAtMicros() - start).isEqualTo(10_000_000);
        assertThat(rows.get(2).getCompletedAtMicros() - start).isEqualTo(17_000_000);
    }

    @Test
    void llmperfFailuresHaveAnOutcomeAndNoLatencies() {
        List<RequestEvent> rows = byRow(read(TraceFormat.LLMPERF, small("llmperf.csv")));
        assertThat(rows)
                .extracting(RequestEvent::getOutcome)
                .containsExactly(
                        Outcome.OK,
                        Outcome.OK,
                        Outcome.REJECTED,
                        Outcome.REJECTED,
                        Outcome.TRUNCATED,
                        Outcome.UNKNOWN,
                        Outcome.HTTP_ERROR);
        assertThat(rows.subList(2, 7)).allSatisfy(failed -> {
            assertThat(failed.getTtftMicros()).isNull();
            assertThat(failed.getE2eMicros()).isNull();
            assertThat(failed.getTpotNanos()).isNull();
        });
        assertThat(rows).extracting(RequestEvent::getHttpStatus).containsExactly(null, null, 429, 429, null, null, 503);
        assertThat(rows)
                .extracting(RequestEvent::getErrorType)
                .containsExactly(
                        null,
                        null,
                        "429",
                        "429: {\"error\":{\"message\":\"Token rate limit exceeded\"}}",
                        "-100: Output too few tokens 39",
                        "-1",
                        "503: overloaded");
        assertThat(rows.get(2).getOutputTokens())
                .as("1 is a placeholder where no time passed")
                .isNull();
        assertThat(rows.get(4).getOutputTokens()).isEqualTo(39);
    }

    @Test
    void llmperfLatenciesAreOursAndItsInterTokenTimeIsNotTaken() {
        RequestEvent first =
                byRow(read(TraceFormat.LLMPERF, small("llmperf.csv"))).get(0);
        assertThat(first.getTtftMicros()).isEqualTo(500_000);
        assertThat(first.getE2eMicros()).isEqualTo(1_500_000);
        // 1.0 s over 150 gaps, not the file's 9.9 ms
        assertThat(first.getTpotNanos()).isEqualTo(6_666_667);
        assertThat(first.getItlSketch()).isNull();
    }

    @Test
    void llmperfRowsOfAProviderFollowOneAnother() {
        Trace trace = read(TraceFormat.LLMPERF, small("llmperf.csv"));
        List<RequestEvent> rows = byRow(trace);
        assertThat(rows.get(1).getStartedAtMicros()).isEqualTo(rows.get(0).getCompletedAtMicros());
        assertThat(rows.get(2).getStartedAtMicros()).isZero();
        assertThat(rows.get(3).getStartedAtMicros()).isEqualTo(1_000_000);
        assertThat(trace.summary().marked()).containsEntry(Mark.SYNTHETIC_TIME, 7L);
    }

    @Test
    void burstGptFailuresHaveNoOutputTokens() {
        List<RequestEvent> rows = byRow(read(TraceFormat.BURSTGPT, small("burstgpt-six.csv")));
        assertThat(rows.get(0).getOutcome()).isEqualTo(Outcome.OK);
        assertThat(rows.get(1).getOutcome()).isEqualTo(Outcome.NO_TOKEN);
        assertThat(rows.get(1).getOutputTokens()).isNull();
        assertThat(rows.get(1).getWorkloadClass()).isEqualTo("Conversation log");
    }

    @Test
    void ownEventsKeepWhatTheySayAndGetWhatTheyLack() {
        List<RequestEvent> rows = byRow(read(TraceFormat.JSONL, small("events.jsonl")));

        RequestEvent full = rows.get(0);
        assertThat(full.getReplica()).isEqualTo("gpu-a");
        assertThat(full.getNode()).isEqualTo("host-1");
        assertThat(full.getRegion()).isNotNull();
        assertThat(full.getTpotNanos()).as("measured, not computed anew").isEqualTo(123);
        assertThat(full.getStartedAtMicros()).isEqualTo(1_700_000_008_000_000L);
        assertThat(full.getMarks()).containsExactly("no-done", "synthetic-dimensions");
        assertThat(full.getConfiguration()).isEqualTo(Map.of("quantization", "fp8"));
        assertThat(full.getItlSketch()).isEqualTo(ByteBuffer.wrap(new byte[] {1, (byte) 0xff}));
        assertThat(full.getGuardrails()).singleElement().satisfies(guardrail -> {
            assertThat(guardrail.getName()).isEqualTo("pii");
            assertThat(guardrail.getDurationMicros()).isNull();
        });
        assertThat(full.getSession()).isEqualTo("00ff00ff00ff00ff");
        assertThat(full.getTraffic()).isEqualTo(Traffic.PRODUCTION);
        assertThat(full.getSource()).isEqualTo(Source.REPLAY);

        RequestEvent failed = rows.get(1);
        assertThat(failed.getTraffic()).isEqualTo(Traffic.SYNTHETIC);
        assertThat(failed.getOutcome()).isEqualTo(Outcome.HTTP_ERROR);
        assertThat(failed.getHttpStatus()).isEqualTo(503);
        assertThat(failed.getTenant()).isNotNull();
    }

    @Test
    void aModelCanBeGivenToFilesThatNameNone() {
        TraceOptions options = new TraceOptions(
                TraceFormat.AZURE,
                Optional.empty(),
                OptionalLong.empty(),
                TraceOptions.OverLimit.SKIP,
                TraceOptions.OnBackwardTime.NEW_EPOCH,
                Optional.of("gpt"));
        assertThat(Trace.read(List.of(small("azure.csv")), options).events())
                .extracting(RequestEvent::getModel)
                .containsOnly("gpt");
        assertThat(read(TraceFormat.AZURE, small("azure.csv")).events())
                .extracting(RequestEvent::getModel)
                .containsOnlyNulls();
    }

    @Test
    void severalFilesShareOneClock(@TempDir Path directory) {
        Path later = TraceFixtures.write(
                directory, "later.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.0050000,99,9\n");
        Trace trace = Trace.read(List.of(later, small("azure.csv")), TraceOptions.of(TraceFormat.AZURE));
        assertThat(offsetsMillis(trace)).containsExactly(0L, 1L, 4L, 8L, 10L);
        assertThat(trace.events()).extracting(RequestEvent::getPromptTokens).containsExactly(10L, 11L, 99L, 12L, 13L);
    }
}
