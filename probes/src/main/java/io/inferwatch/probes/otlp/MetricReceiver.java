package io.inferwatch.probes.otlp;

import io.inferwatch.probes.engine.PushedMetrics;
import io.inferwatch.probes.identity.ReplicaIdentity;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.resource.v1.Resource;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Takes exported metrics of engines and makes samples of them; what the table of engines does not name is counted and left. Counting begins with the first
 * post of a replica. Thread safe.
 */
final class MetricReceiver {
    private static final int MAX_REPLICAS = 4_000;

    private final Function<Resource, ReplicaIdentity> replicas;
    private final PushedMetrics pushed;
    private final InstantSource clock;
    private final Map<String, MetricPoints> known = new LinkedHashMap<>();
    private final Tally<PointFate> fates = new Tally<>(PointFate.class);

    MetricReceiver(Function<Resource, ReplicaIdentity> replicas, PushedMetrics pushed, InstantSource clock) {
        this.replicas = replicas;
        this.pushed = pushed;
        this.clock = clock;
    }

    /** Takes a batch, and says what of it will never be taken. */
    synchronized Refused receive(ExportMetricsServiceRequest batch) {
        long refusedBefore = refused();
        Map<ReplicaIdentity, MetricPoints> touched = new LinkedHashMap<>();
        for (ResourceMetrics ofResource : batch.getResourceMetricsList()) {
            ReplicaIdentity replica = replicas.apply(ofResource.getResource());
            MetricPoints points = known.get(replica.replica());
            if (points == null) {
                points = new MetricPoints(pushed::knows, fates);
                if (known.size() < MAX_REPLICAS) {
                    known.put(replica.replica(), points);
                }
            }
            if (touched.put(replica, points) == null) {
                points.begin();
            }
            for (ScopeMetrics ofScope : ofResource.getScopeMetricsList()) {
                for (Metric metric : ofScope.getMetricsList()) {
                    points.add(metric);
                }
            }
        }
        touched.forEach((replica, points) -> {
            if (!points.isEmpty()) {
                MetricPoints.Push push = points.push(clock.millis() * 1_000);
                if (!pushed.take(replica, push.points(), push.atMicros(), push.intervalMicros())) {
                    fates.add(PointFate.TOO_MANY);
                }
            }
        });
        long refused = refused() - refusedBefore;
        return refused == 0 ? Refused.NOTHING : new Refused(refused, "only numbers and histograms are taken");
    }

    /** Points by what became of them. */
    Map<PointFate, Long> fates() {
        return fates.counts();
    }

    private long refused() {
        return fates.counts().getOrDefault(PointFate.UNSUPPORTED, 0L);
    }
}
