package io.inferwatch.local;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.jobs.KafkaConnection;
import io.inferwatch.jobs.KafkaTopics;
import io.inferwatch.local.ExactWindows.WindowKey;
import io.inferwatch.schemas.Alert;
import io.inferwatch.schemas.FigureResult;
import io.inferwatch.schemas.MetricSketch;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.Setting;
import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.WindowStat;
import io.inferwatch.servers.KafkaBroker;
import io.inferwatch.simulation.fleet.PoissonLoad;
import io.inferwatch.simulation.fleet.VirtualFleet;
import io.inferwatch.simulation.serving.Fault;
import io.inferwatch.simulation.serving.ServerSpec;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Thirty-six minutes of three simulated servers, seed 7, one of which is a slow node for the last six, through the jobs that make windows and judge them. What detectors learn is two days and an hour of
 * windows drawn with replacement from those before the fault, seed 7.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class VirtualFleetIT {
    private static final Duration BEFORE = Duration.ofMinutes(30);
    private static final Duration FAULT = Duration.ofMinutes(6);
    private static final String SLOW = "replica-1";
    private static final int REPLICAS = 3;
    private static final int LEARNED_MINUTES = 49 * 60;
    private static final int CALM_MINUTES = 45;
    private static final List<String> WATCHED = List.of("replica-version", "engine-replica");

    private final Instant start = Instant.now().truncatedTo(ChronoUnit.HOURS).minus(Duration.ofHours(3));
    private final long faultMicros = micros(start.plus(BEFORE));
    private final SplittableRandom random = new SplittableRandom(7);

    private List<RequestEvent> events = List.of();
    private Map<WindowKey, WindowStat> windows = Map.of();

    @BeforeAll
    void measure() throws Exception {
        try (KafkaBroker broker = KafkaBroker.start()) {
            KafkaConnection kafka = KafkaConnection.to(broker.bootstrapServers());
            KafkaTopics.create(kafka, 3, (short) 1);
            VirtualRun run = new VirtualRun(kafka);
            events = run.publish(sink -> {
                VirtualFleet fleet = new VirtualFleet(
                        "incident",
                        IntStream.range(0, REPLICAS)
                                .mapToObj(i -> ServerSpec.usual(i, 7))
                                .toList(),
                        PoissonLoad.of(6, 7),
                        start,
                        sink);
                fleet.switchOn(BEFORE, SLOW, Fault.SLOW_NODE, 3);
                fleet.run(BEFORE.plus(FAULT));
            });
            run.measure();
            try (PublishedWindows published = new PublishedWindows(broker.bootstrapServers())) {
                windows = published.read(ExactWindows.MINUTE, end -> true);
                assertThat(published.newest())
                        .isAfterOrEqualTo(start.plus(BEFORE).plus(FAULT));
            }
        }
    }

    @Test
    void anIncidentStandsInTheWindowsOfItsReplicaAndInNoOthers() {
        for (int i = 0; i < REPLICAS; i++) {
            String replica = "replica-" + i;
            double before = p99Micros(replica, end -> end <= faultMicros);
            double after = p99Micros(replica, end -> end > faultMicros);
            if (replica.equals(SLOW)) {
                assertThat(after).isGreaterThan(2 * before);
            } else {
                assertThat(after).isLessThan(1.5 * before);
            }
        }
    }

    /** First in shadow, then once all is promoted. */
    @Test
    void aSlowNodeIsOneAnomalyAndSoIsAFleetThatShifts() throws Exception {
        try (KafkaBroker broker = KafkaBroker.start()) {
            KafkaConnection kafka = KafkaConnection.to(broker.bootstrapServers());
            KafkaTopics.create(kafka, 3, (short) 1);
            VirtualRun run = new VirtualRun(kafka);
            long incident = micros(workingDay(start));
            long shift = incident + (FAULT.toMinutes() + CALM_MINUTES) * ExactWindows.MINUTE;
            run.publish(story(incident, shift));

            run.detect();
            List<FigureResult> findings = results(broker, "anomaly_finding");
            // One that turns out to be wider is told again, under its name.
            String slow = "replica=" + SLOW;
            String fleet = name(findings.get(findings.size() - 1));
            assertThat(findings.stream()
                            .map(finding ->
                                    name(finding) + ' ' + finding.getTexts().get("state"))
                            .distinct())
                    .as("in shadow: %s", findings)
                    .containsExactly(slow + " OPEN", slow + " RESOLVED", fleet + " OPEN", fleet + " RESOLVED");
            assertThat(fleet).doesNotContain("replica=");
            assertThat(findings.get(findings.size() - 2).getCounts().get("anomalous"))
                    .isGreaterThanOrEqualTo(REPLICAS);
            assertThat(alerts(broker)).isEmpty();
            assertThat(results(broker, "anomaly"))
                    .filteredOn(result ->
                            result.getTexts().get("state").equals("ANOMALOUS") && result.getWindowEndMicros() <= shift)
                    .isNotEmpty()
                    .allSatisfy(result ->
                            assertThat(result.getDimensions().get(0).getValue()).isEqualTo(SLOW));

            run.publish(Topic.CONFIG, "anomaly/all", List.of(new Setting("anomaly", "all", shift, "{mode: promoted}")));
            run.detect();
            List<Alert> alerts = alerts(broker);
            assertThat(alerts.stream()
                            .map(alert -> alert.getFingerprint() + ' ' + alert.getState())
                            .distinct())
                    .containsExactly(
                            "anomaly:" + slow + " FIRING",
                            "anomaly:" + slow + " RESOLVED",
                            "anomaly:" + fleet + " FIRING",
                            "anomaly:" + fleet + " RESOLVED");
            Alert first = alerts.get(0);
            assertThat(first.getLabels()).containsEntry("replica", SLOW);
            assertThat(first.getStartsAtMicros()).isBetween(incident, incident + 2 * ExactWindows.MINUTE);
            assertThat(first.getChangedAtMicros())
                    .as("told within three minutes, and with the one after")
                    .isLessThanOrEqualTo(incident + 4 * ExactWindows.MINUTE);
            assertThat(first.getEvidence()).isNotEmpty();
            assertThat(alerts.get(alerts.size() - 1).getStartsAtMicros())
                    .isBetween(shift, shift + 2 * ExactWindows.MINUTE);
        }
    }

    private static String name(FigureResult finding) {
        return finding.getDimensions().get(0).getValue();
    }

    /** Noon of the last working day that had two of them before it: the first hours of a week are learned from those of another one. */
    private static Instant workingDay(Instant before) {
        Instant noon = before.truncatedTo(ChronoUnit.DAYS).plus(Duration.ofHours(12));
        while (noon.isAfter(before)
                || noon.atOffset(ZoneOffset.UTC).getDayOfWeek().compareTo(DayOfWeek.WEDNESDAY) < 0
                || noon.atOffset(ZoneOffset.UTC).getDayOfWeek().compareTo(DayOfWeek.FRIDAY) > 0) {
            noon = noon.minus(Duration.ofDays(1));
        }
        return noon;
    }

    /** Days as usual, the incident as it was, a while as usual, an incident of all replicas, a while as usual. */
    private List<WindowStat> story(long incidentMicros, long shiftMicros) {
        List<WindowStat> story = new ArrayList<>();
        long end = incidentMicros - LEARNED_MINUTES * ExactWindows.MINUTE;
        while (end < shiftMicros + (FAULT.toMinutes() + CALM_MINUTES) * ExactWindows.MINUTE) {
            end += ExactWindows.MINUTE;
            long usual = micros(start) + (2 + random.nextInt((int) BEFORE.toMinutes() - 1)) * ExactWindows.MINUTE;
            for (int i = 0; i < REPLICAS; i++) {
                String replica = "replica-" + i;
                if (isWithin(incidentMicros, end)) {
                    tell(replica, end, replica, faultMicros + end - incidentMicros, story);
                } else if (isWithin(shiftMicros, end)) {
                    tell(replica, end, SLOW, faultMicros + end - shiftMicros, story);
                } else {
                    tell(replica, end, replica, usual, story);
                }
            }
        }
        return story;
    }

    private static boolean isWithin(long fromMicros, long endMicros) {
        return endMicros > fromMicros && endMicros <= fromMicros + FAULT.toMinutes() * ExactWindows.MINUTE;
    }

    /** Windows of a replica with what another one's said in another minute. */
    private void tell(String replica, long endMicros, String other, long otherEndMicros, List<WindowStat> story) {
        for (String view : WATCHED) {
            WindowStat own = window(view, replica, micros(start) + 2 * ExactWindows.MINUTE);
            story.add(WindowStat.newBuilder(window(view, other, otherEndMicros))
                    .setSeries(own.getSeries())
                    .setDimensions(own.getDimensions())
                    .setWindowEndMicros(endMicros)
                    .build());
        }
    }

    private WindowStat window(String view, String replica, long endMicros) {
        return windows.entrySet().stream()
                .filter(entry -> entry.getKey().view().equals(view)
                        && entry.getKey().endMicros() == endMicros
                        && replica.equals(entry.getKey().dimensions().get("replica")))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no window of " + view + ", " + replica + " at " + endMicros));
    }

    private static List<FigureResult> results(KafkaBroker broker, String kind) {
        return TopicContents.of(broker.bootstrapServers(), Topic.RESULTS).stream()
                .filter(FigureResult.class::isInstance)
                .map(FigureResult.class::cast)
                .filter(result -> result.getKind().equals(kind))
                .sorted(Comparator.comparing(FigureResult::getWindowEndMicros))
                .toList();
    }

    private static List<Alert> alerts(KafkaBroker broker) {
        return TopicContents.alerts(broker.bootstrapServers()).stream()
                .filter(alert -> alert.getName().equals("anomaly"))
                .sorted(Comparator.comparing(Alert::getChangedAtMicros))
                .toList();
    }

    private static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }

    /** From the windows, once it is the same as from the requests themselves. */
    private double p99Micros(String replica, LongPredicate endMicros) {
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
