package io.inferwatch.jobs.store;

import java.util.HashMap;
import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/** Counts what does not become a point, by why. */
final class StoreCounters {
    private final MetricGroup group;
    private final Counter tombstones;
    private final Counter leftOut;
    private final Counter withoutFields;
    private final Counter superseded;
    private final Counter notStored;
    private final Counter unknownMetrics;
    private final Map<String, Counter> deadLetters = new HashMap<>();

    StoreCounters(MetricGroup group) {
        this.group = group;
        this.tombstones = group.counter("tombstones_total");
        this.leftOut = group.counter("fields_left_out_total");
        this.withoutFields = group.counter("points_without_fields_total");
        this.superseded = group.counter("windows_superseded_total");
        this.notStored = group.counter("windows_not_stored_total");
        this.unknownMetrics = group.counter("unknown_metrics_total");
    }

    /** A compacted key is gone. */
    void tombstone() {
        tombstones.inc();
    }

    /** Fields that are no number, or have a key that cannot be written. */
    void leftOut(int fields) {
        leftOut.inc(fields);
    }

    /** A point of which nothing remained. */
    void pointWithoutFields() {
        withoutFields.inc();
    }

    /** A revision with fewer requests than one that is written already. */
    void superseded() {
        superseded.inc();
    }

    /** A window of a length that its view does not store. */
    void notStored() {
        notStored.inc();
    }

    /** Values of metrics that the catalogue does not have. */
    void unknownMetrics(long values) {
        unknownMetrics.inc(values);
    }

    /** A dead letter. */
    void deadLetter(String reason) {
        deadLetters
                .computeIfAbsent(
                        reason, label -> group.addGroup("reason", label).counter("dead_letters_total"))
                .inc();
    }
}
