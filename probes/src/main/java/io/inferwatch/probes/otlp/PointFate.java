package io.inferwatch.probes.otlp;

/** What became of a metric's data point. */
enum PointFate {
    /** It is in a sample. */
    TAKEN,
    /** No engine's table names its metric. */
    UNKNOWN,
    /** A summary, or without a value. */
    UNSUPPORTED,
    /** Beyond the series or replicas that are kept. */
    TOO_MANY
}
