package io.inferwatch.probes.proxy;

import java.util.concurrent.atomic.AtomicLong;

/** Whether a counter has stopped. */
final class Standstill {
    private final AtomicLong counter;
    private long before = -1;

    Standstill(AtomicLong counter) {
        this.counter = counter;
    }

    /** Whether it stands where it stood at the call before. */
    boolean reached() {
        long now = counter.get();
        boolean stands = now == before && now > 0;
        before = now;
        return stands;
    }
}
