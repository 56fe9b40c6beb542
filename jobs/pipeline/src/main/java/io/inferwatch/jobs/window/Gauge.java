package io.inferwatch.jobs.window;

/**
 * Readings of a state, and for how long they held.
 *
 * @param n readings; 0 where a reading from before holds on: then there is neither a least nor a greatest nor a last one
 * @param lastAtMicros event time of the last reading, epoch microseconds
 * @param heldMicros time for which readings are known to hold, microseconds
 * @param heldSum each reading times the microseconds for which it held
 */
record Gauge(long n, long sum, long min, long max, long last, long lastAtMicros, long heldMicros, double heldSum) {

    static Gauge of(long reading, long atMicros) {
        return new Gauge(1, reading, reading, reading, reading, atMicros, 0, 0);
    }

    /** A reading from before that held for so long. */
    static Gauge held(long reading, long micros) {
        return new Gauge(0, 0, Long.MAX_VALUE, Long.MIN_VALUE, 0, Long.MIN_VALUE, micros, (double) reading * micros);
    }

    Gauge merge(Gauge other) {
        boolean later = other.lastAtMicros >= lastAtMicros;
        return new Gauge(
                n + other.n,
                sum + other.sum,
                Math.min(min, other.min),
                Math.max(max, other.max),
                later ? other.last : last,
                Math.max(lastAtMicros, other.lastAtMicros),
                heldMicros + other.heldMicros,
                heldSum + other.heldSum);
    }
}
