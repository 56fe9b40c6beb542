package io.inferwatch.probes.replay;

import static io.inferwatch.probes.replay.TraceFixtures.byRow;
import static io.inferwatch.probes.replay.TraceFixtures.offsetsMillis;
import static io.inferwatch.probes.replay.TraceFixtures.read;
import static io.inferwatch.probes.replay.TraceFixtures.small;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.probes.replay.TraceOptions.OnBackwardTime;
import io.inferwatch.probes.replay.TraceOptions.OverLimit;
import io.inferwatch.probes.replay.TraceOptions.TimeUnit;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Known traps of public trace files, each named by its number in the catalogue of edge cases. */
class TraceEdgeCasesTest {
    @TempDir
    private Path directory;

    @Test
    void trc01SevenFractionalDigitsAreReadExactlyAsUtc() {
        assertThat(offsetsMillis(read(TraceFormat.AZURE, small("azure.csv")))).containsExactly(0L, 1L, 8L, 10L);
        Instant instant = AzureReader.parse("2023-11-16 18:17:03.9799600");
        assertThat(instant.getEpochSecond() * 1_000_000_000 + instant.getNano()).isEqualTo(1_700_158_623_979_960_000L);
    }

    @Test
    void trc01OtherNumbersOfFractionalDigitsAreAcceptedAsWell() {
        assertThat(AzureReader.parse("2023-11-16 18:17:03.979960"))
                .isEqualTo(AzureReader.parse("2023-11-16 18:17:03.9799600"))
                .isEqualTo(AzureReader.parse("2023-11-16T18:17:03.97996+00:00"));
        assertThat(AzureReader.parse("2023-11-16 18:17:03.979")).isEqualTo("2023-11-16T18:17:03.979Z");
        assertThat(AzureReader.parse("2023-11-16 18:17:03")).isEqualTo("2023-11-16T18:17:03Z");
    }

    @Test
    void trc05ColumnsAreFoundByNameInBothFormsOfBurstGpt() {
        List<RequestEvent> six = byRow(read(TraceFormat.BURSTGPT, small("burstgpt-six.csv")));
        assertThat(six).extracting(RequestEvent::getPromptTokens).containsExactly(472L, 1087L);
        assertThat(six).extracting(RequestEvent::getModel).containsOnly("ChatGPT");
        assertThat(six).extracting(RequestEvent::getE2eMicros).containsOnlyNulls();

        Trace trace = read(TraceFormat.BURSTGPT, small("burstgpt-eight.csv"));
        List<RequestEvent> eight = byRow(trace);
        assertThat(eight).extracting(RequestEvent::getPromptTokens).containsExactly(906L, 36L, 37L);
        assertThat(eight).extracting(RequestEvent::getE2eMicros).containsExactly(43_000_000L, 2_000_000L, 3_000_000L);
        assertThat(eight).extracting(RequestEvent::getTtftMicros).containsOnlyNulls();
        long first = eight.get(0).getStartedAtMicros();
        assertThat(eight)
                .extracting(event -> event.getStartedAtMicros() - first)
                .containsExactly(0L, 50_000_000L, 51_000_000L);
    }

    @Test
    void trc05ABlankSessionIsNoneAndNotOneGiantSession() {
        List<RequestEvent> rows = byRow(read(TraceFormat.BURSTGPT, small("burstgpt-eight.csv")));
        assertThat(rows.get(0).getSession()).isNotNull();
        assertThat(rows.get(1).getSession()).isNull();
        assertThat(rows.get(2).getSession()).isNull();

        StringBuilder many = new StringBuilder("Timestamp,Session ID,Model,Request tokens,Response tokens\n");
        for (int i = 0; i < 100; i++) {
            many.append(i).append(",,m,1,1\n");
        }
        assertThat(read(TraceFormat.BURSTGPT, TraceFixtures.write(directory, "blank.csv", many.toString()))
                        .events())
                .extracting(RequestEvent::getReplica)
                .as("rows without a session spread over the fleet")
                .containsAll(
                        LongStream.range(0, 8).mapToObj(i -> "replica-" + i).toList());
    }

    @Test
    void trc07RowsOfOneInstantStayInTheFilesOrderAndEqualRowsAreDistinctRequests() {
        Trace trace = read(TraceFormat.MOONCAKE, small("mooncake.jsonl"));
        assertThat(offsetsMillis(trace)).containsExactly(0L, 2999L, 3000L, 3000L, 3000L, 3000L);
        assertThat(trace.events()).extracting(RequestEvent::getRow).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
        assertThat(trace.summary().marked()).doesNotContainKey(Mark.HASH_IDS_MISMATCH);
        assertThat(trace.summary().warnings()).isEmpty();
    }

    @Test
    void trc08TheUnitOfTimeIsAnOptionAndMillisecondsOtherwise() {
        String rows = """
                {"timestamp": 0.2, "input_length": 20, "output_length": 8, "hash_ids": [0]}
                {"timestamp": 1.7, "input_length": 20, "output_length": 8, "hash_ids": [0]}
                """;
        Path file = TraceFixtures.write(directory, "seconds.jsonl", rows);

        Trace milliseconds = read(TraceFormat.MOONCAKE, file);
        assertThat(milliseconds.completedMicros(1) - milliseconds.completedMicros(0))
                .isEqualTo(1_500);
        assertThat(milliseconds.summary().warnings())
                .singleElement()
                .asString()
                .contains("seconds.jsonl", "all 2 rows lie within 1500 us");

        Trace seconds =
                Trace.read(List.of(file), mooncake(Optional.of(TimeUnit.S), OptionalLong.empty(), OverLimit.SKIP));
        assertThat(seconds.completedMicros(1) - seconds.completedMicros(0)).isEqualTo(1_500_000);
        assertThat(seconds.summary().warnings()).isEmpty();
    }

    @Test
    void trc08AWrongNumberOfPrefixBlocksIsFlaggedAndDoesNoHarm() {
        Trace trace = read(TraceFormat.MOONCAKE, small("mooncake-odd.jsonl"));
        assertThat(trace.size()).isEqualTo(2);
        assertThat(trace.events())
                .allSatisfy(event -> assertThat(event.getMarks()).contains("hash-ids-mismatch"));
        assertThat(trace.summary().marked()).containsEntry(Mark.HASH_IDS_MISMATCH, 2L);
    }

    @Test
    void trc10PromptsOverTheLimitAreSkippedClippedOrScaledAndCounted() {
        Path file = small("mooncake.jsonl");
        Optional<TimeUnit> unit = Optional.empty();
        OptionalLong limit = OptionalLong.of(512);

        Trace skipped = Trace.read(List.of(file), mooncake(unit, limit, OverLimit.SKIP));
        assertThat(skipped.events()).extracting(RequestEvent::getPromptTokens).containsExactly(10L, 20L, 20L, 5L);
        assertThat(skipped.summary().skipped()).isEqualTo(2);
        assertThat(skipped.summary().rows()).isEqualTo(6);

        Trace clipped = Trace.read(List.of(file), mooncake(unit, limit, OverLimit.CLIP));
        assertThat(clipped.events())
                .extracting(RequestEvent::getPromptTokens)
                .containsExactly(512L, 512L, 10L, 20L, 20L, 5L);
        assertThat(clipped.summary().marked()).containsEntry(Mark.PROMPT_CLIPPED, 2L);

        Trace scaled = Trace.read(List.of(file), mooncake(unit, limit, OverLimit.SCALE));
        // Times 512 / 1025, rounded.
        assertThat(scaled.events())
                .extracting(RequestEvent::getPromptTokens)
                .containsExactly(512L, 512L, 5L, 10L, 10L, 2L);
        assertThat(scaled.summary().marked()).containsEntry(Mark.PROMPT_SCALED, 6L);

        Trace within = Trace.read(List.of(file), mooncake(unit, OptionalLong.of(1025), OverLimit.SKIP));
        assertThat(within.summary().skipped()).isZero();
        assertThat(within.size()).isEqualTo(6);
    }

    @Test
    void trc11ABackwardStepBeginsANewEpochAndIsReported() {
        Trace trace = Trace.read(List.of(small("ragpulse.jsonl")), ragpulse(OnBackwardTime.NEW_EPOCH));
        assertThat(trace.events()).extracting(RequestEvent::getRow).containsExactly(1L, 2L, 3L, 4L);
        assertThat(offsetsMillis(trace)).containsExactly(0L, 604_371_000L, 604_371_000L, 604_378_000L);
        assertThat(trace.summary().warnings()).anySatisfy(warning -> assertThat(warning)
                .contains("ragpulse.jsonl:3: time falls from 604453 s to 0 s: a new epoch begins there"));
    }

    @Test
    void trc11ABackwardStepCanMeanRowsOutOfOrder() {
        Trace trace = Trace.read(List.of(small("ragpulse.jsonl")), ragpulse(OnBackwardTime.SORT));
        assertThat(trace.events()).extracting(RequestEvent::getRow).containsExactly(3L, 4L, 1L, 2L);
        assertThat(trace.summary().warnings())
                .anySatisfy(warning -> assertThat(warning).contains("ragpulse.jsonl:3", "rows are sorted by time"));
    }

    @Test
    void trc11ABlankEndIsNoErrorAndABlankMiddleIsReported() {
        Trace trace = read(TraceFormat.RAGPULSE, small("ragpulse.jsonl"));
        assertThat(trace.size()).isEqualTo(4);
        assertThat(trace.summary().warnings().stream().filter(warning -> warning.contains("blank")))
                .singleElement()
                .asString()
                .contains("ragpulse.jsonl:4: blank line in the middle");
    }

    @Test
    void trc13ColumnsAreFoundByNameAndThreeSpellingsOfNullAreOneMissingValue() {
        TraceRows rows = new TraceRows(TraceOptions.of(TraceFormat.AZURE));
        List<String> seen = new ArrayList<>();
        CsvTable.RowReader reader = (fields, row) -> seen.add(fields.requiredMicros("timestamp_anon", 1_000_000) + " "
                + fields.micros("value", 1_000_000) + " " + fields.text("container_ip"));
        new CsvTable(
                        TraceFixtures.write(
                                directory,
                                "a.csv",
                                "timestamp_anon,value,container_ip\n1662858720.0,19106.0,63beb1\n1662858721.5,None,NULL\n"),
                        List.of("timestamp_anon", "value", "container_ip"),
                        rows)
                .read(reader);
        new CsvTable(
                        TraceFixtures.write(
                                directory, "b.csv", "value,container_ip,timestamp_anon\n0.0,,1662858720.0\nNaN,x,1\n"),
                        List.of("timestamp_anon", "value", "container_ip"),
                        rows)
                .read(reader);
        assertThat(seen)
                .containsExactly(
                        "1662858720000000 19106000000 63beb1",
                        "1662858721500000 null null",
                        "1662858720000000 0 null",
                        "1000000 null x");
    }

    @Test
    void trc14FailedCallsWithZeroLatenciesAreFailuresWithoutLatencies() {
        List<RequestEvent> rows = byRow(read(TraceFormat.LLMPERF, small("llmperf.csv")));
        List<RequestEvent> lepton = rows.stream()
                .filter(event -> "lepton_13b".equals(event.getModel()))
                .toList();
        assertThat(lepton).hasSize(2).allSatisfy(event -> {
            assertThat(event.getOutcome()).isEqualTo(Outcome.REJECTED);
            assertThat(event.getTtftMicros()).isNull();
            assertThat(event.getE2eMicros()).isNull();
        });
    }

    @Test
    void trc14AnInterTokenTimeOfAboutTheWholeLatencyIsFlagged() {
        List<RequestEvent> rows = byRow(read(TraceFormat.LLMPERF, small("llmperf.csv")));
        assertThat(rows.stream().filter(event -> event.getMarks().contains("implausible-itl")))
                .extracting(RequestEvent::getModel)
                .containsExactly("bedrock_13b");
    }

    private static TraceOptions mooncake(Optional<TimeUnit> unit, OptionalLong limit, OverLimit overLimit) {
        return new TraceOptions(
                TraceFormat.MOONCAKE, unit, limit, overLimit, OnBackwardTime.NEW_EPOCH, Optional.empty());
    }

    private static TraceOptions ragpulse(OnBackwardTime rule) {
        return new TraceOptions(
                TraceFormat.RAGPULSE, Optional.empty(), OptionalLong.empty(), OverLimit.SKIP, rule, Optional.empty());
    }
}
