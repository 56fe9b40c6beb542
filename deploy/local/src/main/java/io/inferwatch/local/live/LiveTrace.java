package io.inferwatch.local.live;

import io.inferwatch.probes.replay.Trace;
import io.inferwatch.probes.replay.TraceFormat;
import io.inferwatch.probes.replay.TraceOptions;
import io.inferwatch.schemas.RequestEvent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * When requests come and how long they are: twenty minutes of the Azure trace of conversations, over and over, eight times as fast and with answers of a
 * quarter of their length, so that every server has twice the 368 requests a minute that a P99 takes, since requests that come in clumps tell less than others.
 */
final class LiveTrace {
    private static final int TIMES_AS_FAST = 8;
    private static final int ANSWERS_SHORTER = 4;
    private static final int LONG_EVERY = 50;
    private static final int LONG_TOKENS = 12_000;

    private final List<Row> rows;
    private final long spanNanos;

    /**
     * A request.
     *
     * @param number from 0, also over repetitions
     * @param afterNanos when it comes, from the beginning
     */
    record Row(int number, long afterNanos, int promptTokens, int answerTokens) {
        Row withPrompt(int tokens) {
            return new Row(number, afterNanos, tokens, answerTokens);
        }

        /** The same, or for every fiftieth one of 12,000 tokens: twice as many as a P99 is made of. */
        Row lengthened() {
            return number % LONG_EVERY == 0 ? withPrompt(LONG_TOKENS) : this;
        }
    }

    private LiveTrace(List<Row> rows) {
        this.rows = rows;
        this.spanNanos = rows.get(rows.size() - 1).afterNanos();
    }

    /**
     * Reads the trace that is shipped.
     *
     * @param directory where it may be unpacked
     */
    static LiveTrace shipped(Path directory) {
        Path file = ShippedTrace.unpack(directory);
        List<RequestEvent> events =
                Trace.read(List.of(file), TraceOptions.of(TraceFormat.AZURE)).events();
        long beginMicros = events.get(0).getStartedAtMicros();
        List<Row> rows = new ArrayList<>();
        for (RequestEvent event : events) {
            rows.add(new Row(
                    rows.size(),
                    (event.getStartedAtMicros() - beginMicros) * 1_000 / TIMES_AS_FAST,
                    Math.toIntExact(event.getPromptTokens()),
                    Math.max(1, Math.toIntExact(event.getOutputTokens()) / ANSWERS_SHORTER)));
        }
        return new LiveTrace(rows);
    }

    /** The same with no prompt longer than that. */
    LiveTrace withPromptsUpTo(int tokens) {
        return new LiveTrace(rows.stream()
                .map(row -> row.withPrompt(Math.min(tokens, row.promptTokens())))
                .toList());
    }

    Row row(int number) {
        Row row = rows.get(number % rows.size());
        // A second between the last of one round and the first of the next.
        long roundNanos = (spanNanos + 1_000_000_000L) * (number / rows.size());
        return new Row(number, row.afterNanos() + roundNanos, row.promptTokens(), row.answerTokens());
    }
}
