package io.inferwatch.probes.publish;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * What a publisher did since it started. At any moment published + recovered = acknowledged + dropped + inMemory + inSpool.
 *
 * @param published events handed over
 * @param recovered events that an earlier process had left in the spool
 * @param acknowledged events that Kafka acknowledged, those out of the spool included
 * @param retried times that an event was sent again
 * @param spooled events written to the spool
 * @param drained events acknowledged out of the spool
 * @param dropped events lost, by reason; reasons that never occurred are left out
 * @param inMemory events waiting or under way, those out of the spool not included
 * @param inSpool events in the spool
 * @param spoolBytes bytes of the spool on disk
 * @param spoolCuts ends of spool files that a crash had torn and that were cut off
 * @param heartbeatsSent heartbeats acknowledged
 * @param heartbeatsSkipped heartbeats that could not be sent at once
 */
public record PublisherCounters(
        long published,
        long recovered,
        long acknowledged,
        long retried,
        long spooled,
        long drained,
        Map<DropReason, Long> dropped,
        long inMemory,
        long inSpool,
        long spoolBytes,
        long spoolCuts,
        long heartbeatsSent,
        long heartbeatsSkipped) {
    /** Counters with an unmodifiable map. */
    public PublisherCounters {
        EnumMap<DropReason, Long> copy = new EnumMap<>(DropReason.class);
        copy.putAll(dropped);
        dropped = Collections.unmodifiableMap(copy);
    }

    /** Events lost for any reason. */
    public long droppedTotal() {
        return dropped.values().stream().mapToLong(Long::longValue).sum();
    }
}
