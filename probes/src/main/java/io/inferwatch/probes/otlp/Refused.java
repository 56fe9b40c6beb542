package io.inferwatch.probes.otlp;

/**
 * What of a post was not taken, for its answer.
 *
 * @param items spans, data points or log records
 * @param reason empty when nothing was refused
 */
record Refused(long items, String reason) {
    static final Refused NOTHING = new Refused(0, "");
}
