package io.inferwatch.jobs.store;

import java.io.Serializable;
import java.time.Duration;

/**
 * How points are gathered and tried again.
 *
 * @param batchPoints points of one request at most
 * @param batchBytes bytes of one request's lines at most, unless a single line is longer
 * @param unacknowledgedPoints points held before the job waits
 * @param linger how long a point waits for others
 * @param firstBackOff wait before the first repetition; doubles with each further one
 * @param maxBackOff the longest wait
 */
public record WriterSettings(
        int batchPoints,
        int batchBytes,
        int unacknowledgedPoints,
        Duration linger,
        Duration firstBackOff,
        Duration maxBackOff)
        implements Serializable {
    /** Settings that can work. */
    public WriterSettings {
        require("batch-points", batchPoints, 1, 100_000);
        require("batch-bytes", batchBytes, 1_000, 20_000_000);
        require("unacknowledged-points", unacknowledgedPoints, batchPoints, 1_000_000);
        require("linger", linger, Duration.ZERO, Duration.ofMinutes(1));
        require("first-back-off", firstBackOff, Duration.ofMillis(1), maxBackOff);
        require("max-back-off", maxBackOff, firstBackOff, Duration.ofMinutes(10));
    }

    /** Windows of a thousand replicas, visible 20 ms after they came, at most 40 MB held. */
    public static WriterSettings byDefault() {
        return new WriterSettings(
                2_000, 4_000_000, 10_000, Duration.ofMillis(20), Duration.ofMillis(200), Duration.ofSeconds(30));
    }

    private static void require(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + ": must be between " + min + " and " + max + ", found " + value);
        }
    }

    private static void require(String name, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException(name + ": must be between " + min + " and " + max + ", found " + value);
        }
    }
}
