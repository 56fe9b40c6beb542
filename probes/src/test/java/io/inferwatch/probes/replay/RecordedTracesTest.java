package io.inferwatch.probes.replay;

import static io.inferwatch.probes.replay.TraceFixtures.large;
import static io.inferwatch.probes.replay.TraceFixtures.read;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** Whole recorded files against counts that were taken without these readers. */
class RecordedTracesTest {
    @Test
    void theAgenticTraceHasItsRequestsLatenciesAndFirstTokens() throws IOException {
        Trace trace = read(TraceFormat.AGENTIC, TraceFixtures.agentic());

        assertThat(trace.summary().rows()).isEqualTo(49_334);
        assertThat(trace.size()).isEqualTo(49_334);
        assertThat(count(trace, event -> event.getE2eMicros() != null)).isEqualTo(45_022);
        assertThat(count(trace, event -> event.getTtftMicros() != null)).isEqualTo(4_153);
        assertThat(trace.summary().marked())
                .containsEntry(Mark.SYNTHETIC_DIMENSIONS, 49_334L)
                .containsEntry(Mark.ESTIMATED_CACHE, 49_334L)
                .containsEntry(Mark.ZERO_OUTPUT, 27L)
                .doesNotContainKey(Mark.IMPLAUSIBLE_TTFT);
        assertThat(trace.summary().warnings()).isEmpty();
        assertThat(trace.events())
                .allSatisfy(event -> assertThat(event.getOutcome()).isEqualTo(Outcome.OK));
        assertThat(trace.events().stream().map(RequestEvent::getModel).distinct())
                .hasSize(6);

        // Exactly the file's latencies: by splitting its lines, for the file quotes nothing.
        List<String[]> lines = new ArrayList<>();
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(TraceFixtures.agentic())), StandardCharsets.UTF_8))) {
            reader.readLine();
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line.split(",", -1));
            }
        }
        assertThat(sorted(trace, RequestEvent::getE2eMicros)).isEqualTo(sortedMicros(lines, 11));
        assertThat(sorted(trace, RequestEvent::getTtftMicros)).isEqualTo(sortedMicros(lines, 12));
    }

    @Test
    void theAgenticTraceStaysWithinTheSpanOfItsLongestSession() {
        Trace trace = read(TraceFormat.AGENTIC, TraceFixtures.agentic());
        // The longest session's last request, a sub-agent's, ends 297,251.09 s after the session began.
        assertThat(trace.completedMicros(trace.size() - 1)).isEqualTo(297_251_090_000L);
        assertThat(trace.completedMicros(0)).isNotNegative();
    }

    @Test
    void theAgenticTraceSpreadsOverTheWholeFleetAndSessionsStayTogether() {
        Trace trace = read(TraceFormat.AGENTIC, TraceFixtures.agentic());
        assertThat(distinct(trace, RequestEvent::getReplica)).isEqualTo(8);
        assertThat(distinct(trace, RequestEvent::getNode)).isEqualTo(4);
        assertThat(distinct(trace, RequestEvent::getRegion)).isEqualTo(2);
        assertThat(distinct(trace, RequestEvent::getPool)).isEqualTo(2);
        assertThat(distinct(trace, RequestEvent::getVersion)).isEqualTo(2);
        assertThat(distinct(trace, RequestEvent::getTenant)).isEqualTo(12);
        assertThat(distinct(trace, event -> event.getSession() + " " + event.getReplica() + " " + event.getTenant()))
                .isEqualTo(distinct(trace, RequestEvent::getSession));
        // 710 sessions and 63 sub-agents
        assertThat(distinct(trace, RequestEvent::getSession)).isEqualTo(773);
    }

    @Test
    void llmperfsResultsKeepTheirFailuresOutOfLatencies() {
        Trace trace = read(TraceFormat.LLMPERF, large("llm_results/llmperf_leaderboard/individual.csv"));

        assertThat(trace.summary().rows()).isEqualTo(2_845);
        assertThat(count(trace, event -> event.getOutcome() == Outcome.REJECTED))
                .isEqualTo(392);
        assertThat(count(trace, event -> event.getOutcome() == Outcome.TRUNCATED))
                .isEqualTo(146);
        assertThat(count(trace, event -> event.getOutcome() == Outcome.UNKNOWN)).isEqualTo(1);
        assertThat(count(trace, event -> event.getOutcome() == Outcome.OK)).isEqualTo(2_306);
        assertThat(count(trace, event -> event.getTtftMicros() != null && event.getTtftMicros() == 0))
                .isZero();
        assertThat(count(trace, event -> event.getE2eMicros() != null && event.getE2eMicros() == 0))
                .isZero();
        assertThat(trace.summary().marked()).containsEntry(Mark.IMPLAUSIBLE_ITL, 146L);

        Predicate<RequestEvent> lepton = event -> "lepton_13b".equals(event.getModel());
        assertThat(count(trace, lepton)).isEqualTo(150);
        assertThat(count(trace, lepton.and(event -> event.getOutcome() == Outcome.REJECTED)))
                .isEqualTo(130);
    }

    @Test
    void trc04TheAzureTracesLongestSilenceIsKeptAndScaled() {
        Trace trace = read(TraceFormat.AZURE, large("traces/azure/AzureLLMInferenceTrace_code.csv"));
        assertThat(trace.size()).isEqualTo(8_819);
        Timeline tenfold = new Timeline(
                trace.completedMicros(0), trace.completedMicros(trace.size() - 1), 0, 0, OptionalDouble.of(10), 10);
        long longest = 0;
        for (int i = 1; i < trace.size(); i++) {
            long wait = tenfold.dueMicros(trace.completedMicros(i)) - tenfold.dueMicros(trace.completedMicros(i - 1));
            assertThat(wait).isNotNegative();
            longest = Math.max(longest, wait);
        }
        assertThat(longest).isEqualTo(21_716_895);
    }

    @Test
    void mooncakesConversationsKeepEveryRow() {
        Trace trace = read(TraceFormat.MOONCAKE, large("traces/mooncake/conversation_trace.jsonl.gz"));
        assertThat(trace.size()).isEqualTo(12_031);
        assertThat(trace.completedMicros(trace.size() - 1)).isEqualTo(3_536_999_000L);
        assertThat(IntStream.range(0, trace.size())
                        .mapToLong(trace::completedMicros)
                        .distinct()
                        .count())
                .isEqualTo(1_180);
        assertThat(trace.summary().marked()).doesNotContainKey(Mark.HASH_IDS_MISMATCH);
        assertThat(trace.summary().warnings()).isEmpty();
    }

    @Test
    void ragPulsesBackwardStepIsReportedAtItsLine() {
        Path file = large("traces/ragpulse/0_trace.jsonl.gz");
        Trace trace = read(TraceFormat.RAGPULSE, file);
        assertThat(trace.size()).isEqualTo(7_106);
        assertThat(trace.summary().warnings())
                .containsExactly(file + ":3801: time falls from 604453 s to 0 s: a new epoch begins there");
        assertThat(distinct(trace, RequestEvent::getSession)).isEqualTo(3_990);
    }

    private static long count(Trace trace, Predicate<RequestEvent> which) {
        return trace.events().stream().filter(which).count();
    }

    private static long distinct(Trace trace, Function<RequestEvent, String> value) {
        return trace.events().stream().map(value).distinct().count();
    }

    private static long[] sorted(Trace trace, Function<RequestEvent, Long> value) {
        return trace.events().stream()
                .map(value)
                .filter(Objects::nonNull)
                .mapToLong(Long::longValue)
                .sorted()
                .toArray();
    }

    private static long[] sortedMicros(List<String[]> lines, int column) {
        long[] micros = lines.stream()
                .map(cells -> cells[column])
                .filter(cell -> !cell.isEmpty())
                .mapToLong(cell -> Math.round(Double.parseDouble(cell) * 1e6))
                .toArray();
        Arrays.sort(micros);
        return micros;
    }
}
