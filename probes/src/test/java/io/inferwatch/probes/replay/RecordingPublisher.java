package io.inferwatch.probes.replay;

import io.inferwatch.probes.publish.EventPublisher;
import io.inferwatch.probes.publish.PublisherCounters;
import io.inferwatch.probes.publish.ReplicaState;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Topic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificRecord;

/** Keeps what it is given; everything is settled at once unless it is told to hold back. */
final class RecordingPublisher implements EventPublisher {
    private final String instance;
    private final Map<String, Long> next = new HashMap<>();
    private final List<RequestEvent> events = new ArrayList<>();
    private final List<ReplicaState> heartbeats = new ArrayList<>();
    private boolean settles = true;
    private boolean hasRoom = true;

    RecordingPublisher(String instance) {
        this.instance = instance;
    }

    /** From now on nothing is acknowledged, and memory is full. */
    void hang() {
        settles = false;
        hasRoom = false;
    }

    List<RequestEvent> events() {
        return events;
    }

    List<ReplicaState> heartbeats() {
        return heartbeats;
    }

    @Override
    public boolean publish(Topic topic, String key, SpecificRecord event) {
        RequestEvent request = (RequestEvent) event;
        request.setStream(instance + "/" + key);
        request.setSequence(next.merge(key, 1L, Long::sum) - 1);
        events.add(SpecificData.get().deepCopy(RequestEvent.getClassSchema(), request));
        return true;
    }

    @Override
    public void heartbeat(ReplicaState replica) {
        heartbeats.add(replica);
    }

    @Override
    public void heartbeats(Supplier<List<ReplicaState>> replicas) {
        // Tests ask the replay itself.
    }

    @Override
    public void startStream(String replica, long firstSequence) {
        next.put(replica, firstSequence);
    }

    @Override
    public long settledBelow(String replica) {
        return next.getOrDefault(replica, 0L);
    }

    @Override
    public boolean awaitRoom(Duration timeout) {
        return hasRoom;
    }

    @Override
    public boolean flush(Duration timeout) {
        return settles;
    }

    @Override
    public PublisherCounters counters() {
        return new PublisherCounters(
                events.size(), 0, settles ? events.size() : 0, 0, 0, 0, Map.of(), 0, 0, 0, 0, heartbeats.size(), 0);
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
