package io.inferwatch.probes.admin;

import java.util.Optional;

/** Whether a probe takes new work; not before it said so, nor once it drains. Thread safe. */
public final class Readiness {
    private volatile Optional<String> obstacle = Optional.of("starting");

    /** From now on it is ready. */
    public void ready() {
        obstacle = Optional.empty();
    }

    /** From now on it is not, for this reason. */
    public void unready(String reason) {
        obstacle = Optional.of(reason);
    }

    /** Why it is not ready; empty when it is. */
    public Optional<String> obstacle() {
        return obstacle;
    }
}
