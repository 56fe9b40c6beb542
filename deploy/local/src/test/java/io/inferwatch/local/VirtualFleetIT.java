package io.inferwatch.local;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.jobs.KafkaTopics;
import io.inferwatch.local.ExactWindows.WindowKey;
import io.inferwatch.schemas.MetricSketch;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.servers.KafkaBroker;
import io.inferwatch.simulation.fleet.PoissonLoad;
import io.inferwatch.simulation.fleet.VirtualFleet;
import io.inferwatch.simulation.serving.Fault;
import io.inferwatch.simulation.serving.ServerSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Twelve minutes of three simulated servers, seed 7, one of which is a slow node for the second half, through the job that makes windows.
 */
class VirtualFleetIT {
    private static final Duration HALF = Duration.ofMinutes(6);
    private static final String SLOW = "replica-1";

    private List<RequestEvent> events = List.of();

    @Test
    void anIncidentStandsInTheWindowsOfItsReplicaAndInNoOthers() throws Exception {
        Instant start = Instant.now().truncatedTo(ChronoUnit.HOURS).minus(Duration.ofHours(3));
        long faultMicros = ChronoUnit.MICROS.between(Instant.EPOCH, start.plus(HALF));
        try (KafkaBroker broker = KafkaBroker.start()) {
            KafkaConnection kafka = KafkaConnection.to(broker.bootstrapServers());
            KafkaTopics.create(kafka, 3, (short) 1);
            VirtualRun run = new VirtualRun(kafka);
            events = run.publish(sink -> {
                VirtualFleet fleet = new VirtualFleet(
                        "incident",
                        IntStream.range(0, 3)
                                .mapToObj(i -> ServerSpec.usual(i, 7))
                                .toList(),
                        PoissonLoad.of(6, 7),
                        start,
                        sink);
                fleet.switchOn(HALF, SLOW, Fault.SLOW_NODE, 3);
                fleet.run(HALF.plus(HALF));
            });
            run.measure();
            try (PublishedWindows published = new PublishedWindows(broker.bootstrapServers())) {
                Map<WindowKey, WindowStat> windows = published.read(ExactWindows.MINUTE, end -> true);
                assertThat(published.newest()).isAfterOrEqualTo(start.plus(HALF).plus(HALF));
                for (int i = 0; i < 3; i++) {
                    String replica = "replica-" + i;
                    double before = p99Micros(replica, windows, end -> end <= faultMicros);
                    double after = p99Micros(replica, windows, end -> end > faultMicros);
                    if (replica.equals(SLOW)) {
                        assertThat(after).isGreaterThan(2 * before);
                    } else {
                        assertThat(after).isLessThan(1.5 * before);
                    }
                }
            }
        }
    }

    /** From the windows, once it is the same as from the requests themselves. */
    private double p99Micros(String replica, Map<WindowKey, WindowStat> windows, LongPredicate endMicros) {
        QuantileSketch sketch = new QuantileSketch();
        windows.forEach((key, window) -> {
            if (key.view().equals("replica-version")
                    && replica.equals(key.dimensions().get("replica"))
                    && endMicros.test(key.endMicros())) {
                window.getSketches().stream()
                        .filter(metric -> metric.getMetric().equals("ttft"))
                        .map(MetricSketch::getSketch)
                        .forEach(bytes -> sketch.merge(SketchEncoding.decode(
                                bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining())));
            }
        });
        long[] sorted = events.stream()
                .filter(event -> event.getReplica().equals(replica)
                        && endMicros.test(
                                (event.getCompletedAtMicros() / ExactWindows.MINUTE + 1) * ExactWindows.MINUTE))
                .mapToLong(event -> requireNonNull(event.getTtftMicros()))
                .sorted()
                .toArray();
        assertThat(sketch.n()).as(replica).isEqualTo(sorted.length).isGreaterThan(500);
        double exact = sorted[(int) Math.ceil(0.99 * sorted.length) - 1];
        assertThat(sketch.quantile(0.99)).as(replica).isCloseTo(exact, within(0.004 * exact));
        return exact;
    }
}
