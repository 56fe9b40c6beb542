package io.inferwatch.probes.replay;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What a replay did.
 *
 * @param trace what reading found
 * @param end how it ended
 * @param sentEarlier rows that an earlier process had brought to Kafka, as the resume file says
 * @param sent rows handed to the publisher by this process
 * @param acknowledged rows that Kafka acknowledged, those of the earlier process included
 * @param failed rows that Kafka refused for good
 * @param firstEventTime event time of the first row
 * @param lastEventTime event time of the last row
 * @param elapsed time it took
 */
public record ReplayReport(
        Trace.Summary trace,
        End end,
        long sentEarlier,
        long sent,
        long acknowledged,
        long failed,
        Instant firstEventTime,
        Instant lastEventTime,
        Duration elapsed) {
    /** How a replay ended. */
    public enum End {
        /** Every row was sent and answered for. */
        COMPLETE,
        /** Somebody stopped it. */
        STOPPED,
        /** Kafka took nothing for too long. */
        STALLED
    }

    /** Whether every row is in Kafka. */
    public boolean isComplete() {
        return end == End.COMPLETE && failed == 0;
    }

    /** A few lines for people. */
    public String describe() {
        StringBuilder text = new StringBuilder();
        long rows = trace.rows() - trace.skipped();
        text.append(String.format(
                Locale.ROOT,
                "%s: %,d of %,d requests in Kafka, %,d sent in %.1f s%n",
                switch (end) {
                    case COMPLETE -> "replay complete";
                    case STOPPED -> "replay stopped";
                    case STALLED -> "replay given up, Kafka takes nothing any more";
                },
                acknowledged,
                rows,
                sent,
                elapsed.toMillis() / 1_000.0));
        if (sentEarlier > 0) {
            text.append(String.format(Locale.ROOT, "  earlier:    %,d, by a former run%n", sentEarlier));
        }
        if (failed > 0) {
            text.append(String.format(Locale.ROOT, "  failed:     %,d refused by Kafka%n", failed));
        }
        text.append(String.format(
                Locale.ROOT,
                "  rows read:  %,d; over the prompt limit and skipped: %,d of %,d%n",
                trace.rows(),
                trace.skipped(),
                trace.rows()));
        text.append(String.format("  event time: %s to %s%n", firstEventTime, lastEventTime));
        if (!trace.marked().isEmpty()) {
            text.append("  marked:     ")
                    .append(trace.marked().entrySet().stream()
                            .map(mark -> String.format(
                                    Locale.ROOT, "%s %,d of %,d", mark.getKey().label(), mark.getValue(), trace.rows()))
                            .collect(Collectors.joining(", ")))
                    .append(System.lineSeparator());
        }
        return text.toString();
    }
}
