package io.inferwatch.jobs.detect;

/**
 * A {@link Look} on its way.
 *
 * @param endMillis end of the minute, epoch milliseconds
 * @param look its bytes
 */
public record Looked(long endMillis, byte[] look) {}
