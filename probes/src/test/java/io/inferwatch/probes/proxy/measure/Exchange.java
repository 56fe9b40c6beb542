package io.inferwatch.probes.proxy.measure;

import io.inferwatch.schemas.RequestEvent;
import java.nio.charset.StandardCharsets;

/** One request through a measurement, with times in seconds from its start. The clock's zero is odd on purpose. */
final class Exchange {
    static final long STARTED_AT_MICROS = 1_790_000_000_000_000L;
    private static final long ZERO_NANOS = Long.MAX_VALUE - 500_000_000L;

    private final Measurement measurement;
    private double now;

    private Exchange(Dialect dialect) {
        measurement = new Measurement(dialect, ZERO_NANOS, STARTED_AT_MICROS);
    }

    /** A stream of status 200. */
    static Exchange stream(Dialect dialect) {
        return new Exchange(dialect).headers(200, "text/event-stream; charset=utf-8");
    }

    /** A whole answer in JSON. */
    static Exchange json(Dialect dialect, int status) {
        return new Exchange(dialect).headers(status, "application/json");
    }

    static Exchange request(Dialect dialect) {
        return new Exchange(dialect);
    }

    Exchange headers(int status, String contentType) {
        measurement.answerHeaders(status, contentType, null, true, nanos(now));
        return this;
    }

    Exchange asks(String body) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        measurement.requestBody(bytes, 0, bytes.length);
        return this;
    }

    /** One read. */
    Exchange at(double seconds, String text) {
        return at(seconds, text.getBytes(StandardCharsets.UTF_8));
    }

    Exchange at(double seconds, byte[] bytes) {
        now = seconds;
        measurement.answerBody(bytes, 0, bytes.length, nanos(seconds));
        return this;
    }

    Measurement measurement() {
        return measurement;
    }

    RequestEvent complete() {
        return end(Ending.COMPLETE, now);
    }

    RequestEvent end(Ending ending, double seconds) {
        return measurement.end(ending, nanos(seconds));
    }

    private static long nanos(double seconds) {
        return ZERO_NANOS + Math.round(seconds * 1e9);
    }
}
