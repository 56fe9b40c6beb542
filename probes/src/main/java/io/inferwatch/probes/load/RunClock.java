package io.inferwatch.probes.load;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/** Instants of one run: the wall clock is read once, everything else is a distance on the monotonic one, so that instants and durations agree. */
record RunClock(long beginNanos, long beginAtMicros) {
    static RunClock start() {
        return new RunClock(System.nanoTime(), ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
    }

    long atMicros(long nanos) {
        return beginAtMicros + TimeUnit.NANOSECONDS.toMicros(nanos - beginNanos);
    }
}
