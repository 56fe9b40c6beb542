package io.inferwatch.probes.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.probes.replay.Trace;
import io.inferwatch.probes.replay.TraceFormat;
import io.inferwatch.probes.replay.TraceOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Traces as loads; their oddities come from public bug reports. */
class TraceWorkloadTest {
    @TempDir
    private Path directory;

    /** Offsets 0, 1, 8, 10 ms, and not [0, 0, 0, 10]. */
    @Test
    void arrivalsWithinOneCentisecondAreKeptApart() {
        List<PlannedRequest> requests = read(TraceFormat.AZURE, """
                TIMESTAMP,ContextTokens,GeneratedTokens
                2023-11-16 18:17:03.0010000,10,1
                2023-11-16 18:17:03.0020000,10,1
                2023-11-16 18:17:03.0090000,10,1
                2023-11-16 18:17:03.0110000,10,1
                """, 1);
        assertThat(requests)
                .extracting(PlannedRequest::afterNanos)
                .containsExactly(0L, 1_000_000L, 8_000_000L, 10_000_000L);
        assertThat(requests).extracting(PlannedRequest::promptTokens).containsOnly(10);
        assertThat(requests).extracting(PlannedRequest::answerTokens).containsOnly(1);
    }

    @Test
    void aSilenceIsWaitedForScaled() {
        List<PlannedRequest> requests = read(TraceFormat.AZURE, """
                TIMESTAMP,ContextTokens,GeneratedTokens
                2023-11-16 18:17:03.0000000,10,1
                2023-11-16 18:20:40.1689520,10,1
                """, 2);
        assertThat(requests.get(1).afterNanos()).isEqualTo(108_584_476_000L);
    }

    @Test
    void burstGptsSessionsShareTheirBeginningAndItsFailuresAskForOneToken() {
        List<PlannedRequest> requests = read(TraceFormat.BURSTGPT, """
                Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type
                19440110.0,1722ac82-0a46,43,GPT-4,20,446,1352,Conversation log
                19440160.0,,2,ChatGPT,36,0,65,API log
                19440170.0,1722ac82-0a46,2,GPT-4,30,29,65,Conversation log
                19440171.0,,2,GPT-4,30,29,65,API log
                """, 1);
        assertThat(requests)
                .extracting(PlannedRequest::afterNanos)
                .containsExactly(0L, 50_000_000_000L, 60_000_000_000L, 61_000_000_000L);
        assertThat(text(requests.get(2))).startsWith(text(requests.get(0)));
        assertThat(requests.get(1).session()).isNull();
        assertThat(text(requests.get(3)).substring(0, 16))
                .isNotEqualTo(text(requests.get(1)).substring(0, 16));
        assertThat(requests.get(1).answerTokens()).isEqualTo(1);
    }

    @Test
    void mooncakesEqualBlocksAreEqualTextAndEqualRowsAreTwoRequests() {
        List<PlannedRequest> requests = read(TraceFormat.MOONCAKE, """
                {"timestamp": 2999, "input_length": 1200, "output_length": 52, "hash_ids": [46, 47, 48]}
                {"timestamp": 3000, "input_length": 1100, "output_length": 8, "hash_ids": [46, 47, 99]}
                {"timestamp": 3000, "input_length": 1100, "output_length": 8, "hash_ids": [46, 47, 99]}
                {"timestamp": 3000, "input_length": 600, "output_length": 8, "hash_ids": [47, 46]}
                """, 1);
        assertThat(requests)
                .extracting(PlannedRequest::afterNanos)
                .containsExactly(0L, 1_000_000L, 1_000_000L, 1_000_000L);
        String first = text(requests.get(0));
        String second = text(requests.get(1));
        assertThat(first).hasSize(4_800);
        assertThat(second.substring(0, 4_096)).isEqualTo(first.substring(0, 4_096));
        assertThat(second.substring(4_096)).isNotEqualTo(first.substring(4_096, second.length()));
        assertThat(text(requests.get(2))).isEqualTo(second);
        assertThat(text(requests.get(3)).substring(0, 64)).isNotEqualTo(first.substring(0, 64));
    }

    /** Row 1 needs 14 blocks for 6955 tokens and has two; what the blocks do not say is text of its own. */
    @Test
    void tooFewBlocksAreFilledUpAndTooManyCutOff() {
        List<PlannedRequest> requests = read(TraceFormat.MOONCAKE, """
                {"timestamp": 27482, "input_length": 6955, "output_length": 52, "hash_ids": [46, 47]}
                {"timestamp": 27483, "input_length": 20, "output_length": 8, "hash_ids": [46, 1]}
                """, 1);
        assertThat(requests).extracting(PlannedRequest::promptTokens).containsExactly(6_955, 20);
        assertThat(text(requests.get(0))).startsWith(text(requests.get(1)));
    }

    @Test
    void aClockThatStepsBackNeverMakesANegativePause() {
        List<PlannedRequest> requests = read(TraceFormat.RAGPULSE, """
                {"timestamp": "604452", "input_length": 10, "output_length": 5, "hash_ids": {}, "session_id": "a"}
                {"timestamp": "604453", "input_length": 10, "output_length": 5, "hash_ids": {}, "session_id": "a"}
                {"timestamp": "0", "input_length": 10, "output_length": 5, "hash_ids": {}, "session_id": "b"}
                {"timestamp": "2", "input_length": 10, "output_length": 5, "hash_ids": {}, "session_id": "b"}

                """, 1);
        assertThat(requests)
                .extracting(PlannedRequest::afterNanos)
                .containsExactly(0L, 1_000_000_000L, 1_000_000_000L, 3_000_000_000L);
    }

    @Test
    void promptsAboveTheLimitFollowTheRule() throws IOException {
        Path file = file("""
                {"timestamp": 0, "input_length": 126195, "output_length": 52, "hash_ids": [1]}
                {"timestamp": 1, "input_length": 20, "output_length": 8, "hash_ids": [2]}
                """);
        assertThat(requests(new TraceWorkload(
                        Trace.read(List.of(file), limited(TraceOptions.OverLimit.CLIP)), 1, Long.MAX_VALUE, 1)))
                .extracting(PlannedRequest::promptTokens)
                .containsExactly(32_768, 20);
        assertThat(requests(new TraceWorkload(
                        Trace.read(List.of(file), limited(TraceOptions.OverLimit.SKIP)), 1, Long.MAX_VALUE, 1)))
                .extracting(PlannedRequest::promptTokens)
                .containsExactly(20);
    }

    /** As {@code inferwatch events tail requests} prints them, heartbeats among them. */
    @Test
    void ownEventsOutOfKafkaAreATrace() {
        List<PlannedRequest> requests = read(TraceFormat.JSONL, """
                {"topic":"inferwatch.requests","partition":0,"offset":1,"key":"chat-0","record":"RequestEvent","event":{"stream":"proxy-1/chat-0","sequence":1,"completedAtMicros":1790000002000000,"startedAtMicros":1790000000000000,"traffic":"PRODUCTION","outcome":"OK","replica":"chat-0","promptTokens":120,"outputTokens":30,"itlSketch":"AQID"}}
                {"topic":"inferwatch.requests","partition":0,"offset":2,"key":"chat-0","record":"Heartbeat","event":{"stream":"proxy-1/chat-0","nextSequence":2}}
                {"topic":"inferwatch.requests","partition":0,"offset":3,"key":"chat-0","record":"RequestEvent","event":{"stream":"proxy-1/chat-0","sequence":2,"completedAtMicros":1790000001000000,"startedAtMicros":1790000000500000,"traffic":"PRODUCTION","outcome":"OK","replica":"chat-0","promptTokens":60,"outputTokens":3}}
                """, 1);
        assertThat(requests).extracting(PlannedRequest::promptTokens).containsExactly(120, 60);
        assertThat(requests).extracting(PlannedRequest::answerTokens).containsExactly(30, 3);
        assertThat(requests).extracting(PlannedRequest::afterNanos).containsExactly(0L, 500_000_000L);
    }

    @Test
    void rowsWithoutALengthAreLeftOutAndCounted() {
        Trace trace = Trace.read(List.of(file("""
                        TIMESTAMP,ContextTokens,GeneratedTokens
                        2023-11-16 18:17:03.0010000,10,1
                        2023-11-16 18:17:04.0010000,,1
                        """)), TraceOptions.of(TraceFormat.AZURE));
        TraceWorkload load = new TraceWorkload(trace, 1, Long.MAX_VALUE, 1);
        assertThat(load.withoutLength()).isEqualTo(1);
        assertThat(requests(load)).hasSize(1);
    }

    @Test
    void aTraceWithoutAnyLengthIsRefused() {
        Trace trace = Trace.read(
                List.of(file("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:04,,1\n")),
                TraceOptions.of(TraceFormat.AZURE));
        assertThatThrownBy(() -> new TraceWorkload(trace, 1, 10, 1))
                .hasMessage("trace: must say how long prompts are, found no row that does");
    }

    private static TraceOptions limited(TraceOptions.OverLimit rule) {
        return new TraceOptions(
                TraceFormat.MOONCAKE,
                Optional.empty(),
                OptionalLong.of(32_768),
                rule,
                TraceOptions.OnBackwardTime.NEW_EPOCH,
                Optional.empty());
    }

    private List<PlannedRequest> read(TraceFormat format, String text, double speedup) {
        Trace trace = Trace.read(List.of(file(text)), TraceOptions.of(format));
        return requests(new TraceWorkload(trace, speedup, Long.MAX_VALUE, 1));
    }

    private Path file(String text) {
        try {
            return Files.writeString(directory.resolve("trace"), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<PlannedRequest> requests(Workload workload) {
        List<PlannedRequest> requests = new ArrayList<>();
        for (PlannedRequest next = workload.next(); next != null; next = workload.next()) {
            requests.add(next);
        }
        return requests;
    }

    private static String text(PlannedRequest request) {
        byte[] text = new byte[request.promptTokens() * Words.CHARACTERS];
        int end = 0;
        for (Message message : request.messages()) {
            for (Piece words : message.pieces()) {
                end = words.write(text, end);
            }
        }
        return new String(text, 0, end, StandardCharsets.US_ASCII);
    }
}
