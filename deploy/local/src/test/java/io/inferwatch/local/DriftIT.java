package io.inferwatch.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.jobs.KafkaTopics;
import io.inferwatch.report.ConfigCommand;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.AlertState;
import io.inferwatch.schemas.DriftResult;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.Judgement;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Setting;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.Verdict;
import io.inferwatch.servers.KafkaBroker;
import io.inferwatch.simulation.engine.CostModel;
import io.inferwatch.simulation.engine.EngineSpec;
import io.inferwatch.simulation.fleet.TwoKindsLoad;
import io.inferwatch.simulation.fleet.VirtualFleet;
import io.inferwatch.simulation.serving.Fault;
import io.inferwatch.simulation.serving.ServerSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Twenty-four minutes of simulated servers through the jobs that measure and judge; after sixteen something changes. */
class DriftIT {
    private static final Duration BEFORE = Duration.ofMinutes(16);
    private static final Duration AFTER = Duration.ofMinutes(8);
    private static final Duration TAKES_SETTINGS = Duration.ofSeconds(5);
    private static final long MINUTE_MICROS = 60_000_000;

    private final Instant start = Instant.now().truncatedTo(ChronoUnit.HOURS).minus(Duration.ofHours(3));
    private final long changeMicros = ChronoUnit.MICROS.between(Instant.EPOCH, start.plus(BEFORE));

    private final KafkaBroker broker = KafkaBroker.start();
    private final VirtualRun run = new VirtualRun(KafkaConnection.to(broker.bootstrapServers()));

    private List<RequestEvent> events = List.of();

    @BeforeEach
    void createTopics() throws Exception {
        KafkaTopics.create(KafkaConnection.to(broker.bootstrapServers()), 3, (short) 1);
    }

    @AfterEach
    void stopBroker() {
        broker.close();
    }

    @Test
    void aSlowNodeDriftsWithinThreeMinutesAndNoOtherDoes() throws Exception {
        List<SpecificRecord> results = run(new TwoKindsLoad(24, 0.1, 7), 3, Optional.of("replica-1"));

        List<DriftResult> nodes = ttft(results, "node-prompt");
        assertThat(nodes).extracting(DriftIT::group).contains("node-0", "node-1", "node-2");
        DriftResult first = nodes.stream()
                .filter(DriftResult::getDrifting)
                .min(Comparator.comparing(DriftResult::getWindowEndMicros))
                .orElseThrow();
        assertThat(group(first)).isEqualTo("node-1");
        assertThat(first.getWindowEndMicros() - changeMicros).isBetween(MINUTE_MICROS, 3 * MINUTE_MICROS);
        assertThat(nodes).filteredOn(DriftResult::getDrifting).allMatch(result -> group(result)
                .equals("node-1"));
        assertThat(server(first).getVerdict()).isEqualTo(Verdict.DRIFT);
        double current = p99Micros(end -> end == first.getWindowEndMicros());
        assertThat(first.getRaw().getCurrent()).isCloseTo(current / 1e6, within(0.004 * current / 1e6));
        double change = current / p99Micros(end -> end <= changeMicros) - 1;
        assertThat(first.getRaw().getChangeLow()).isLessThan(change);
        assertThat(first.getRaw().getChangeHigh()).isGreaterThan(change);
        assertThat(Objects.requireNonNull(first.getMix()).getRate()
                        / first.getMix().getTotal())
                .as("the server's part of the change")
                .isCloseTo(1, within(0.15));

        List<Alert> alerts = alerts("node-prompt");
        assertThat(alerts)
                .filteredOn(alert -> "ttft".equals(alert.getLabels().get("metric")))
                .singleElement()
                .satisfies(alert -> {
                    assertThat(alert.getState()).isEqualTo(AlertState.FIRING);
                    assertThat(alert.getLabels()).containsEntry("node", "node-1");
                    assertThat(alert.getStartsAtMicros()).isEqualTo(changeMicros);
                    assertThat(alert.getEvidence()).isNotEmpty();
                    assertThat(alert.getCauses().get(0))
                            .startsWith("slow-device (")
                            .contains("node node-1 has");
                });
        assertThat(results.stream()
                        .filter(FigureResult.class::isInstance)
                        .map(FigureResult.class::cast)
                        .filter(result -> result.getKind().equals("cause")))
                .isNotEmpty();
        assertThat(alerts).allMatch(alert -> "node-1".equals(alert.getLabels().get("node")));
    }

    @Test
    void longerPromptsAreMixAndNotDrift() throws Exception {
        Setting threshold = new Setting("threshold", "ttft", changeMicros, "25%");
        run.publish(Topic.CONFIG, "threshold/ttft", List.of(threshold));
        List<SpecificRecord> results = run(new TwoKindsLoad(15, 0.02, 7).shifted(BEFORE, 0.2), 24, Optional.empty());

        List<DriftResult> models = ttft(results, "mix-model-version").stream()
                .filter(result -> result.getWindowEndMicros() > changeMicros)
                .toList();
        assertThat(models).hasSizeBetween(7, 8);
        assertThat(models).allSatisfy(result -> {
            assertThat(result.getRaw().getThreshold()).isEqualTo(0.25);
            assertThat(result.getRaw().getVerdict()).isEqualTo(Verdict.DRIFT);
            assertThat(Objects.requireNonNull(result.getAdjusted()).getVerdict())
                    .isIn(Verdict.NO_DRIFT, Verdict.INCONCLUSIVE);
            assertThat(mixShare(result)).isGreaterThan(0.75);
            assertThat(result.getDrifting()).isFalse();
        });
        assertThat(models.stream().mapToDouble(DriftIT::mixShare).average().orElseThrow())
                .as("the traffic's part of the change")
                .isCloseTo(1, within(0.1));
        assertThat(models)
                .filteredOn(
                        result -> Objects.requireNonNull(result.getAdjusted()).getVerdict() == Verdict.NO_DRIFT)
                .isNotEmpty();
        assertThat(alerts("mix-model-version")).isEmpty();
        assertThat(alerts("node-prompt")).isEmpty();
    }

    @Test
    void aJobWithoutAnEndGivesVerdictsTooAndTakesPricesWithinFiveSeconds(@TempDir Path directory) throws Exception {
        run.publish(
                sink -> new VirtualFleet("drift", servers(3), new TwoKindsLoad(24, 0.1, 7), start, sink).run(BEFORE));
        run.measure();
        run.publish(Topic.CONFIG, "slo/chat", List.of(promise("0.99")));
        KafkaConnection kafka = KafkaConnection.to(broker.bootstrapServers());
        try (FlinkCluster flink = FlinkCluster.start(FlinkCluster.Options.in(directory));
                PricedMinutes minutes = new PricedMinutes(kafka, changeMicros + MINUTE_MICROS)) {
            var unused = LocalJobs.startDetect(flink, kafka);
            await("verdicts, and how what was promised before stands in every minute")
                    .atMost(Duration.ofMinutes(2))
                    .pollInterval(Duration.ofSeconds(1))
                    .untilAsserted(() -> {
                        // A fleet that goes on: without it event time stands until partitions count as idle.
                        minutes.next();
                        List<SpecificRecord> results = TopicContents.of(broker.bootstrapServers(), Topic.RESULTS);
                        assertThat(ttft(results, "replica-version")).isNotEmpty();
                        assertThat(ttft(results, "node-prompt")).isNotEmpty();
                        assertThat(targets(results)).hasSizeGreaterThanOrEqualTo((int) BEFORE.toMinutes() - 1);
                    });
            run.publish(Topic.CONFIG, "slo/chat", List.of(promise("0.95")));
            await("the edit holds in a running job, without a new window")
                    .atMost(Duration.ofSeconds(30))
                    .pollInterval(Duration.ofMillis(200))
                    .until(() -> targets(TopicContents.of(broker.bootstrapServers(), Topic.RESULTS))
                            .contains(0.95));
            pricesHoldFromTheNextWindowsOn(minutes, directory);
        }
    }

    private void pricesHoldFromTheNextWindowsOn(PricedMinutes minutes, Path directory) throws Exception {
        await("a cost without a price").atMost(Duration.ofMinutes(1)).until(() -> {
            minutes.next();
            return !minutes.dollars().isEmpty();
        });
        // Three devices for a minute.
        setPrice(directory, 3.20);
        await("the price").atMost(TAKES_SETTINGS).until(() -> {
            minutes.next();
            return Math.abs(minutes.lastDollars() - 3 * 3.20 / 60) < 1e-9;
        });
        setPrice(directory, 6.40);
        await("another one").atMost(TAKES_SETTINGS).until(() -> {
            minutes.next();
            return Math.abs(minutes.lastDollars() - 3 * 6.40 / 60) < 1e-9;
        });
    }

    private void setPrice(Path directory, double dollars) throws Exception {
        Path file = Files.writeString(
                directory.resolve("prices.yaml"),
                "prices: {A100: {dollars-per-hour: %s, relative-throughput: 1}}".formatted(dollars));
        assertThat(new CommandLine(new ConfigCommand())
                        .execute("set", file.toString(), "--bootstrap-servers=" + broker.bootstrapServers()))
                .isZero();
    }

    private Setting promise(String target) {
        return new Setting("slo", "chat", changeMicros, """
                apiVersion: openslo/v1
                kind: SLO
                metadata: {name: chat}
                spec:
                  service: chat
                  indicator:
                    metadata: {name: fast}
                    spec:
                      thresholdMetric: {metricSource: {type: inferwatch, spec: {metric: ttft, unit: ms}}}
                  timeWindow: [{duration: 30d, isRolling: true}]
                  budgetingMethod: Occurrences
                  objectives: [{op: lte, value: 2000, target: %s}]
                """.formatted(target));
    }

    /** Of the fleet's objective, minute by minute. */
    private static List<Double> targets(List<SpecificRecord> results) {
        return results.stream()
                .filter(FigureResult.class::isInstance)
                .map(FigureResult.class::cast)
                .filter(result -> result.getKind().equals("slo"))
                .map(result -> Objects.requireNonNull(result.getValues().get("target")))
                .toList();
    }

    private List<SpecificRecord> run(TwoKindsLoad load, int replicas, Optional<String> slow) throws Exception {
        events = run.publish(sink -> {
            VirtualFleet fleet = new VirtualFleet("drift", servers(replicas), load, start, sink);
            slow.ifPresent(replica -> fleet.switchOn(BEFORE, replica, Fault.SLOW_NODE, 3));
            fleet.run(BEFORE.plus(AFTER));
        });
        run.measure();
        run.detect();
        return TopicContents.of(broker.bootstrapServers(), Topic.RESULTS);
    }

    /** Twenty times as fast as an A100: requests hardly wait for each other, so that longer prompts slow down none but themselves. */
    private static List<ServerSpec> servers(int replicas) {
        CostModel a100 = CostModel.llama8bOnA100();
        EngineSpec fast = EngineSpec.llama8bOnA100()
                .withCost(new CostModel(
                        a100.stepNanos() / 20,
                        a100.prefillTokenNanos() / 20,
                        a100.prefillPairNanos() / 20,
                        a100.decodeSequenceNanos() / 20,
                        a100.decodeContextNanos() / 20));
        return IntStream.range(0, replicas)
                .mapToObj(i -> ServerSpec.usual(i, 7).withEngine(fast))
                .toList();
    }

    private List<Alert> alerts(String view) {
        return TopicContents.alerts(broker.bootstrapServers()).stream()
                .filter(alert -> view.equals(alert.getLabels().get("view")))
                .toList();
    }

    /** Exact, of node-1's requests in the minutes with such ends. */
    private double p99Micros(LongPredicate endMicros) {
        long[] sorted = events.stream()
                .filter(event -> "node-1".equals(event.getNode())
                        && endMicros.test((event.getCompletedAtMicros() / MINUTE_MICROS + 1) * MINUTE_MICROS))
                .mapToLong(event -> Objects.requireNonNull(event.getTtftMicros()))
                .sorted()
                .toArray();
        return sorted[(int) Math.ceil(0.99 * sorted.length) - 1];
    }

    private static List<DriftResult> ttft(List<SpecificRecord> results, String view) {
        return results.stream()
                .filter(DriftResult.class::isInstance)
                .map(DriftResult.class::cast)
                .filter(result ->
                        result.getView().equals(view) && result.getMetric().equals("ttft"))
                .sorted(Comparator.comparing(DriftResult::getWindowEndMicros))
                .toList();
    }

    private static double mixShare(DriftResult result) {
        return Objects.requireNonNull(result.getMix()).getMix()
                / result.getMix().getTotal();
    }

    private static String group(DriftResult result) {
        return result.getDimensions().get(0).getValue();
    }

    private static Judgement server(DriftResult result) {
        return result.getAdjusted() == null ? result.getRaw() : result.getAdjusted();
    }
}
