package io.inferwatch.simulation.fleet;

import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.RequestEvent;
import java.util.ArrayList;
import java.util.List;

/** Keeps all that a fleet's probes publish. */
final class RecordedFleet implements FleetSink {
    final List<RequestEvent> events = new ArrayList<>();
    final List<Heartbeat> heartbeats = new ArrayList<>();

    @Override
    public void accept(RequestEvent event) {
        events.add(event);
    }

    @Override
    public void accept(Heartbeat heartbeat) {
        heartbeats.add(heartbeat);
    }

    List<RequestEvent> of(String replica) {
        return events.stream()
                .filter(event -> event.getReplica().equals(replica))
                .toList();
    }

    List<Heartbeat> heartbeatsOf(String replica) {
        return heartbeats.stream()
                .filter(heartbeat -> heartbeat.getReplica().equals(replica))
                .toList();
    }
}
