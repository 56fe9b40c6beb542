package io.inferwatch.probes.publish;

import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Topic;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.apache.avro.specific.SpecificRecord;

/**
 * Takes the events of one probe to where they are processed. The events of a topic with one key form one stream, {@code instance/key} (the key is the
 * replica, or a GPU's UUID), numbered from 0 without gaps in the order of the calls; (stream, sequence) identifies an event, so that a repeat does no harm and a hole is seen.
 *
 * <p>{@link #publish} and {@link #heartbeat} return within microseconds whatever the state of Kafka. What cannot be kept is dropped and
 * counted by reason, never silently. Thread safe; the order within a stream is the order of the calls.
 */
public interface EventPublisher extends AutoCloseable {
    /**
     * Hands an event over; its fields {@code stream} and {@code sequence}, where it has them, are set here, and it must not be changed afterwards.
     *
     * @param topic the topic of such records
     * @param key the record's key: replica or GPU
     * @return false when it was dropped, which {@link #counters()} counts
     */
    boolean publish(Topic topic, String key, SpecificRecord event);

    /** Hands a request over, as {@link #publish(Topic, String, SpecificRecord)} does. */
    default boolean publish(RequestEvent event) {
        return publish(Topic.REQUESTS, event.getReplica(), event);
    }

    /** Sends one heartbeat. One that cannot be sent at once is skipped and counted: an old heartbeat is worth nothing. */
    void heartbeat(ReplicaState replica);

    /** Asks for the states of all replicas at every heartbeat interval from now on, on a thread of the publisher's. */
    void heartbeats(Supplier<List<ReplicaState>> replicas);

    /**
     * Starts a replica's stream of requests at another number than 0, for a publisher that goes on where an earlier process stopped.
     *
     * @throws IllegalStateException when the stream has begun
     */
    void startStream(String replica, long firstSequence);

    /**
     * The number below which every request of a replica is settled: acknowledged by Kafka, safe in the spool, or dropped and counted. A
     * publisher that goes on after a crash need not send those again.
     */
    long settledBelow(String replica);

    /**
     * Waits until memory has room, for callers that would rather wait than lose: replays. Probes in the path of a request never call it.
     *
     * @return whether there is room
     */
    boolean awaitRoom(Duration timeout);

    /**
     * Waits until memory is empty: every event is settled, every heartbeat sent or skipped. Meant for callers that have stopped publishing.
     *
     * @return whether it is
     */
    boolean flush(Duration timeout);

    /** What happened so far. */
    PublisherCounters counters();

    /** Flushes for a bounded time, leaves the rest in the spool, or drops and counts it where there is none. */
    @Override
    void close();
}
