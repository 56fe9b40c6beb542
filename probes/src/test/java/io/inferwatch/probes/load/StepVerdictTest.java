package io.inferwatch.probes.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.probes.load.StepVerdict.Answer;
import io.inferwatch.schemas.FigureResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StepVerdictTest {
    private static final long BEGIN = 1_790_000_000_000_000L;
    private static final StepRule RULE = rule(800);

    /** Steps of 300, 800 and 1,200 requests a second whose P99 is 86, 217 and 342 ms. */
    @Test
    void theThreeAnswersOfTheTable() {
        assertThat(StepVerdict.of(1, 300, step(300, 90, 86_000), RULE).answer()).isEqualTo(Answer.PASS);
        StepVerdict breach = StepVerdict.of(2, 800, step(800, 90, 217_000), RULE);
        assertThat(breach.answer()).isEqualTo(Answer.BREACH);
        assertThat(breach.p99Micros()).isEqualTo(217_000);
        StepVerdict cut = StepVerdict.of(3, 1_200, step(1_200, 90, 342_000), RULE);
        assertThat(cut.answer()).isEqualTo(Answer.CIRCUIT_BREAKER);
        assertThat(cut.p99Micros()).isEqualTo(342_000);
        FigureResult figures = StepFigures.of("nightly", breach, RULE);
        assertThat(figures.getValues().get("over_limit_seconds")).isEqualTo(0.017);
        assertThat(figures.getDimensions())
                .extracting(dimension -> dimension.getName() + "=" + dimension.getValue())
                .containsExactly("run=nightly", "step=2");
        assertThat(figures.getTexts()).containsEntry("verdict", "breach");
    }

    @Test
    void belowTheRateFromWhichItHoldsNothingIsABreach() {
        StepVerdict slow = StepVerdict.of(1, 300, step(300, 90, 342_000), RULE);
        assertThat(slow.answer()).isEqualTo(Answer.PASS);
        assertThat(StepVerdict.of(1, 300, step(300, 90, 342_000), rule(0)).answer())
                .isEqualTo(Answer.CIRCUIT_BREAKER);
    }

    /** Three minutes, of which one second is slow altogether: 100 of the 6,000 requests of its minute, of 18,000 in all. */
    @Test
    void theWorstMinuteCountsAndNotTheWholeStep() {
        List<FinishedRequest> requests = new ArrayList<>();
        for (int i = 0; i < 100 * 180; i++) {
            boolean isSlow = i / 100 == 90;
            requests.add(Finished.good(i, 0, BEGIN + i * 10_000L, isSlow ? 250_000 : 20_000, 400_000));
        }
        StepVerdict verdict = StepVerdict.of(1, 100, requests, rule(0));
        assertThat(verdict.p99Micros()).isEqualTo(250_000);
        assertThat(verdict.answer()).isEqualTo(Answer.BREACH);
        assertThat(verdict.requests()).isEqualTo(18_000);
    }

    @Test
    void whoGotNoAnswerWaitedForEver() {
        List<FinishedRequest> requests = new ArrayList<>(step(100, 60, 50_000));
        for (int i = 0; i < 120; i++) {
            requests.add(Finished.failed(100_000 + i, 0, BEGIN + i * 500_000L));
        }
        StepVerdict verdict = StepVerdict.of(1, 100, requests, rule(0));
        assertThat(verdict.p99Micros()).isEqualTo(StepVerdict.FAILED_MICROS);
        assertThat(verdict.answer()).isEqualTo(Answer.CIRCUIT_BREAKER);
        assertThat(verdict.failed()).isEqualTo(120);
        assertThat(StepFigures.of("x", verdict, rule(0)).getValues()).doesNotContainKey("p99_seconds");
    }

    @Test
    void aStepWithTooFewRequestsHasNoP99() {
        assertThat(StepVerdict.of(1, 5, step(5, 60, 900_000), rule(0)).answer()).isEqualTo(Answer.NOT_ESTIMABLE);
        assertThat(StepVerdict.of(1, 5, List.of(), rule(0)).answer()).isEqualTo(Answer.NOT_RUN);
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
