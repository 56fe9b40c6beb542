package io.inferwatch.simulation.fleet;

import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.RequestEvent;
import java.util.ArrayList;
import java.util.List;

/** Keeps all that a fleet's probes publish. */
final class RecordedFleet implements FleetSink {
    final List<RequestEvent> events = new ArrayList<>();
    final List<Heartbeat> heartbeats = new ArrayList<>();
    final List<EngineSample> engines = new ArrayList<>();

    @Override
    public void accept(RequestEvent event) {
        events.add(event);
    }

    @Override
    public void accept(Heartbeat heartbeat) {
        heartbeats.add(heartbeat);
    }

    @Override
    public void accept(EngineSample sample) {
        engines.add(sample);
    }

    List<RequestEvent> of(String replica) {
        return events.stream()
                .filter(event -> event.getReplica().equals(replica))
                .toList();
    }

    List<EngineSample> enginesOf(String replica) {
        return engines.stream()
                .filter(sample -> sample.getReplica().equals(replica))
                .toList();
    }

    List<Heartbeat> heartbeatsOf(String replica) {
        return heartbeats.stream()
                .filter(heartbeat -> heartbeat.getReplica().equals(replica))
                .toList();
    }
}
