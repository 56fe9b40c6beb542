package io.inferwatch.simulation.fleet;

import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.RequestEvent;

/** Takes what probes beside the fleet would publish, in the order of its event time. */
public interface FleetSink {
    /** A request that ended. */
    void accept(RequestEvent event);

    /** A replica's heartbeat. */
    void accept(Heartbeat heartbeat);
}
