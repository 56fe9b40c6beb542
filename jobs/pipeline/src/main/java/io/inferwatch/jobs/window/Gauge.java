package io.inferwatch.jobs.window;

/**
 * Readings of a state.
 *
 * @param lastAtMicros event time of the last reading, epoch microseconds
 */
record Gauge(long n, long sum, long min, long max, long last, long lastAtMicros) {

    static Gauge of(long reading, long atMicros) {
        return new Gauge(1, reading, reading, reading, reading, atMicros);
    }

    Gauge merge(Gauge other) {
        boolean later = other.lastAtMicros >= lastAtMicros;
        return new Gauge(
                n + other.n,
                sum + other.sum,
                Math.min(min, other.min),
                Math.max(max, other.max),
                later ? other.last : last,
                Math.max(lastAtMicros, other.lastAtMicros));
    }
}
