package io.inferwatch.probes.publish;

import io.inferwatch.schemas.Source;
import org.jspecify.annotations.Nullable;

/**
 * What a probe knows of a replica at one moment: the content of a heartbeat. The publisher adds stream, next sequence, clock and counters.
 *
 * @param eventTimeMicros event time up to which the replica's events have been published, epoch microseconds; null for live traffic: now
 * @param openRequests started and not ended
 * @param awaitingFirstToken open requests without a token
 * @param oldestOpenMicros age of the oldest open request; null when none is open
 * @param startedTotal since the probe started; equal to completed + failed + cancelled + open
 */
public record ReplicaState(
        String replica,
        Placement placement,
        Source source,
        @Nullable Long eventTimeMicros,
        long openRequests,
        long awaitingFirstToken,
        @Nullable Long oldestOpenMicros,
        long startedTotal,
        long completedTotal,
        long failedTotal,
        long cancelledTotal) {
    /** Where a replica runs and what; null where unknown. */
    public record Placement(
            @Nullable String node,
            @Nullable String pod,
            @Nullable String region,
            @Nullable String pool,
            @Nullable String model,
            @Nullable String version) {}
}
