package io.inferwatch.jobs.ingest;

import io.inferwatch.schemas.DeadLetter;
import io.inferwatch.schemas.EventCodec;
import java.nio.ByteBuffer;

/** Makes the dead letters of one stage. Not thread safe. */
public final class DeadLetters {
    /** Of a record's value so much is kept. */
    private static final int MAX_VALUE_BYTES = 64 * 1024;

    private static final byte[] EMPTY = {};

    private final EventCodec codec = new EventCodec();
    private final String stage;

    /** Letters of the stage of that name. */
    public DeadLetters(String stage) {
        this.stage = stage;
    }

    /** The letter for a record. */
    public OutboundRecord letter(InboundRecord record, String reason, String detail, long nowMillis) {
        byte[] key = record.key();
        byte[] value = record.value() == null ? EMPTY : record.value();
        DeadLetter letter = new DeadLetter(
                record.topic(),
                record.partition(),
                record.offset(),
                stage,
                reason,
                detail,
                record.timestampMillis() * 1000,
                nowMillis * 1000,
                key == null ? null : ByteBuffer.wrap(key),
                ByteBuffer.wrap(value, 0, Math.min(value.length, MAX_VALUE_BYTES)),
                (long) value.length);
        return new OutboundRecord(null, codec.encode(letter), nowMillis);
    }
}
