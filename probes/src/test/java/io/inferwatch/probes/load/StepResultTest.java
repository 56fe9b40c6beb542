package io.inferwatch.probes.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.inferwatch.schemas.FigureResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StepResultTest {
    private static final long BEGIN = 1_790_000_000_000_000L;
    private static final StepRule RULE = rule(800);

    /** Steps of 300, 800 and 1,200 requests a second whose P99 is 86, 217 and 342 ms; the sketch knows them to 0.4 %. */
    @Test
    void theThreeAnswersOfTheTable() {
        assertThat(StepResult.of(1, 300, step(300, 90, 86_000), RULE).label()).isEqualTo("pass");
        StepResult breach = StepResult.of(2, 800, step(800, 90, 217_000), RULE);
        assertThat(breach.label()).isEqualTo("breach");
        assertThat(breach.knownP99Micros().orElseThrow()).isCloseTo(217_000, withinPercentage(0.4));
        assertThat(breach.requests()).isEqualTo(72_000);
        StepResult cut = StepResult.of(3, 1_200, step(1_200, 90, 342_000), RULE);
        assertThat(cut.label()).isEqualTo("circuit-breaker");
        assertThat(cut.knownP99Micros().orElseThrow()).isCloseTo(342_000, withinPercentage(0.4));
        FigureResult figures = StepFigures.of("nightly", breach, RULE);
        assertThat(figures.getValues().get("over_limit_seconds")).isCloseTo(0.017, within(0.001));
        assertThat(figures.getDimensions())
                .extracting(dimension -> dimension.getName() + "=" + dimension.getValue())
                .containsExactly("run=nightly", "step=2");
        assertThat(figures.getTexts()).containsEntry("verdict", "breach");
    }

    @Test
    void belowTheRateFromWhichItHoldsNothingIsABreach() {
        StepResult slow = StepResult.of(1, 300, step(300, 90, 342_000), RULE);
        assertThat(slow.label()).isEqualTo("below-load");
        assertThat(slow.isOver()).isFalse();
        assertThat(StepResult.of(1, 300, step(300, 90, 342_000), rule(0)).label())
                .isEqualTo("circuit-breaker");
    }

    /** Three minutes, of which one second is slow altogether: 100 of the 6,000 requests of its minute, of 18,000 in all. */
    @Test
    void theWorstMinuteCountsAndNotTheWholeStep() {
        List<FinishedRequest> requests = new ArrayList<>();
        for (int i = 0; i < 100 * 180; i++) {
            boolean isSlow = i / 100 == 90;
            requests.add(Finished.good(i, 0, BEGIN + i * 10_000L, isSlow ? 250_000 : 20_000, 400_000));
        }
        StepResult step = StepResult.of(1, 100, requests, rule(0));
        assertThat(step.knownP99Micros().orElseThrow()).isCloseTo(250_000, withinPercentage(0.4));
        assertThat(step.label()).isEqualTo("breach");
        assertThat(step.requests()).isEqualTo(18_000);
    }

    /** Two seconds and a half of 200 requests a second, begun amid a second: one window of 500 requests. */
    @Test
    void aStepShorterThanAMinuteIsOneWindow() {
        List<FinishedRequest> requests = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            requests.add(Finished.good(i, 0, BEGIN + 777_777 + i * 5_000L, i < 6 ? 250_000 : 20_000, 400_000));
        }
        StepResult step = StepResult.of(1, 200, requests, rule(0));
        assertThat(step.label()).isEqualTo("breach");
        assertThat(step.beginAtMicros()).isEqualTo(BEGIN + 777_777);
        assertThat(step.seconds()).isCloseTo(2.495, within(0.001));
    }

    @Test
    void whoGotNoAnswerWaitedForEver() {
        List<FinishedRequest> requests = new ArrayList<>(step(100, 60, 50_000));
        for (int i = 0; i < 120; i++) {
            requests.add(Finished.failed(100_000 + i, 0, BEGIN + i * 500_000L));
        }
        StepResult step = StepResult.of(1, 100, requests, rule(0));
        assertThat(step.p99Micros()).hasValue(Double.POSITIVE_INFINITY);
        assertThat(step.label()).isEqualTo("circuit-breaker");
        assertThat(step.failed()).isEqualTo(120);
        assertThat(StepFigures.of("x", step, rule(0)).getValues()).doesNotContainKey("p99_seconds");
    }

    @Test
    void aStepWithTooFewRequestsHasNoP99() {
        assertThat(StepResult.of(1, 5, step(5, 60, 900_000), rule(0)).label()).isEqualTo("not-estimable");
        assertThat(StepResult.of(1, 5, List.of(), rule(0)).label()).isEqualTo("not-run");
    }

    @Test
    void theBreakerIsKnownToTripAsSoonAsTheWindowIsOldEnough() {
        StepWatch watch = new StepWatch(rule(0), BEGIN);
        for (int second = 0; second < 10; second++) {
            for (int i = 0; i < 100; i++) {
                watch.due(0, BEGIN + second * 1_000_000L + i * 10_000L);
            }
        }
        // All of the first five seconds are answered in time, but none of the sixth.
        for (int i = 0; i < 500; i++) {
            watch.ended(Finished.good(i, 0, BEGIN + i * 10_000L, 100_000, 200_000));
        }
        assertThat(watch.isTripped(BEGIN + 5_999_999 + 300_000)).isFalse();
        assertThat(watch.isTripped(BEGIN + 6_000_000 + 300_000)).isTrue();
    }

    @Test
    void aWindowOfTheBreakerNeverMixesSteps() {
        StepWatch watch = new StepWatch(rule(0), BEGIN);
        for (int i = 0; i < 1_000; i++) {
            watch.due(0, BEGIN + i * 1_000L);
        }
        // 100 of 1,100 would be too many; 100 alone are too few to judge.
        for (int i = 0; i < 1_000; i++) {
            watch.ended(Finished.good(i, 0, BEGIN + i * 1_000L, 1_000, 2_000));
        }
        for (int i = 0; i < 100; i++) {
            watch.due(1, BEGIN + 1_000_000L + i * 1_000L);
        }
        assertThat(watch.isTripped(BEGIN + 10_000_000L)).isFalse();
    }

    @Test
    void rulesThatMakeNoSenseAreRefused() {
        Duration second = Duration.ofSeconds(1);
        assertThatThrownBy(() -> new StepRule(StepRule.Latency.TTFT, second, Duration.ofMillis(1), 0))
                .hasMessage("breaker: must be at least the limit of PT1S, found PT0.001S");
        assertThatThrownBy(() -> new StepRule(StepRule.Latency.TTFT, Duration.ZERO, second, 0))
                .hasMessage("limit: must be above 0, found PT0S");
    }

    private static StepRule rule(double fromRate) {
        return new StepRule(StepRule.Latency.TTFT, Duration.ofMillis(200), Duration.ofMillis(300), fromRate);
    }

    /** Even requests, a fiftieth of which take the given time: so that is P99 of every window. */
    private static List<FinishedRequest> step(int rate, int seconds, long slowMicros) {
        List<FinishedRequest> requests = new ArrayList<>();
        for (int i = 0; i < rate * seconds; i++) {
            long due = BEGIN + i * 1_000_000L / rate;
            requests.add(Finished.good(i, 0, due, i % 50 == 0 ? slowMicros : 20_000, 500_000));
        }
        return requests;
    }
}
