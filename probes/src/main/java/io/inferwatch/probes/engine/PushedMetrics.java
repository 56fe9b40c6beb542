package io.inferwatch.probes.engine;

import io.inferwatch.probes.engine.mapping.MappingTable;
import io.inferwatch.probes.identity.ReplicaIdentity;
import io.inferwatch.probes.publish.EventPublisher;
import io.inferwatch.schemas.EngineSample;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Metrics that senders push, taken as if each push were the page of its replica: what one does not hold is null in its sample. Holds the readings of up to
 * {@value #MAX_REPLICAS} replicas; further ones are not taken. Thread safe.
 */
public final class PushedMetrics {
    private static final int MAX_REPLICAS = 4_000;
    private static final int MAX_SERIES = 20_000;
    private static final URI NOWHERE = URI.create("push:/");

    private final SeriesIndex index;
    private final EventPublisher publisher;
    private final Consumer<EngineSample> listener;
    private final Map<String, TargetReadings> replicas = new HashMap<>();

    /** A value of a series, as a page would have it: a histogram is its {@code _bucket}, {@code _sum} and {@code _count} series. */
    public record Point(String name, Map<String, String> labels, double value) {
        /** Unmodifiable. */
        public Point {
            labels = Map.copyOf(labels);
        }
    }

    /**
     * Publishes by a table.
     *
     * @param listener sees every sample of an engine that is published
     */
    public PushedMetrics(MappingTable table, EventPublisher publisher, Consumer<EngineSample> listener) {
        index = new SeriesIndex(table);
        this.publisher = publisher;
        this.listener = listener;
    }

    /** Whether the table names such a series. */
    public boolean knows(String series) {
        return !index.of(series).isEmpty();
    }

    /**
     * Takes a push.
     *
     * @param intervalMicros time between pushes
     * @return whether there was room for the replica
     */
    public synchronized boolean take(ReplicaIdentity identity, List<Point> points, long atMicros, long intervalMicros) {
        TargetReadings readings = replicas.get(identity.replica());
        if (readings == null) {
            if (replicas.size() >= MAX_REPLICAS) {
                return false;
            }
            readings = new TargetReadings(index, MAX_SERIES);
            replicas.put(identity.replica(), readings);
        }
        TargetReadings.Page page = readings.read(points, atMicros);
        EngineSample sample = page.engine();
        if (sample != null) {
            sample.setIntervalMicros(intervalMicros);
        }
        page.gpus().forEach(gpu -> gpu.setIntervalMicros(intervalMicros));
        SampleSender.send(TargetReader.target(NOWHERE, identity), page, uuid -> null, publisher);
        if (sample != null) {
            listener.accept(sample);
        }
        return true;
    }
}
