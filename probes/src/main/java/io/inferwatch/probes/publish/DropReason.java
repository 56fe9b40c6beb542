package io.inferwatch.probes.publish;

/** Why an event was dropped. */
public enum DropReason {
    /** Memory was full: events came faster than Kafka or the spool took them. */
    MEMORY_FULL,
    /** Kafka was away and the spool at its limit. */
    SPOOL_FULL,
    /** Kafka was away and the spool's disk refused. */
    SPOOL_FAILED,
    /** Kafka will never take it, e.g. because it is too large. */
    REFUSED,
    /** A field that must be there was not. */
    INCOMPLETE,
    /** The publisher was closed before Kafka took it, without a spool. */
    CLOSED
}
