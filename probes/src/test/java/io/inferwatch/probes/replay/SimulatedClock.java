package io.inferwatch.probes.replay;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** A clock on which time passes only in pauses; can tell somebody at each of them. */
final class SimulatedClock implements ReplayClock {
    private final List<Duration> pauses = new ArrayList<>();
    private Instant now;
    private Runnable atPause = () -> {};

    SimulatedClock(Instant now) {
        this.now = now;
    }

    void atPause(Runnable action) {
        this.atPause = action;
    }

    List<Duration> pauses() {
        return pauses;
    }

    void pass(Duration duration) {
        now = now.plus(duration);
    }

    @Override
    public Instant instant() {
        return now;
    }

    @Override
    public void pause(Duration duration) {
        pauses.add(duration);
        pass(duration);
        atPause.run();
    }
}
