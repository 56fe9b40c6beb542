package io.inferwatch.local.live;

import io.inferwatch.probes.replay.Trace;
import io.inferwatch.probes.replay.TraceFormat;
import io.inferwatch.probes.replay.TraceOptions;
import io.inferwatch.schemas.RequestEvent;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** When requests come and how long they are: twenty minutes of the Azure trace of conversations, over and over. */
final class LiveTrace {
    private static final String FILE = "azure-conversations.csv.gz";

    private final List<Row> rows;
    private final long spanNanos;

    /**
     * A request.
     *
     * @param number from 0, also over repetitions
     * @param afterNanos when it comes, from the beginning
     */
    record Row(int number, long afterNanos, int promptTokens, int answerTokens) {}

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
        Path file = directory.resolve(FILE);
        try (InputStream in = Objects.requireNonNull(LiveTrace.class.getResourceAsStream(FILE))) {
            Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(file + " cannot be written", e);
        }
        List<RequestEvent> events =
                Trace.read(List.of(file), TraceOptions.of(TraceFormat.AZURE)).events();
        long beginMicros = events.get(0).getStartedAtMicros();
        List<Row> rows = new ArrayList<>();
        for (RequestEvent event : events) {
            rows.add(new Row(
                    rows.size(),
                    (event.getStartedAtMicros() - beginMicros) * 1_000,
                    Math.toIntExact(event.getPromptTokens()),
                    Math.toIntExact(event.getOutputTokens())));
        }
        return new LiveTrace(rows);
    }

    Row row(int number) {
        Row row = rows.get(number % rows.size());
        // A second between the last of one round and the first of the next.
        long roundNanos = (spanNanos + 1_000_000_000L) * (number / rows.size());
        return new Row(number, row.afterNanos() + roundNanos, row.promptTokens(), row.answerTokens());
    }
}
