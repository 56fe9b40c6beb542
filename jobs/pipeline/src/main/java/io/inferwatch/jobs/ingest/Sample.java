package io.inferwatch.jobs.ingest;

/**
 * One record of a topic of samples: engine, GPU, kernel profile or operator metric.
 *
 * @param record as it lies in Kafka
 * @param subject what was sampled: the topic and the record's key; samples of a subject are put together by one task
 * @param atMicros event time, epoch microseconds; 0 when it is faulty
 * @param faultReason why it cannot be used, one of a closed list; empty when it can
 * @param faultDetail the same in words
 */
public record Sample(InboundRecord record, String subject, long atMicros, String faultReason, String faultDetail) {
    /** Event time in epoch milliseconds, capped at the broker's append time: no host's clock is ahead of it. */
    public long atMillis() {
        return Math.min(Math.floorDiv(atMicros, 1000), record.timestampMillis());
    }

    /** Whether it cannot be used. */
    public boolean isFaulty() {
        return !faultReason.isEmpty();
    }
}
