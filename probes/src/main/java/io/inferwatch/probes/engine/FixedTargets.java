package io.inferwatch.probes.engine;

import java.time.Duration;
import java.util.List;

/** Targets that were given once for all. */
record FixedTargets(List<Target> targets) implements TargetSource {
    FixedTargets {
        targets = List.copyOf(targets);
    }

    @Override
    public String name() {
        return "list";
    }

    @Override
    public Duration every() {
        return Duration.ofDays(1);
    }
}
