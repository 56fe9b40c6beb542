package io.inferwatch.probes.engine;

import java.time.Duration;
import java.util.List;

/** Where targets come from. Asked again and again, from one thread; may wait. */
public interface TargetSource {
    /** What it is called in logs and metrics. */
    String name();

    /** How long between two looks. */
    Duration every();

    /**
     * All targets at this moment.
     *
     * @throws TargetSourceException when it cannot be told now
     */
    List<Target> targets() throws TargetSourceException;
}
