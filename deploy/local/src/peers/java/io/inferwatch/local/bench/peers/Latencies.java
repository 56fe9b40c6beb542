package io.inferwatch.local.bench.peers;

import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.UndecodableEventException;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * What the peers read of a request: much less than MeasureJob does.
 *
 * @param ttftMicros -1 when absent
 * @param tpotNanos -1 when absent
 * @param e2eMicros -1 when absent
 */
record Latencies(String replica, long atMillis, long ttftMicros, long tpotNanos, long e2eMicros) {
    static final long ABSENT = -1;

    /** Those of an event; null for one that is no request. */
    static @Nullable Latencies of(EventCodec codec, byte[] value) {
        SpecificRecord event;
        try {
            event = codec.decode(value);
        } catch (UndecodableEventException e) {
            throw new IllegalStateException("the bench's own event", e);
        }
        return event instanceof RequestEvent request
                ? new Latencies(
                        request.getReplica(),
                        request.getCompletedAtMicros() / 1_000,
                        orAbsent(request.getTtftMicros()),
                        orAbsent(request.getTpotNanos()),
                        orAbsent(request.getE2eMicros()))
                : null;
    }

    private static long orAbsent(@Nullable Long value) {
        return value == null ? ABSENT : value;
    }
}
