package io.inferwatch.probes;

import io.inferwatch.probes.publish.EventPublisher;
import io.inferwatch.probes.publish.PublisherCounters;
import io.inferwatch.probes.publish.ReplicaState;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Topic;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.apache.avro.specific.SpecificRecord;

/** A publisher that keeps the events which it is given, each with a stream of its key. */
public final class EventList implements EventPublisher {
    private final List<SpecificRecord> records = new CopyOnWriteArrayList<>();
    private volatile Supplier<List<ReplicaState>> replicas = List::of;

    /** All requests so far. */
    public List<RequestEvent> events() {
        return all(RequestEvent.class);
    }

    /** All records of a kind so far. */
    public <T extends SpecificRecord> List<T> all(Class<T> kind) {
        return records.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** What heartbeats would say now. */
    public List<ReplicaState> states() {
        return replicas.get();
    }

    @Override
    public boolean publish(Topic topic, String key, SpecificRecord event) {
        event.put(event.getSchema().getField("stream").pos(), "test/" + key);
        return records.add(event);
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
        return records.size();
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
        return new PublisherCounters(records.size(), 0, records.size(), 0, 0, 0, Map.of(), 0, 0, 0, 0, 0, 0);
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
