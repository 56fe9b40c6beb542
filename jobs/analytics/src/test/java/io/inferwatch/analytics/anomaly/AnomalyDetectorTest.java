package io.inferwatch.analytics.anomaly;

import static io.inferwatch.analytics.anomaly.SimulatedSeries.DAY;
import static io.inferwatch.analytics.anomaly.SimulatedSeries.MINUTE_MICROS;
import static io.inferwatch.analytics.anomaly.SimulatedSeries.endMicros;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.function.IntToDoubleFunction;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a series must be told of, and, more often, what it must not. */
class AnomalyDetectorTest {
    private static final AnomalyRule RULE = AnomalyRule.STANDARD;
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int PLENTY = 1_000;

    private AnomalyDetector detector = new AnomalyDetector(RULE, Scale.LOG, MINUTE);
    private final SimulatedSeries series = new SimulatedSeries(7);

    /** The same with other values from some minute on: what was said before must be the same, to the bit. */
    @Test
    void whatComesLaterChangesNothingSeed7() {
        double[] values = IntStream.range(0, 3 * DAY).mapToDouble(series::next).toArray();
        List<Optional<Judgement>> whole = judge(0, values.length, minute -> values[minute]);
        for (int cut : new int[] {DAY, 2 * DAY - 7, 2 * DAY + 700}) {
            detector = new AnomalyDetector(RULE, Scale.LOG, MINUTE);
            List<Optional<Judgement>> other =
                    judge(0, values.length, minute -> minute < cut ? values[minute] : 9 * values[minute]);
            assertThat(other.subList(0, cut)).isEqualTo(whole.subList(0, cut));
            assertThat(other).isNotEqualTo(whole);
        }
    }

    @Test
    void aRestartChangesNothingSeed7() {
        double[] values = IntStream.range(0, 3 * DAY).mapToDouble(series::next).toArray();
        for (int minute = 2 * DAY + 600; minute < 2 * DAY + 630; minute++) {
            values[minute] *= 1.6;
        }
        List<Optional<Judgement>> whole = judge(0, values.length, minute -> values[minute]);
        detector = new AnomalyDetector(RULE, Scale.LOG, MINUTE);
        List<Optional<Judgement>> restarted = new ArrayList<>();
        for (int minute = 0; minute < values.length; minute++) {
            restarted.add(detector.observe(endMicros(minute), values[minute], PLENTY));
            if (minute % 41 == 0) {
                detector = AnomalyDetector.ofBytes(detector.toBytes(), RULE);
            }
        }
        assertThat(restarted).isEqualTo(whole);
        assertThat(whole).anyMatch(one -> one.filter(Judgement::alarm).isPresent());
    }

    @Test
    void bytesOfAnotherVersionAreRefused() {
        byte[] bytes = detector.toBytes();
        bytes[0] = 9;
        assertThatThrownBy(() -> AnomalyDetector.ofBytes(bytes, RULE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("anomaly detector: version must be 1, found 9");
    }

    /** Days and nights, working days and the first weekends, learned from one day on. */
    @Test
    void twoWeeksOfDaysAndNightsAreSilentSeed7() {
        List<Optional<Judgement>> judged = judge(0, 14 * DAY, series::next);

        assertThat(alarms(judged)).isEmpty();
        assertThat(states(judged.subList(0, DAY))).containsExactly(State.LEARNING);
        assertThat(states(judged.subList(2 * DAY + 60, 5 * DAY))).doesNotContain(State.LEARNING);
        assertThat(where(judged, one -> one.state() == State.ANOMALOUS)).hasSizeLessThan(14 * DAY / 1_000);
    }

    @Test
    void aChangeIsToldOnceWithinThreeWindowsWithEvidenceSeed7() {
        judge(0, 4 * DAY, series::next);
        List<Optional<Judgement>> judged = judge(4 * DAY, 4 * DAY + 30, minute -> 1.5 * series.next(minute));

        assertThat(alarms(judged)).hasSize(1);
        int delay = alarms(judged).get(0);
        assertThat(delay).isBetween(1, 2);
        Judgement alarm = judged.get(delay).orElseThrow();
        assertThat(alarm.state()).isEqualTo(State.ANOMALOUS);
        assertThat(alarm.p()).isLessThan(RULE.alarms().told());
        Judgement.Evidence evidence = alarm.evidence().orElseThrow();
        assertThat(evidence.sense()).isEqualTo(Sense.JUMP);
        assertThat(evidence.expectedLow()).isBetween(0.6, 0.95);
        assertThat(evidence.expectedHigh()).isBetween(1.05, 1.4);
        assertThat(evidence.observed()).isGreaterThan(evidence.expectedHigh());
    }

    @Test
    void oneSpikeIsNoAnomalySeed7() {
        judge(0, 4 * DAY, series::next);
        List<Optional<Judgement>> judged =
                judge(4 * DAY, 4 * DAY + 60, minute -> (minute == 4 * DAY + 20 ? 20 : 1) * series.next(minute));

        assertThat(alarms(judged)).isEmpty();
        assertThat(states(judged)).doesNotContain(State.ANOMALOUS);
    }

    @Test
    void anAnomalyThatEndsIsOverAndMayBeToldAgainSeed7() {
        judge(0, 4 * DAY, series::next);
        IntToDoubleFunction twice = minute -> {
            int within = (minute - 4 * DAY) % 120;
            return (within < 20 ? 1.6 : 1) * series.next(minute);
        };
        List<Optional<Judgement>> judged = judge(4 * DAY, 4 * DAY + 240, twice);

        assertThat(alarms(judged)).hasSize(2);
        assertThat(state(judged.get(15))).isEqualTo(State.ANOMALOUS);
        assertThat(state(judged.get(40))).isNotEqualTo(State.ANOMALOUS);
    }

    /** An anomaly that comes again within the cool-down is seen, and told only where it is twice as bad. */
    @Test
    void withinTheCoolDownOnlyWorseIsToldSeed7() {
        judge(0, 4 * DAY, series::next);
        IntToDoubleFunction again = minute -> {
            int within = minute - 4 * DAY;
            return (within < 4 || (within >= 10 && within < 14) ? 1.6 : 1) * series.next(minute);
        };
        assertThat(alarms(judge(4 * DAY, 4 * DAY + 30, again))).hasSize(1);

        judge(4 * DAY + 30, 7 * DAY, series::next);
        IntToDoubleFunction worse =
                minute -> (minute - 7 * DAY < 6 ? 1.4 : minute - 7 * DAY < 20 ? 5 : 1) * series.next(minute);
        assertThat(alarms(judge(7 * DAY, 7 * DAY + 40, worse))).hasSize(2);
    }

    @Test
    void aLevelThatStaysForAnHourIsAcceptedAtEveryHourSeed7() {
        judge(0, 8 * DAY, series::next);
        List<Optional<Judgement>> judged = judge(8 * DAY, 10 * DAY, minute -> 1.5 * series.next(minute));

        List<Integer> accepted = where(judged, Judgement::accepted);
        assertThat(accepted).hasSize(1);
        assertThat(accepted.get(0)).isBetween(60, 63);
        assertThat(alarms(judged)).hasSize(1);
        assertThat(states(judged.subList(64, judged.size()))).doesNotContain(State.ANOMALOUS);
    }

    /** Two spreads, too small to call somebody, are the slow channel's. */
    @Test
    void aSmallChangeThatStaysIsSeenSlowlySeed7() {
        judge(0, 4 * DAY, series::next);
        List<Optional<Judgement>> judged = judge(4 * DAY, 4 * DAY + 240, minute -> 1.1 * series.next(minute));

        assertThat(alarms(judged)).isEmpty();
        List<Integer> suspect = where(judged, one -> one.state() == State.SUSPECT);
        assertThat(suspect).hasSizeGreaterThan(20);
        assertThat(judged.get(suspect.get(10))
                        .orElseThrow()
                        .evidence()
                        .orElseThrow()
                        .sense())
                .isEqualTo(Sense.SLOW);
    }

    @Test
    void aFlatLineToleratesItsLastDigit() {
        judge(0, 3 * DAY, minute -> 5);
        List<Optional<Judgement>> judged = judge(3 * DAY, 4 * DAY, minute -> minute % 7 == 0 ? 5.001 : 5);
        assertThat(states(judged)).containsExactly(State.OK);

        assertThat(alarms(judge(4 * DAY, 4 * DAY + 10, minute -> 6))).hasSize(1);
    }

    @Test
    void tooLittleDataIsLearningAndNothingElseSeed7() {
        List<Optional<Judgement>> judged = judge(0, 600, series::next);
        judged.addAll(judge(600, 700, minute -> 30 * series.next(minute)));
        assertThat(states(judged)).containsExactly(State.LEARNING);
    }

    /** Twenty requests tell nothing of a P99: they are neither judged nor learned, nor is the series stale. */
    @Test
    void windowsWithFewValuesAreNotJudgedSeed7() {
        judge(0, 3 * DAY, series::next);
        for (int minute = 3 * DAY; minute < 3 * DAY + 60; minute++) {
            assertThat(detector.observe(endMicros(minute), 30, 29)).isEmpty();
            assertThat(detector.silence(endMicros(minute) + MINUTE_MICROS)).isEmpty();
        }
        assertThat(alarms(judge(3 * DAY + 60, 3 * DAY + 120, series::next))).isEmpty();
    }

    @Test
    void valuesThatTheScaleCannotHoldAreNotJudged() {
        assertThat(detector.observe(endMicros(0), 0, PLENTY)).isEmpty();
        assertThat(detector.observe(endMicros(1), Double.NaN, PLENTY)).isEmpty();
        assertThat(detector.observe(endMicros(2), 1, PLENTY)).isPresent();
    }

    @Test
    void missingDataIsStaleAndNeverALowValueSeed7() {
        assertThat(detector.silence(endMicros(0))).isEmpty();
        judge(0, 3 * DAY, series::next);
        long lastMicros = endMicros(3 * DAY - 1);

        assertThat(detector.silence(lastMicros + 3 * MINUTE_MICROS)).isEmpty();
        Judgement silence = detector.silence(lastMicros + 3 * MINUTE_MICROS + 1).orElseThrow();
        assertThat(silence.state()).isEqualTo(State.STALE);
        assertThat(silence.evidence()).isEmpty();
        assertThat(silence.alarm()).isFalse();

        List<Optional<Judgement>> judged = judge(3 * DAY + 300, 4 * DAY, series::next);
        assertThat(alarms(judged)).isEmpty();
        assertThat(states(judged)).doesNotContain(State.STALE, State.ANOMALOUS);
    }

    @Test
    void windowsComeInOrder() {
        detector.observe(endMicros(1), 1, PLENTY);
        assertThatThrownBy(() -> detector.observe(endMicros(1), 1, PLENTY))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(detector.lastEndMicros()).isEqualTo(endMicros(1));
    }

    private List<Optional<Judgement>> judge(int from, int to, IntToDoubleFunction values) {
        List<Optional<Judgement>> judged = new ArrayList<>();
        for (int minute = from; minute < to; minute++) {
            judged.add(detector.observe(endMicros(minute), values.applyAsDouble(minute), PLENTY));
        }
        return judged;
    }

    private static List<Integer> alarms(List<Optional<Judgement>> judged) {
        return where(judged, Judgement::alarm);
    }

    private static List<Integer> where(List<Optional<Judgement>> judged, Predicate<Judgement> what) {
        return IntStream.range(0, judged.size())
                .filter(i -> judged.get(i).filter(what).isPresent())
                .boxed()
                .toList();
    }

    private static State state(Optional<Judgement> judged) {
        return judged.orElseThrow().state();
    }

    private static EnumSet<State> states(List<Optional<Judgement>> judged) {
        EnumSet<State> states = EnumSet.noneOf(State.class);
        judged.forEach(one -> states.add(state(one)));
        return states;
    }
}
