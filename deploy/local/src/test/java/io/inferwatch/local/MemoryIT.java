package io.inferwatch.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.jobs.KafkaTopics;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.Topic;
import io.inferwatch.servers.KafkaBroker;
import io.inferwatch.simulation.engine.EngineSpec;
import io.inferwatch.simulation.fleet.TwoKindsLoad;
import io.inferwatch.simulation.fleet.VirtualFleet;
import io.inferwatch.simulation.serving.Fault;
import io.inferwatch.simulation.serving.ServerSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Twelve minutes of four simulated servers and their devices through the jobs that measure and judge. After eight of them one server's KV cache is under pressure, and the
 * device memory of another one is fragmented.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MemoryIT {
    private static final Duration BEFORE = Duration.ofMinutes(8);
    private static final Duration SPAN = Duration.ofMinutes(12);
    private static final long MINUTE_MICROS = 60_000_000;
    private static final long GIB = 1L << 30;

    private final Instant start = Instant.now().truncatedTo(ChronoUnit.HOURS).minus(Duration.ofHours(3));
    private final long changeMicros = ChronoUnit.MICROS.between(Instant.EPOCH, start.plus(BEFORE));
    private final KafkaBroker broker = KafkaBroker.start();

    private List<FigureResult> figures = List.of();
    private List<Alert> alerts = List.of();

    @BeforeAll
    void run() throws Exception {
        KafkaTopics.create(KafkaConnection.to(broker.bootstrapServers()), 3, (short) 1);
        VirtualRun run = new VirtualRun(KafkaConnection.to(broker.bootstrapServers()));
        List<ServerSpec> servers = IntStream.range(0, 4)
                .mapToObj(i -> ServerSpec.usual(i, 7)
                        .withEngine(EngineSpec.llama8bOnA100().withBlocks(8_192)))
                .toList();
        run.publish(sink -> {
            VirtualFleet fleet = new VirtualFleet("memory", servers, new TwoKindsLoad(44, 0, 7), start, sink);
            fleet.switchOn(BEFORE, "replica-1", Fault.KV_PRESSURE, 0.99);
            fleet.switchOn(BEFORE, "replica-2", Fault.FRAGMENTATION, 0.6);
            fleet.run(SPAN);
        });
        run.measure();
        run.detect();
        figures = TopicContents.of(broker.bootstrapServers(), Topic.RESULTS).stream()
                .filter(FigureResult.class::isInstance)
                .map(FigureResult.class::cast)
                .toList();
        alerts = TopicContents.alerts(broker.bootstrapServers());
    }

    @AfterAll
    void stopBroker() {
        broker.close();
    }

    @Test
    void eachFaultRaisesItsAlertOnceWhereItIsAndNothingElseDoes() {
        assertThat(alerts)
                .extracting(Alert::getFingerprint)
                .containsExactlyInAnyOrder(
                        "memory:kv_cache/replica-1", "fragmentation:memory/GPU-simulated-replica-2/none");
        assertThat(alerts).allSatisfy(alert -> {
            assertThat(alert.getState()).isEqualTo(AlertState.FIRING);
            assertThat(alert.getStartsAtMicros()).isBetween(changeMicros, changeMicros + MINUTE_MICROS);
            assertThat(alert.getChangedAtMicros()).isLessThanOrEqualTo(changeMicros + 4 * MINUTE_MICROS);
            assertThat(alert.getEvidence()).isNotEmpty();
        });
        assertThat(alert("memory").getCauses())
                .as("requests wait for blocks")
                .first()
                .asString()
                .startsWith("memory-pressure (");
        assertThat(alert("fragmentation").getCauses())
                .as("nothing that is read shows who keeps small tensors")
                .first()
                .asString()
                .startsWith("unknown (");
        assertThat(alert("fragmentation").getLabels())
                .containsEntry("node", "node-2")
                .containsEntry("replica", "replica-2");
    }

    @Test
    void theMeasurementsShowTheFaultsWhereTheyAre() {
        for (int i = 0; i < 4; i++) {
            String replica = "replica-" + i;
            assertThat(of("kv_cache", "replica", replica))
                    .as("minutes of " + replica)
                    .hasSizeBetween(11, 13)
                    .allSatisfy(result -> {
                        boolean isUnderPressure = replica.equals("replica-1") && isAfter(result);
                        assertThat(value(result, "use") >= 0.9).isEqualTo(isUnderPressure);
                        if (!isUnderPressure) {
                            assertThat(result.getCounts()).containsEntry("preemptions", 0L);
                        }
                    });
            assertThat(of("fragmentation", "gpu", "GPU-simulated-" + replica))
                    .as("minutes of its device")
                    .hasSizeBetween(11, 13)
                    .allSatisfy(result -> {
                        boolean isFragmented = replica.equals("replica-2") && isAfter(result);
                        assertThat(value(result, "split_share") > 0.01).isEqualTo(isFragmented);
                        if (!isFragmented) {
                            assertThat(result.getCounts())
                                    .containsEntry("allocation_retries", 0L)
                                    .containsEntry("out_of_memory", 0L);
                        }
                    });
        }
    }

    @Test
    void theDevicesMemoryIsPartedAsItIs() {
        FigureResult healthy = of("memory", "gpu", "GPU-simulated-replica-0").get(5);
        Map<String, Double> parts = healthy.getValues();
        // 8,192 blocks of 16 tokens of 128 KiB.
        assertThat(parts)
                .containsEntry("capacity_bytes", (double) (80 * GIB))
                .containsEntry("weights_bytes", (double) (15 * GIB))
                .containsEntry("kv_cache_bytes", (double) (16 * GIB))
                .containsEntry("graphs_bytes", (double) GIB)
                .containsEntry("fragmentation_bytes", 0.0)
                .containsEntry("other_bytes_estimated", (double) (GIB / 2));
        // Activations of four shapes, of 512, 384, 256 and 192 MiB, that the allocator keeps.
        assertThat(parts).containsEntry("workspace_bytes_estimated", (double) (1_344L << 20));
        assertThat(healthy.getDimensions()).anySatisfy(dimension -> {
            assertThat(dimension.getName()).isEqualTo("replica");
            assertThat(dimension.getValue()).isEqualTo("replica-0");
        });
    }

    private boolean isAfter(FigureResult result) {
        return result.getWindowEndMicros() > changeMicros;
    }

    private List<FigureResult> of(String kind, String dimension, String value) {
        return figures.stream()
                .filter(result -> result.getKind().equals(kind)
                        && result.getDimensions().stream()
                                .anyMatch(of -> of.getName().equals(dimension)
                                        && of.getValue().equals(value)))
                .toList();
    }

    private Alert alert(String name) {
        return alerts.stream()
                .filter(alert -> alert.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static double value(FigureResult result, String field) {
        return Objects.requireNonNull(result.getValues().get(field));
    }
}
