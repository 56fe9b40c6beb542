package io.inferwatch.probes.replay;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** The clock that paces a replay. */
public interface ReplayClock extends InstantSource {
    /** Lets time pass. */
    void pause(Duration duration) throws InterruptedException;

    /** The clock of this machine. */
    static ReplayClock system() {
        return new ReplayClock() {
            @Override
            public Instant instant() {
                return Instant.now();
            }

            @Override
            public void pause(Duration duration) throws InterruptedException {
                Thread.sleep(duration.toMillis(), duration.toNanosPart() % 1_000_000);
            }
        };
    }
}
