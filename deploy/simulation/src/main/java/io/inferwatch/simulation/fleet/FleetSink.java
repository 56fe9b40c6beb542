package io.inferwatch.simulation.fleet;

import io.inferwatch.schemas.EngineSample;
import io.inferwatch.schemas.GpuSample;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.RequestEvent;

/** Takes what probes beside the fleet would publish, in the order of its event time. */
public interface FleetSink {
    /** A request that ended. */
    void accept(RequestEvent event);

    /** A replica's heartbeat. */
    void accept(Heartbeat heartbeat);

    /** A reading of a replica's engine; left out unless somebody takes it. */
    default void accept(EngineSample sample) {}

    /** A reading of a replica's device; left out unless somebody takes it. */
    default void accept(GpuSample sample) {}
}
