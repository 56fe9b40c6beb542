package io.inferwatch.probes.replay;

import io.inferwatch.probes.publish.ReplicaState;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Source;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What a replica was doing at any moment of a trace. Immutable. */
final class ReplicaHistory {
    private final Trace trace;
    private final String replica;
    private final ReplicaState.Placement placement;

    /** Indexes in the trace, in its order. */
    private final int[] rows;

    /** Of the rows from here on, the earliest start. */
    private final long[] earliestStart;

    /** Of the rows before here, how many completed and how many were cancelled. */
    private final int[] completed;

    private final int[] cancelled;

    ReplicaHistory(Trace trace, String replica, int[] rows) {
        this.trace = trace;
        this.replica = replica;
        this.rows = rows;
        List<RequestEvent> events =
                IntStream.of(rows).mapToObj(row -> trace.events().get(row)).toList();
        RequestEvent first = events.get(0);
        this.placement = new ReplicaState.Placement(
                first.getNode(),
                first.getPod(),
                first.getRegion(),
                first.getPool(),
                same(events.stream().map(RequestEvent::getModel).toArray(String[]::new)),
                same(events.stream().map(RequestEvent::getVersion).toArray(String[]::new)));
        this.earliestStart = new long[rows.length + 1];
        earliestStart[rows.length] = Long.MAX_VALUE;
        for (int i = rows.length - 1; i >= 0; i--) {
            earliestStart[i] = Math.min(earliestStart[i + 1], trace.startedMicros(rows[i]));
        }
        this.completed = new int[rows.length + 1];
        this.cancelled = new int[rows.length + 1];
        for (int i = 0; i < rows.length; i++) {
            Outcome outcome = events.get(i).getOutcome();
            completed[i + 1] = completed[i] + (outcome == Outcome.OK || outcome == Outcome.LENGTH ? 1 : 0);
            cancelled[i + 1] = cancelled[i] + (outcome == Outcome.CLIENT_CANCEL ? 1 : 0);
        }
    }

    String replica() {
        return replica;
    }

    int size() {
        return rows.length;
    }

    /**
     * The state when the trace has come to a moment.
     *
     * @param next index in the trace of the first row that has not ended yet
     * @param micros the moment, on the file's clock
     * @param eventTimeMicros the same as event time
     */
    ReplicaState at(int next, long micros, long eventTimeMicros) {
        int ended = lowerBound(next);
        long open = 0;
        long awaiting = 0;
        long oldestStart = Long.MAX_VALUE;
        for (int i = ended; i < rows.length && earliestStart[i] <= micros; i++) {
            long start = trace.startedMicros(rows[i]);
            if (start > micros) {
                continue;
            }
            open++;
            oldestStart = Math.min(oldestStart, start);
            Long ttft = trace.events().get(rows[i]).getTtftMicros();
            if (ttft != null && start + ttft > micros) {
                awaiting++;
            }
        }
        return new ReplicaState(
                replica,
                placement,
                Source.REPLAY,
                eventTimeMicros,
                open,
                awaiting,
                open == 0 ? null : (Long) (micros - oldestStart),
                ended + open,
                completed[ended],
                ended - completed[ended] - cancelled[ended],
                cancelled[ended]);
    }

    private int lowerBound(int next) {
        int found = Arrays.binarySearch(rows, next);
        return found >= 0 ? found : -found - 1;
    }

    private static @Nullable String same(@Nullable String[] values) {
        String first = values[0];
        for (String value : values) {
            if (!Objects.equals(first, value)) {
                return null;
            }
        }
        return first;
    }
}
