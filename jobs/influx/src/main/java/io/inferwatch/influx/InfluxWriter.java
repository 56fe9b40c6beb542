package io.inferwatch.influx;

import com.influxdb.client.domain.WritePrecision;
import com.influxdb.client.service.WriteService;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import okhttp3.ResponseBody;
import org.jspecify.annotations.Nullable;
import retrofit2.Response;

/**
 * Writes batches of lines, timestamps in microseconds, and says of each line what became of it. One call sends one request, unless the
 * server finds it too large or refuses some lines: then parts of it are sent until each refused line is known. Writing a line again
 * does no harm, because the same series and time overwrite.
 *
 * <p>Never waits to try again and never throws for what a server answers: what is left to do is in the {@link BatchReport}. Lines are
 * sent in their order. Safe for use by several threads.
 */
public final class InfluxWriter {
    private final InfluxClient client;

    /** A writer to the client's database. The client stays the caller's to close. */
    public InfluxWriter(InfluxClient client) {
        this.client = client;
    }

    /**
     * A line that the server refuses for good.
     *
     * @param index of the line in the batch
     */
    public record Refusal(int index, RefusalReason reason, String message) {}

    /**
     * What became of a batch.
     *
     * @param refused the lines that the server refuses, by rising index
     * @param unsent indexes of the lines that are neither stored nor refused, in order; empty unless obstacle is set
     * @param obstacle what stood in the way of the unsent lines: {@link WriteAnswer.Retryable} or {@link WriteAnswer.Fatal}
     */
    public record BatchReport(List<Refusal> refused, List<Integer> unsent, Optional<WriteAnswer> obstacle) {
        /** A report with unmodifiable lists. */
        public BatchReport {
            refused = List.copyOf(refused);
            unsent = List.copyOf(unsent);
        }
    }

    private record Range(int from, int to) {
        int size() {
            return to - from;
        }
    }

    /** Writes the lines to a retention policy of the database. */
    public BatchReport write(String retentionPolicy, List<String> lines) {
        List<Refusal> refused = new ArrayList<>();
        Deque<Range> pending = new ArrayDeque<>();
        if (!lines.isEmpty()) {
            pending.push(new Range(0, lines.size()));
        }
        while (!pending.isEmpty()) {
            Range range = pending.pop();
            WriteAnswer answer = send(retentionPolicy, lines.subList(range.from, range.to));
            if (answer instanceof WriteAnswer.Written) {
                continue;
            }
            if (answer instanceof WriteAnswer.Retryable || answer instanceof WriteAnswer.Fatal) {
                pending.push(range);
                return new BatchReport(refused, indexes(pending), Optional.of(answer));
            }
            if (range.size() == 1 || refusesAll(answer, range)) {
                for (int index = range.from; index < range.to; index++) {
                    refused.add(refusal(index, answer));
                }
            } else {
                int middle = range.from + range.size() / 2;
                pending.push(new Range(middle, range.to));
                pending.push(new Range(range.from, middle));
            }
        }
        return new BatchReport(refused, List.of(), Optional.empty());
    }

    private WriteAnswer send(String retentionPolicy, List<String> lines) {
        try {
            client.version();
            InfluxConnection connection = client.connection();
            Response<Void> response = client.service(WriteService.class)
                    .postWrite(
                            connection.org(),
                            connection.database() + "/" + retentionPolicy,
                            String.join("\n", lines),
                            null,
                            null,
                            "text/plain; charset=utf-8",
                            null,
                            "application/json",
                            null,
                            WritePrecision.US,
                            null)
                    .execute();
            WriteAnswer answer = WriteAnswer.classify(response.code(), text(response.errorBody()));
            if (answer instanceof WriteAnswer.Retryable) {
                client.forgetVersion();
            }
            return answer;
        } catch (IOException e) {
            client.forgetVersion();
            return new WriteAnswer.Retryable(
                    "InfluxDB at " + client.connection().url() + " does not answer: " + e);
        } catch (InfluxUnavailableException e) {
            return new WriteAnswer.Retryable(String.valueOf(e.getMessage()));
        } catch (InfluxConfigurationException e) {
            return new WriteAnswer.Fatal(String.valueOf(e.getMessage()));
        }
    }

    private static String text(@Nullable ResponseBody body) throws IOException {
        return body == null ? "" : body.string();
    }

    private static boolean refusesAll(WriteAnswer answer, Range range) {
        return answer instanceof WriteAnswer.Partial partial && partial.dropped() >= range.size();
    }

    private static Refusal refusal(int index, WriteAnswer answer) {
        if (answer instanceof WriteAnswer.Partial partial) {
            return new Refusal(index, partial.reason(), partial.message());
        }
        if (answer instanceof WriteAnswer.Rejected rejected) {
            return new Refusal(index, rejected.reason(), rejected.message());
        }
        if (answer instanceof WriteAnswer.TooLarge tooLarge) {
            return new Refusal(index, RefusalReason.TOO_LARGE, tooLarge.message());
        }
        throw new IllegalStateException("answer: must be a refusal, found " + answer);
    }

    private static List<Integer> indexes(Deque<Range> ranges) {
        List<Integer> indexes = new ArrayList<>();
        for (Range range : ranges) {
            for (int index = range.from; index < range.to; index++) {
                indexes.add(index);
            }
        }
        return indexes;
    }
}
