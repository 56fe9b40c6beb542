package io.inferwatch.simulation.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.simulation.engine.CostModel;
import io.inferwatch.simulation.engine.EngineSpec;
import io.inferwatch.simulation.engine.Prompt;
import io.inferwatch.simulation.engine.Timeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * A step costs 10 ms, a prompt token 0.1 ms, a decoding sequence 1 ms; the gateway takes 1 ms, authentication 2 ms, post-processing 3 ms.
 */
class SimulatedServerTest {
    private static final EngineSpec ENGINE =
            new EngineSpec(4, 1_000, 100, 8, 400, true, new CostModel(10e6, 0.1e6, 0, 1e6, 0));
    private static final Stages STAGES =
            new Stages(new Lognormal(1e6, 0), new Lognormal(2e6, 0), 0, new Lognormal(3e6, 0));
    private static final ServerSpec SPEC =
            ServerSpec.usual(0, 1).withEngine(ENGINE).withStages(STAGES);
    private static final long MILLI = 1_000_000;

    private final Timeline timeline = new Timeline();
    private final List<Journey> journeys = new ArrayList<>();
    private int tokens;

    private final ResponseListener listener = new ResponseListener() {
        @Override
        public void onToken(int index) {
            tokens++;
        }

        @Override
        public void onEnd(Journey journey) {
            journeys.add(journey);
        }
    };

    @Test
    void aJourneyIsTheSumOfItsStages() {
        SimulatedServer server = new SimulatedServer(SPEC, timeline);
        timeline.runUntil(5 * MILLI);
        server.submit(request(1, 10, 3), listener);
        timeline.runUntil(1_000 * MILLI);

        Journey journey = journeys.get(0);
        assertThat(journey.arrivedNanos()).isEqualTo(5 * MILLI);
        assertThat(journey.queuedNanos()).hasValue(8 * MILLI);
        assertThat(journey.queueNanos()).hasValue(0);
        assertThat(journey.prefillNanos()).hasValue(11 * MILLI);
        assertThat(journey.tokenNanos()).containsExactly(19 * MILLI, 30 * MILLI, 41 * MILLI);
        assertThat(journey.decodeNanos()).hasValue(22 * MILLI);
        assertThat(journey.endedNanos()).isEqualTo(44 * MILLI);
        assertThat(journey.ending()).isEqualTo(Ending.STOP);
        assertThat(tokens).isEqualTo(3);
    }

    @Test
    void theClientsLimitCutsTheAnswer() {
        SimulatedServer server = new SimulatedServer(SPEC, timeline);
        server.submit(new SimulatedRequest("a", Prompt.of(1, 10, 4), 50, 2), listener);
        timeline.runUntil(1_000 * MILLI);

        assertThat(journeys.get(0).ending()).isEqualTo(Ending.LENGTH);
        assertThat(journeys.get(0).tokenNanos()).hasSize(2);
    }

    @Test
    void whatDoesNotFitTheContextIsRejected() {
        SimulatedServer server = new SimulatedServer(SPEC, timeline);
        server.submit(request(1, 399, 2), listener);
        timeline.runUntil(1_000 * MILLI);

        assertThat(journeys.get(0).ending()).isEqualTo(Ending.REJECTED);
        assertThat(journeys.get(0).endedNanos()).isEqualTo(3 * MILLI);
        assertThat(server.open()).isZero();
    }

    @Test
    void aSlowNodeSlowsStagesAndStepsOfWhatComesWhileItIsOn() {
        SimulatedServer server = new SimulatedServer(SPEC, timeline);
        server.switchOn(Fault.SLOW_NODE, 2);
        server.submit(request(1, 10, 1), listener);
        timeline.runUntil(1_000 * MILLI);
        server.switchOff(Fault.SLOW_NODE);
        server.submit(request(2, 10, 1), listener);
        timeline.runUntil(2_000 * MILLI);

        assertThat(journeys.get(0).tokenNanos()).containsExactly((2 * 3 + 2 * 11) * MILLI);
        assertThat(journeys.get(1).tokenNanos()).containsExactly((1_000 + 3 + 11) * MILLI);
    }

    @Test
    void aThrottledGpuSlowsStepsAlone() {
        SimulatedServer server = new SimulatedServer(SPEC, timeline);
        server.switchOn(Fault.THROTTLED_GPU, 2);
        server.submit(request(1, 10, 1), listener);
        timeline.runUntil(1_000 * MILLI);

        assertThat(journeys.get(0).tokenNanos()).containsExactly((3 + 2 * 11) * MILLI);
    }

    @Test
    void aSlowerVersionIsNamedByTheRequestsThatComeToIt() {
        SimulatedServer server = new SimulatedServer(SPEC, timeline);
        server.submit(request(1, 10, 1), listener);
        server.switchOn(Fault.SLOWER_VERSION, 1.5);
        server.submit(request(2, 10, 1), listener);
        timeline.runUntil(1_000 * MILLI);

        assertThat(journeys.stream().map(Journey::version)).containsExactly("v1", "v2");
        // Both prompts in one step: (10 + 2) x 1.5.
        assertThat(journeys.get(1).prefillNanos()).hasValue(18 * MILLI);
    }

    @Test
    void pressureOnTheCacheTakesItsShareOfTheBlocks() {
        SimulatedServer server = new SimulatedServer(SPEC.withEngine(ENGINE.withBlocks(10)), timeline);
        server.switchOn(Fault.KV_PRESSURE, 0.8);
        server.submit(request(1, 10, 1), listener);
        timeline.runUntil(100 * MILLI);
        assertThat(journeys).isEmpty();
        assertThat(server.engine().waiting()).isEqualTo(1);
        assertThat(server.engine().kvUsage()).as("what cannot be had is used").isEqualTo(0.8);

        server.switchOff(Fault.KV_PRESSURE);
        timeline.runUntil(1_000 * MILLI);

        assertThat(journeys.get(0).tokenNanos()).containsExactly(111 * MILLI);
    }

    @Test
    void errorsStrikeTheirShareOfTheRequestsSeed1() {
        SimulatedServer server = new SimulatedServer(SPEC, timeline);
        server.switchOn(Fault.ERROR_BURST, 0.4);
        submit(server, 4_000, 10);
        timeline.runUntil(1_000_000 * MILLI);

        var endings = journeys.stream().collect(Collectors.groupingBy(Journey::ending, Collectors.counting()));
        // Three standard deviations of a share of 0.2 in 4,000 are 0.019.
        assertThat(endings.get(Ending.ERROR) / 4_000.0).isCloseTo(0.2, within(0.019));
        assertThat(endings.get(Ending.INBAND_ERROR) / 4_000.0).isCloseTo(0.2, within(0.019));
        assertThat(endings.get(Ending.STOP) + endings.get(Ending.ERROR) + endings.get(Ending.INBAND_ERROR))
                .isEqualTo(4_000);
        assertThat(journeys)
                .filteredOn(journey -> journey.ending() == Ending.ERROR)
                .allSatisfy(journey -> assertThat(journey.tokenNanos()).isEmpty());
        assertThat(journeys)
                .filteredOn(journey -> journey.ending() == Ending.INBAND_ERROR)
                .allSatisfy(journey -> assertThat(journey.tokenNanos()).hasSizeBetween(1, 8));
    }

    @Test
    void whatHangsIsOpenUntilItIsCancelled() {
        SimulatedServer server = new SimulatedServer(SPEC, timeline);
        server.switchOn(Fault.HANGING_REQUESTS, 1);
        Runnable cancel = server.submit(request(1, 10, 1), listener);
        timeline.runUntil(1_000_000 * MILLI);
        assertThat(server.open()).isEqualTo(1);
        assertThat(server.engine().added()).isZero();

        cancel.run();
        cancel.run();

        assertThat(server.open()).isZero();
        assertThat(journeys).singleElement().satisfies(journey -> {
            assertThat(journey.ending()).isEqualTo(Ending.CANCELLED);
            assertThat(journey.endedNanos()).isEqualTo(1_000_000 * MILLI);
        });
    }

    @Test
    void aFaultChangesNoOtherChanceOfARequestSeed1() {
        List<Journey> healthy = journeysOf(server -> {});
        List<Journey> withErrors = journeysOf(server -> server.switchOn(Fault.ERROR_BURST, 0.3));

        assertThat(withErrors.stream().filter(journey -> !journey.isComplete())).isNotEmpty();
        for (int i = 0; i < healthy.size(); i++) {
            assertThat(withErrors.get(i).gatewayNanos())
                    .isEqualTo(healthy.get(i).gatewayNanos());
            assertThat(withErrors.get(i).guardrail()).isEqualTo(healthy.get(i).guardrail());
        }
        assertThat(healthy.stream().map(Journey::gatewayNanos).distinct()).hasSizeGreaterThan(150);
    }

    @Test
    void aSidecarIsNotWaitedForBeyondItsDeadlineSeed1() {
        SimulatedServer server = new SimulatedServer(SPEC.withGuardrail(Guardrail.SIDECAR), timeline);
        submit(server, 20_000, 1);
        timeline.runUntil(10_000_000 * MILLI);

        long bypassed = journeys.stream()
                .filter(journey -> journey.guardrail().orElseThrow().verdict().equals("bypass"))
                .count();
        // ln(80/43) / (ln(116/43) / 1.645) = 1.0288 standard deviations: 15.2 % lie above.
        assertThat(bypassed / 20_000.0).isCloseTo(0.1518, within(0.008));
        assertThat(journeys).allSatisfy(journey -> assertThat(
                        journey.guardrail().orElseThrow().waitedNanos())
                .isLessThanOrEqualTo(80 * MILLI));
        assertThat(quantile(0.5)).isCloseTo(43.0 * MILLI, within(0.8 * MILLI));
    }

    @Test
    void anInlineCheckIsWaitedForSeed1() {
        SimulatedServer server = new SimulatedServer(SPEC.withGuardrail(Guardrail.INLINE), timeline);
        submit(server, 20_000, 1);
        timeline.runUntil(10_000_000 * MILLI);

        assertThat(quantile(0.5)).isCloseTo(128.0 * MILLI, within(2.0 * MILLI));
        assertThat(quantile(0.95)).isCloseTo(342.0 * MILLI, within(10.0 * MILLI));
        assertThat(journeys).allSatisfy(journey -> assertThat(journey.queuedNanos())
                .hasValue(journey.arrivedNanos()
                        + 3 * MILLI
                        + journey.guardrail().orElseThrow().waitedNanos()));
    }

    @Test
    void severitiesHaveLimits() {
        SimulatedServer server = new SimulatedServer(SPEC, timeline);

        assertThatThrownBy(() -> server.switchOn(Fault.ERROR_BURST, 1.5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("severity of error-burst: must be from 0.0 to 1.0, found 1.5");
        assertThat(server.faults()).isEmpty();
        assertThat(Fault.of("kv-pressure")).contains(Fault.KV_PRESSURE);
        assertThat(Fault.of("nonsense")).isEmpty();
    }

    private static List<Journey> journeysOf(Consumer<SimulatedServer> preparation) {
        Timeline own = new Timeline();
        SimulatedServer server =
                new SimulatedServer(SPEC.withStages(Stages.usual()).withGuardrail(Guardrail.SIDECAR), own);
        preparation.accept(server);
        List<Journey> found = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            int number = i;
            own.at(
                    i * 1_000L * MILLI,
                    () -> server.submit(request(number, 10, 10), new ResponseListener() {
                        @Override
                        public void onToken(int index) {}

                        @Override
                        public void onEnd(Journey journey) {
                            found.add(journey);
                        }
                    }));
        }
        own.runUntil(1_000_000 * MILLI);
        return found;
    }

    private void submit(SimulatedServer server, int requests, int answerTokens) {
        for (int i = 0; i < requests; i++) {
            int number = i;
            timeline.at(50L * i * MILLI, () -> server.submit(request(number, 10, answerTokens), listener));
        }
    }

    private double quantile(double q) {
        long[] waits = journeys.stream()
                .mapToLong(journey -> journey.guardrail().orElseThrow().waitedNanos())
                .sorted()
                .toArray();
        assertThat(Arrays.stream(waits).distinct().count()).isGreaterThan(1_000);
        return waits[(int) (q * waits.length)];
    }

    private static SimulatedRequest request(long content, int promptTokens, int answerTokens) {
        return new SimulatedRequest(
                "r" + content,
                Prompt.of(content << 32, promptTokens, ENGINE.blockTokens()),
                answerTokens,
                Integer.MAX_VALUE);
    }
}
