package io.inferwatch.local.bench;

import java.util.Locale;

/** What is measured, each in a JVM of its own. */
enum Contestant {
    /** Two consumer threads that look at nothing. */
    POLL("poll only"),
    /** The same, and every value decoded to its record. */
    DECODE("poll + decode"),
    /** The whole job, state on the heap. */
    MEASURE_HASHMAP("MeasureJob, hashmap"),
    /** The whole job, state in RocksDB. */
    MEASURE_ROCKSDB("MeasureJob, RocksDB"),
    /** The same job with a catalogue of what the peers compute, state on the heap. */
    MEASURE_AS_PEERS("MeasureJob, the peers' windows"),
    /** Three sketches by replica in 10 s windows. */
    KAFKA_STREAMS("Kafka Streams"),
    /** Three exact percentiles by replica in 10 s windows. */
    FLINK_SQL("Flink SQL PERCENTILE");

    private final String title;

    Contestant(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    /** As it is named on command lines. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether the windows topic must hold every request afterwards. */
    boolean isMeasureJob() {
        return this == MEASURE_HASHMAP || this == MEASURE_ROCKSDB || this == MEASURE_AS_PEERS;
    }

    /** Whether it is measured only for the comparison with peers. */
    boolean isForPeers() {
        return this == MEASURE_AS_PEERS || isPeer();
    }

    boolean isPeer() {
        return this == KAFKA_STREAMS || this == FLINK_SQL;
    }
}
