package io.inferwatch.probes.publish;

import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;

/** What a failed delivery means for the record. */
enum DeliveryFailure {
    /** Kafka is away, or does not let us in yet: the same record can be taken later. Whatever is not known to be final counts here. */
    AWAY,
    /** This record will never be taken. */
    REFUSED;

    static DeliveryFailure of(Exception failure) {
        if (failure instanceof RecordTooLargeException
                || failure instanceof InvalidTimestampException
                || failure instanceof InvalidRecordException
                || failure instanceof SerializationException) {
            return REFUSED;
        }
        return AWAY;
    }
}
