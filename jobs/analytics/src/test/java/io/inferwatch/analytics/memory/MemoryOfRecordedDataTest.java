package io.inferwatch.analytics.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.RecordedData;
import io.inferwatch.analytics.quantile.QuantileSketch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Waste and boundaries of recorded lengths, prompt and answer together, as the sketch tells them and one by one. Needs the larger recorded data
 * ({@code INFERWATCH_DATA}); skipped without. The README's tables are what it writes.
 */
class MemoryOfRecordedDataTest {
    private static final List<String> TAIL_WASTE = new ArrayList<>();
    private static final List<String> BOUNDARIES = new ArrayList<>();
    private static final List<String> ADVICE = new ArrayList<>();

    private static final Pattern INPUT = Pattern.compile("\"input_length\": (\\d+)");
    private static final Pattern OUTPUT = Pattern.compile("\"output_length\": (\\d+)");

    private enum Trace {
        AZURE_CONVERSATION(19_366, "azure/AzureLLMInferenceTrace_conv.csv"),
        AZURE_CODE(8_819, "azure/AzureLLMInferenceTrace_code.csv"),
        MOONCAKE_CONVERSATION(12_031, "mooncake/conversation_trace.jsonl.gz"),
        AGENTIC_CODING(49_334, "agentic_coding/requests.csv.gz"),
        VIDUR_SUMMARIES(28_257, "vidur/arxiv_summarization_stats_llama2_tokenizer_filtered_v2.csv.gz");

        private final int requests;
        private final String file;

        Trace(int requests, String file) {
            this.requests = requests;
            this.file = file;
        }

        private long length(String line) {
            return switch (this) {
                case AZURE_CONVERSATION, AZURE_CODE -> column(line, 1) + column(line, 2);
                case MOONCAKE_CONVERSATION -> number(INPUT, line) + number(OUTPUT, line);
                case AGENTIC_CODING -> column(line, 6) + column(line, 7);
                case VIDUR_SUMMARIES -> column(line, 2);
            };
        }

        long[] lengths() {
            long[] lengths = RecordedData.lines("traces/" + file).stream()
                    .skip(file.contains(".csv") ? 1 : 0)
                    .mapToLong(this::length)
                    .toArray();
            assertThat(lengths).hasSize(requests);
            return lengths;
        }

        private static long column(String line, int column) {
            return Long.parseLong(line.split(",", -1)[column]);
        }

        private static long number(Pattern pattern, String line) {
            Matcher matcher = pattern.matcher(line);
            assertThat(matcher.find()).isTrue();
            return Long.parseLong(matcher.group(1));
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    @AfterAll
    static void writeWhatWasMeasured() throws IOException {
        List<String> all = new ArrayList<>(TAIL_WASTE);
        all.addAll(BOUNDARIES);
        all.addAll(ADVICE);
        if (!all.isEmpty()) {
            Files.write(Path.of("target", "memory-of-recorded-data.txt"), all);
        }
    }

    private static SortedMap<Long, Long> counted(long[] lengths) {
        SortedMap<Long, Long> counted = new TreeMap<>();
        for (long length : lengths) {
            counted.merge(length, 1L, Long::sum);
        }
        return counted;
    }

    /** Tokens and share of the room of blocks of 8 to 128, from the sketch, and what the lengths waste one by one. */
    @ParameterizedTest(name = "{0}")
    @EnumSource
    void theSketchTellsWhatLengthsWasteInBlocks(Trace trace) {
        long[] lengths = trace.lengths();
        LengthHistogram sketched = LengthHistogram.of(TailWasteTest.sketch(counted(lengths)));
        StringBuilder row = new StringBuilder("| " + trace);
        for (int block : new int[] {8, 16, 32, 64, 128}) {
            double wasted = 0;
            double tokens = 0;
            for (long length : lengths) {
                wasted += Math.floorMod(-length, block);
                tokens += length;
            }
            TailWaste waste = TailWaste.of(sketched, block);
            assertThat(waste.tokens().value())
                    .as("blocks of %d", block)
                    .isCloseTo(wasted / lengths.length, within(0.03 * block));
            assertThat(waste.share().value()).isCloseTo(wasted / (wasted + tokens), within(0.002));
            row.append(String.format(
                    Locale.ROOT,
                    " | %.2f (%.2f), %.2f %%",
                    waste.tokens().value(),
                    wasted / lengths.length,
                    100 * waste.share().value()));
        }
        TAIL_WASTE.add(row + " |");
    }

    /** Padding that the best boundaries of all lengths, and such at equal ratios and distances, need; and the best that the sketch can tell. */
    @ParameterizedTest(name = "{0}")
    @EnumSource
    void noOtherBoundariesNeedLess(Trace trace) {
        SortedMap<Long, Long> counted = counted(trace.lengths());
        LengthHistogram exact = LengthHistogram.of(counted);
        QuantileSketch sketch = TailWasteTest.sketch(counted);
        StringBuilder row = new StringBuilder("| " + trace + " | " + counted.size() + " | "
                + LengthHistogram.of(sketch).cells());
        for (int count : new int[] {4, 8, 16, 32}) {
            double best = share(OptimalBoundaries.of(exact, count), exact);
            double sketched = share(OptimalBoundaries.of(LengthHistogram.of(sketch), count), exact);
            double geometric = share(Boundaries.geometric(exact.least(), exact.greatest(), count), exact);
            double uniform = share(Boundaries.uniform(exact.least(), exact.greatest(), count), exact);
            assertThat(best).isLessThan(geometric).isLessThan(uniform);
            assertThat(sketched).isBetween(best, 1.05 * best + 0.001);
            row.append(String.format(Locale.ROOT, " | %.3f (%.3f) / %.3f / %.3f", best, sketched, geometric, uniform));
        }
        BOUNDARIES.add(row + " |");
    }

    /** Four parts of each trace in the order of its requests, against powers of two up to the next above the greatest length. */
    @ParameterizedTest(name = "{0}")
    @EnumSource
    void partsOfATraceAreWindowsOfAdvice(Trace trace) {
        long[] lengths = trace.lengths();
        List<QuantileSketch> windows = new ArrayList<>();
        long greatest = 0;
        for (int i = 0; i < lengths.length; i++) {
            if (windows.size() <= 4L * i / lengths.length) {
                windows.add(new QuantileSketch());
            }
            windows.get(windows.size() - 1).add(lengths[i]);
            greatest = Math.max(greatest, lengths[i]);
        }
        List<Long> powers = new ArrayList<>(List.of(Long.highestOneBit(greatest) * 2));
        while (powers.size() < 8) {
            powers.add(0, powers.get(0) / 2);
        }
        BoundaryAdvice advice =
                BoundaryAdvice.of(windows, new Boundaries(powers), 8).orElseThrow();
        assertThat(advice.windows()).isEqualTo(4);
        assertThat(advice.optimalShare().value())
                .isLessThan(advice.currentShare().value())
                .isLessThan(advice.geometricShare().value())
                .isLessThan(advice.uniformShare().value());
        ADVICE.add(String.format(
                Locale.ROOT,
                "| %s | %.3f | %.3f | %.3f | %.3f | %.2f | %.2f | %s | %s |",
                trace,
                advice.currentShare().value(),
                advice.optimalShare().value(),
                advice.geometricShare().value(),
                advice.uniformShare().value(),
                advice.saving(),
                advice.leastSaving().orElseThrow(),
                advice.isRecommended() ? "yes" : "no",
                advice.optimal().sizes()));
    }

    private static double share(Boundaries boundaries, LengthHistogram lengths) {
        return boundaries.padding(lengths).share().value();
    }
}
