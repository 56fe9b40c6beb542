package io.inferwatch.probes.gpu;

import java.time.Duration;
import java.util.function.LongSupplier;

/** When to try again: at once, then after a pause that doubles with every failure, up to five minutes. */
final class Backoff {
    private static final long LONGEST_NANOS = Duration.ofMinutes(5).toNanos();

    private final LongSupplier nanoTime;
    private final long firstNanos;
    private long pauseNanos;
    private long notBefore;

    Backoff(LongSupplier nanoTime, Duration first) {
        this.nanoTime = nanoTime;
        this.firstNanos = first.toNanos();
        this.notBefore = nanoTime.getAsLong();
    }

    boolean isDue() {
        return nanoTime.getAsLong() - notBefore >= 0;
    }

    void failed() {
        pauseNanos = pauseNanos == 0 ? firstNanos : Math.min(2 * pauseNanos, LONGEST_NANOS);
        notBefore = nanoTime.getAsLong() + pauseNanos;
    }

    void succeeded() {
        pauseNanos = 0;
        notBefore = nanoTime.getAsLong();
    }
}
