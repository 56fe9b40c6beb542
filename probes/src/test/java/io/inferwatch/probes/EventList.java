package io.inferwatch.probes;

import io.inferwatch.probes.publish.EventPublisher;
import io.inferwatch.probes.publish.PublisherCounters;
import io.inferwatch.probes.publish.ReplicaState;
import io.inferwatch.schemas.RequestEvent;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** A publisher that keeps the events which it is given, each with a stream of its replica. */
public final class EventList implements EventPublisher {
    private final List<RequestEvent> events = new CopyOnWriteArrayList<>();
    private volatile Supplier<List<ReplicaState>> replicas = List::of;

    /** All so far. */
    public List<RequestEvent> events() {
        return events;
    }

    /** What heartbeats would say now. */
    public List<ReplicaState> states() {
        return replicas.get();
    }

    @Override
    public boolean publish(RequestEvent event) {
        event.setStream("test/" + event.getReplica());
        return events.add(event);
    }

    @Override
    public void heartbeat(ReplicaState replica) {
        // Tests ask for the states.
    }

    @Override
    public void heartbeats(Supplier<List<ReplicaState>> supplier) {
        replicas = supplier;
    }

    @Override
    public void startStream(String replica, long firstSequence) {
        // Numbers do not matter here.
    }

    @Override
    public long settledBelow(String replica) {
        return events.size();
    }

    @Override
    public boolean awaitRoom(Duration timeout) {
        return true;
    }

    @Override
    public boolean flush(Duration timeout) {
        return true;
    }

    @Override
    public PublisherCounters counters() {
        return new PublisherCounters(events.size(), 0, events.size(), 0, 0, 0, Map.of(), 0, 0, 0, 0, 0, 0);
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
