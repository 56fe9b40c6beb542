package io.inferwatch.probes.replay;

import java.time.Instant;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;

/**
 * The file's clock against the wall's and against event time. All instants are microseconds.
 *
 * @param firstMicros end of the first row on the file's clock
 * @param lastMicros end of the last row on the file's clock
 * @param wallStartMicros when the first row is sent
 * @param endMicros event time of the last row
 * @param speedup absent for as fast as possible
 * @param compress by how much event times are closer together than the file's
 */
record Timeline(
        long firstMicros,
        long lastMicros,
        long wallStartMicros,
        long endMicros,
        OptionalDouble speedup,
        double compress) {
    /** The event time of a moment of the file. */
    long eventTimeMicros(long micros) {
        return endMicros - Math.round((lastMicros - micros) / compress);
    }

    /** When a row that ends at that moment of the file is sent. */
    long dueMicros(long micros) {
        return speedup.isEmpty()
                ? wallStartMicros
                : wallStartMicros + Math.round((micros - firstMicros) / speedup.getAsDouble());
    }

    /** The moment of the file that the wall clock has reached. */
    long positionMicros(long wallMicros) {
        if (speedup.isEmpty()) {
            return lastMicros;
        }
        double position = firstMicros + (double) (wallMicros - wallStartMicros) * speedup.getAsDouble();
        return Math.max(firstMicros, Math.min(lastMicros, (long) position));
    }

    static long micros(Instant instant) {
        return TimeUnit.SECONDS.toMicros(instant.getEpochSecond()) + instant.getNano() / 1_000;
    }

    static Instant instant(long micros) {
        return Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1_000L);
    }
}
