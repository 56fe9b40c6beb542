package io.inferwatch.probes.otlp;

/** What is strange about a span that is used all the same. */
enum Oddity {
    /** An attribute stands under its old and its new name with different values; the new one counts. */
    NAME_CONFLICT,
    /** It ends before it starts: a clock was set back. Kept without latencies. */
    NEGATIVE_DURATION,
    /** Its resource does not say which replica it is. */
    UNNAMED_REPLICA,
    /** There are more replicas than the probe tells apart. */
    TOO_MANY_REPLICAS
}
