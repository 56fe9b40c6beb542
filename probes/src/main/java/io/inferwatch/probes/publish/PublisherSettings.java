package io.inferwatch.probes.publish;

import java.time.Duration;
import java.util.Optional;

/**
 * How a publisher works.
 *
 * @param instance names the publisher in its streams; must be a new one for every process that numbers its events from 0
 * @param kafka how to reach Kafka
 * @param spool where to keep events while Kafka is away; without it they wait in memory
 * @param maxEvents held in memory, those under way included
 * @param maxBytes held in memory, those under way included
 * @param heartbeatInterval between the heartbeats of a replica
 */
public record PublisherSettings(
        String instance,
        KafkaSettings kafka,
        Optional<SpoolSettings> spool,
        int maxEvents,
        long maxBytes,
        Duration heartbeatInterval) {
    /** Checked settings. */
    public PublisherSettings {
        if (instance.isBlank()) {
            throw new IllegalArgumentException("publisher instance: must not be blank");
        }
        if (maxEvents < 1 || maxBytes < 1) {
            throw new IllegalArgumentException(
                    "publisher memory: must be positive, found " + maxEvents + " events and " + maxBytes + " bytes");
        }
        if (heartbeatInterval.isNegative() || heartbeatInterval.isZero()) {
            throw new IllegalArgumentException("heartbeat interval: must be positive, found " + heartbeatInterval);
        }
    }

    /** The usual bounds: 100,000 events, 64 MiB, a heartbeat every 5 s, no spool. */
    public static PublisherSettings of(String instance, KafkaSettings kafka) {
        return new PublisherSettings(instance, kafka, Optional.empty(), 100_000, 64L << 20, Duration.ofSeconds(5));
    }

    /** The same with a spool. */
    public PublisherSettings withSpool(SpoolSettings spool) {
        return new PublisherSettings(instance, kafka, Optional.of(spool), maxEvents, maxBytes, heartbeatInterval);
    }

    /** The same with other bounds of memory. */
    public PublisherSettings withMemory(int maxEvents, long maxBytes) {
        return new PublisherSettings(instance, kafka, spool, maxEvents, maxBytes, heartbeatInterval);
    }
}
