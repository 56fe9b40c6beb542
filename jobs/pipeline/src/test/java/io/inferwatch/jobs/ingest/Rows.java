package io.inferwatch.jobs.ingest;

import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Source;
import io.inferwatch.schemas.Traffic;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import java.nio.charset.StandardCharsets;
import org.apache.avro.specific.SpecificRecord;

/** Rows as a source makes them: one that is filled anew for each record. */
public final class Rows {
    private final EventCodec codec = new EventCodec();
    private final RowDecoder decoder;
    private final RequestRow row;
    private long offset;

    public Rows(MetricCatalogue catalogue) {
        EventLayout layout = EventLayout.of(catalogue);
        decoder = new RowDecoder(layout);
        row = new RequestRow(layout, new TextTable());
    }

    /** The row of an event that the broker appended at that time. */
    public RequestRow of(SpecificRecord event, long appendedAtMillis) {
        return of(codec.encode(event), appendedAtMillis);
    }

    /** The row of a record's bytes. */
    public RequestRow of(byte[] value, long appendedAtMillis) {
        row.begin(0, offset++, appendedAtMillis, "replica-1".getBytes(StandardCharsets.UTF_8), value);
        decoder.decode(row);
        return row;
    }

    /** A complete production request without optional fields. */
    public static RequestEvent.Builder request(String stream, long sequence, long completedAtMillis) {
        return RequestEvent.newBuilder()
                .setStream(stream)
                .setSequence(sequence)
                .setCompletedAtMicros(completedAtMillis * 1000)
                .setStartedAtMicros(completedAtMillis * 1000)
                .setTraffic(Traffic.PRODUCTION)
                .setOutcome(Outcome.OK)
                .setReplica("replica-1")
                .setSource(Source.PROXY);
    }

    /** A live heartbeat of an idle replica. */
    public static Heartbeat.Builder heartbeat(String stream, long nextSequence, long atMillis) {
        return Heartbeat.newBuilder()
                .setStream(stream)
                .setNextSequence(nextSequence)
                .setEventTimeMicros(atMillis * 1000)
                .setEmittedAtMicros(atMillis * 1000)
                .setReplica("replica-1")
                .setSource(Source.PROXY)
                .setIntervalMicros(5_000_000)
                .setOpenRequests(0)
                .setAwaitingFirstToken(0)
                .setStartedTotal(0)
                .setCompletedTotal(0)
                .setFailedTotal(0)
                .setCancelledTotal(0);
    }
}
