package io.inferwatch.simulation.http;

import java.util.Optional;

/**
 * What is known of a request before its body.
 *
 * @param atNanos when its headers were read, of {@link System#nanoTime()}
 * @param atMicros the same, epoch microseconds
 */
record RequestHeaders(long atNanos, long atMicros, Optional<String> requestId, Optional<String> traceparent) {}
