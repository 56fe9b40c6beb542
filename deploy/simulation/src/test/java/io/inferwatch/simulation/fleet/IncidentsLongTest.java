package io.inferwatch.simulation.fleet;

import io.inferwatch.simulation.serving.Fault;
import java.util.List;
import org.junit.jupiter.api.Tag;

/** Five faults, twenty seeds each. */
@Tag("slow")
class IncidentsLongTest extends IncidentsTest {
    @Override
    int seeds() {
        return 20;
    }

    @Override
    List<Fault> faults() {
        return List.of(Fault.SLOW_NODE, Fault.KV_PRESSURE, Fault.ERROR_BURST, Fault.COLD_CACHE, Fault.THROTTLED_GPU);
    }
}
