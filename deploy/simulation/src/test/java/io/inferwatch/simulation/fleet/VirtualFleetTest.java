package io.inferwatch.simulation.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Heartbeat;
import io.inferwatch.schemas.Outcome;
import io.inferwatch.schemas.RequestEvent;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.simulation.serving.Fault;
import io.inferwatch.simulation.serving.Guardrail;
import io.inferwatch.simulation.serving.ServerSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Three replicas for eight minutes under six requests a second, seed 11. */
class VirtualFleetTest {
    private static final Instant START = Instant.parse("2026-11-30T12:00:00Z");
    private static final long START_MICROS = START.getEpochSecond() * 1_000_000;
    private static final Duration SPAN = Duration.ofMinutes(8);
    private static final Duration HALF = Duration.ofMinutes(4);
    private static final RecordedFleet HEALTHY = play(11, healthy -> {});
    private static final List<String> REPLICAS = List.of("replica-0", "replica-1", "replica-2");

    @Test
    void everyRequestIsOneEventAndHeartbeatsAddUp() {
        RecordedFleet fleet = HEALTHY;

        assertThat(fleet.events).hasSizeBetween(2_600, 3_000);
        for (String replica : REPLICAS) {
            List<RequestEvent> events = fleet.of(replica);
            assertThat(events).hasSizeGreaterThan(600);
            assertThat(events.stream().map(RequestEvent::getSequence))
                    .containsExactlyElementsOf(IntStream.range(0, events.size())
                            .mapToObj(Long::valueOf)
                            .toList());
            List<Heartbeat> heartbeats = fleet.heartbeatsOf(replica);
            assertThat(heartbeats).hasSize(96);
            assertThat(heartbeats).allSatisfy(h -> {
                assertThat(h.getStartedTotal())
                        .isEqualTo(h.getCompletedTotal()
                                + h.getFailedTotal()
                                + h.getCancelledTotal()
                                + h.getOpenRequests());
                assertThat(h.getNextSequence())
                        .isEqualTo(events.stream()
                                .filter(e -> e.getCompletedAtMicros() <= h.getEventTimeMicros())
                                .count());
                assertThat(h.getAwaitingFirstToken()).isBetween(0L, h.getOpenRequests());
            });
            assertThat(heartbeats.get(0).getEventTimeMicros()).isEqualTo(START_MICROS + 5_000_000);
        }
    }

    @Test
    void anEventSaysTheSameAsItsTokens() throws UndecodableEventException {
        EventCodec codec = new EventCodec();
        for (RequestEvent event : HEALTHY.events) {
            assertThat(codec.decode(codec.encode(event), RequestEvent.class)).isEqualTo(event);
            assertThat(event.getMarks()).containsExactly("simulated");
            long ttft = event.getTtftMicros();
            long e2e = event.getE2eMicros();
            long before = event.getGatewayMicros() + event.getAuthenticationMicros() + event.getTokenizeMicros();
            // Each part is cut to whole microseconds.
            assertThat(ttft - before - event.getQueueMicros() - event.getPrefillMicros())
                    .isBetween(0L, 6L);
            assertThat(e2e - ttft - event.getDecodeMicros()).isBetween(-1L, 1L);
            assertThat(event.getCompletedAtMicros() - event.getStartedAtMicros())
                    .isBetween(event.getStreamEndMicros(), event.getStreamEndMicros() + 1);
            assertThat(event.getCachedTokens()).isLessThan(event.getPromptTokens());
            if (event.getOutputTokens() > 1) {
                QuantileSketch gaps = SketchEncoding.decode(event.getItlSketch().array());
                assertThat(gaps.n()).isEqualTo(event.getOutputTokens() - 1);
                assertThat(gaps.sum() / 1_000 - (e2e - ttft)).isBetween(-1L, 1L);
                assertThat(gaps.max() / 1_000).isEqualTo(event.getMaxStallMicros());
            }
        }
    }

    @Test
    void theSameSeedGivesTheSameEventsAndAnotherGivesOthers() {
        assertThat(play(11, healthy -> {}).events).isEqualTo(HEALTHY.events);
        assertThat(play(12, healthy -> {}).events).isNotEqualTo(HEALTHY.events);
    }

    @Test
    void aFaultIsSeenAtItsReplicaAndChangesNoOther() {
        RecordedFleet faulty = play(11, fleet -> fleet.switchOn(HALF, "replica-1", Fault.SLOW_NODE, 3));

        assertThat(faulty.of("replica-0")).isEqualTo(HEALTHY.of("replica-0"));
        assertThat(faulty.of("replica-2")).isEqualTo(HEALTHY.of("replica-2"));
        assertThat(p99TtftMicros(faulty.of("replica-1"), false))
                .isEqualTo(p99TtftMicros(HEALTHY.of("replica-1"), false));
        assertThat(p99TtftMicros(faulty.of("replica-1"), true))
                .isGreaterThan(2 * p99TtftMicros(HEALTHY.of("replica-1"), true));
    }

    @Test
    void conversationsFindTheirPrefixesUnlessTheCacheIsCold() {
        RecordedFleet fleet = play(11, cold -> cold.switchOn(HALF, "replica-1", Fault.COLD_CACHE, 1));

        assertThat(reuse(fleet.of("replica-1"), false)).isGreaterThan(0.4);
        assertThat(reuse(fleet.of("replica-0"), true)).isGreaterThan(0.4);
        // Those that had begun when the cache went cold keep what they had.
        assertThat(reuse(fleet.of("replica-1"), true)).isLessThan(0.02);
    }

    @Test
    void aCacheUnderPressureMakesRequestsWaitOrBePreempted() {
        RecordedFleet fleet = play(11, full -> full.switchOn(HALF, "replica-1", Fault.KV_PRESSURE, 0.98));

        assertThat(preemptions(fleet.of("replica-0"))).isZero();
        assertThat(preemptions(fleet.of("replica-1"))).isPositive();
        assertThat(fleet.of("replica-1").stream()
                        .filter(event -> isLate(event) && event.getPreemptions() == 0)
                        .mapToLong(event -> Objects.requireNonNullElse(event.getQueueMicros(), 0L))
                        .max()
                        .orElseThrow())
                .isGreaterThan(100_000);
    }

    @Test
    void requestsThatHangShowInTheHeartbeatsUntilTheirClientsGoAway() {
        RecordedFleet fleet = play(11, hanging -> {
            hanging.switchOn(HALF, "replica-1", Fault.HANGING_REQUESTS, 0.1);
            hanging.switchOff(HALF.plusMinutes(1), "replica-1", Fault.HANGING_REQUESTS);
        });

        List<Long> oldestMicros = fleet.heartbeatsOf("replica-1").stream()
                .map(Heartbeat::getOldestOpenMicros)
                .filter(Objects::nonNull)
                .toList();
        assertThat(oldestMicros.stream().mapToLong(Long::longValue).max().orElseThrow())
                .isBetween(115_000_000L, 120_000_000L);
        assertThat(fleet.of("replica-1").stream().filter(e -> e.getOutcome() == Outcome.CLIENT_CANCEL))
                .isNotEmpty()
                .allSatisfy(e -> {
                    assertThat(e.getTtftMicros()).isNull();
                    assertThat(e.getE2eMicros()).isEqualTo(120_000_000L);
                });
    }

    @Test
    void guardrailsStandInTheEvents() {
        RecordedFleet recorded = new RecordedFleet();
        VirtualFleet fleet = new VirtualFleet(
                "test",
                List.of(ServerSpec.usual(0, 11).withGuardrail(Guardrail.SIDECAR)),
                PoissonLoad.of(2, 11),
                START,
                recorded);
        fleet.run(Duration.ofMinutes(5));

        assertThat(recorded.events).isNotEmpty().allSatisfy(event -> {
            assertThat(event.getGuardrails()).hasSize(1);
            assertThat(event.getGuardrails().get(0).getPhase()).isEqualTo("sidecar");
            assertThat(event.getGuardrails().get(0).getDurationMicros()).isLessThanOrEqualTo(80_000);
            assertThat(event.getGuardrailMode()).isEqualTo("sidecar");
            assertThat(event.getGuardrailChecks()).isEqualTo(1);
            assertThat(event.getGuardrailMicros())
                    .isEqualTo(event.getGuardrails().get(0).getDurationMicros());
            assertThat(event.getGuardrailBypasses())
                    .isEqualTo(event.getGuardrails().get(0).getVerdict().equals("bypass") ? 1 : 0);
        });
        assertThat(recorded.events.stream()
                        .map(event -> event.getGuardrails().get(0).getVerdict())
                        .distinct())
                .containsExactlyInAnyOrder("pass", "bypass");
    }

    @Test
    void aTraceIsPlayedAsItIs() {
        RecordedFleet recorded = new RecordedFleet();
        List<Arrival> trace = List.of(Arrival.alone(0, 1, 374, 44), Arrival.alone(2_000_000_000L, 2, 879, 55));
        new VirtualFleet("test", List.of(ServerSpec.usual(0, 1)), trace.iterator(), START, recorded)
                .run(Duration.ofSeconds(30));

        assertThat(recorded.events.stream().map(RequestEvent::getPromptTokens)).containsExactly(374L, 879L);
        assertThat(recorded.events.stream().map(RequestEvent::getOutputTokens)).containsExactly(44L, 55L);
        assertThat(recorded.events.get(1).getStartedAtMicros()).isEqualTo(START_MICROS + 2_000_000);
    }

    private static RecordedFleet play(long seed, Consumer<VirtualFleet> preparation) {
        RecordedFleet recorded = new RecordedFleet();
        List<ServerSpec> servers =
                IntStream.range(0, 3).mapToObj(i -> ServerSpec.usual(i, seed)).toList();
        VirtualFleet fleet = new VirtualFleet("test", servers, PoissonLoad.of(6, seed), START, recorded);
        preparation.accept(fleet);
        fleet.run(SPAN);
        return recorded;
    }

    private static boolean isLate(RequestEvent event) {
        return event.getStartedAtMicros() >= START_MICROS + HALF.toMillis() * 1_000;
    }

    /** Of the requests that came in the second half, or of those that ended in the first. */
    private static long p99TtftMicros(List<RequestEvent> events, boolean late) {
        long[] sorted = events.stream()
                .filter(event ->
                        late ? isLate(event) : event.getCompletedAtMicros() < START_MICROS + HALF.toMillis() * 1_000)
                .mapToLong(RequestEvent::getTtftMicros)
                .sorted()
                .toArray();
        return sorted[(int) Math.ceil(0.99 * sorted.length) - 1];
    }

    private static double reuse(List<RequestEvent> events, boolean late) {
        List<RequestEvent> chosen =
                events.stream().filter(event -> isLate(event) == late).toList();
        return (double) chosen.stream().mapToLong(RequestEvent::getCachedTokens).sum()
                / chosen.stream().mapToLong(RequestEvent::getPromptTokens).sum();
    }

    private static long preemptions(List<RequestEvent> events) {
        return events.stream().mapToLong(RequestEvent::getPreemptions).sum();
    }
}
