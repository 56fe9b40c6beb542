package io.inferwatch.simulation.fleet;

import io.inferwatch.simulation.engine.Timeline;
import io.inferwatch.simulation.serving.Fault;
import io.inferwatch.simulation.serving.ServerSpec;
import io.inferwatch.simulation.serving.SimulatedServer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Simulated servers under a load, with a probe beside each, in virtual time: an hour of ten requests a second takes seconds. The same
 * servers, load, faults and start give the same events. Requests of a session go to one replica; sessions are spread evenly by their hash.
 * Every replica sends a heartbeat each five seconds, and readings of its engine and its device each ten. Not thread safe.
 */
public final class VirtualFleet {
    private final Timeline timeline = new Timeline();
    private final Map<String, WatchedReplica> replicas = new LinkedHashMap<>();
    private final List<WatchedReplica> inOrder;
    private final Iterator<Arrival> load;

    /**
     * A fleet at rest.
     *
     * @param instance of the probes: the first part of the streams' names
     * @param start event time of the beginning
     */
    public VirtualFleet(
            String instance, List<ServerSpec> servers, Iterator<Arrival> load, Instant start, FleetSink sink) {
        long startMicros = ChronoUnit.MICROS.between(Instant.EPOCH, start);
        for (ServerSpec spec : servers) {
            WatchedReplica replica =
                    new WatchedReplica(new SimulatedServer(spec, timeline), timeline, instance, startMicros, sink);
            if (replicas.putIfAbsent(spec.replica(), replica) != null) {
                throw new IllegalArgumentException("replica: must be unique, found " + spec.replica() + " twice");
            }
        }
        this.inOrder = List.copyOf(replicas.values());
        this.load = load;
        admitNext();
        timeline.after(WatchedReplica.HEARTBEAT_NANOS, this::heartbeats);
        timeline.after(ReplicaSamples.INTERVAL_NANOS, this::samples);
    }

    /** Switches a fault of a replica on when the fleet has run for so long. */
    public void switchOn(Duration after, String replica, Fault fault, double severity) {
        SimulatedServer server = server(replica);
        fault.check(severity);
        timeline.at(after.toNanos(), () -> server.switchOn(fault, severity));
    }

    /** Switches a fault of a replica off when the fleet has run for so long. */
    public void switchOff(Duration after, String replica, Fault fault) {
        SimulatedServer server = server(replica);
        timeline.at(after.toNanos(), () -> server.switchOff(fault));
    }

    /** One of the servers. */
    public SimulatedServer server(String replica) {
        WatchedReplica watched = replicas.get(replica);
        if (watched == null) {
            throw new IllegalArgumentException(
                    "replica: must be one of %s, found %s".formatted(replicas.keySet(), replica));
        }
        return watched.server();
    }

    /** Lets so much time pass. */
    public void run(Duration span) {
        timeline.runUntil(timeline.nowNanos() + span.toNanos());
    }

    private void admitNext() {
        if (!load.hasNext()) {
            return;
        }
        Arrival arrival = load.next();
        timeline.at(arrival.atNanos(), () -> {
            inOrder.get(Math.floorMod(mix(arrival.session()), inOrder.size())).submit(arrival);
            admitNext();
        });
    }

    private void heartbeats() {
        inOrder.forEach(WatchedReplica::heartbeat);
        timeline.after(WatchedReplica.HEARTBEAT_NANOS, this::heartbeats);
    }

    private void samples() {
        inOrder.forEach(WatchedReplica::sample);
        timeline.after(ReplicaSamples.INTERVAL_NANOS, this::samples);
    }

    private static int mix(String session) {
        int hash = session.hashCode() * 0x9E3779B9;
        return hash ^ (hash >>> 16);
    }
}
