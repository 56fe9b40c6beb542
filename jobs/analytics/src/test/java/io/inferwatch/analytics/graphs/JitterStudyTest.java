package io.inferwatch.analytics.graphs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.graphs.JitterStudy.Insufficient;
import io.inferwatch.analytics.graphs.JitterStudy.Observed;
import io.inferwatch.analytics.graphs.Placebo.Result;
import io.inferwatch.analytics.panel.Contrast;
import io.inferwatch.analytics.shape.Estimate;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class JitterStudyTest {
    private static final List<List<CaptureWindow>> CAUSE = World.CAUSE.replicas(40, 120, new SplittableRandom(21));

    @Test
    void jitterThatCausesIsFoundWithItsRatioLagAndWaySeed21() {
        Observed study = (Observed) JitterStudy.observed(CAUSE);
        assertThat(study.wording()).isEqualTo(Wording.PLACEBO_PASSED);
        assertThat(study.replicas()).isEqualTo(40);
        assertHolds(study.ratio(), World.CAUSE.ratio());
        assertThat(study.ratio().low()).isGreaterThan(1);
        assertHolds(study.lags().get(0), World.CAUSE.ratio());
        assertHolds(study.lags().get(1), 1);
        assertThat(study.stratified().orElseThrow().low()).isGreaterThan(1);
        assertThat(study.forwardP()).isLessThan(0.001);
        assertThat(study.reverseP()).isGreaterThan(0.05);
        assertThat(study.placebo().result()).isEqualTo(Result.PASSED);
        Mediation mediation = study.mediation().orElseThrow();
        assertThat(mediation.isShown()).isTrue();
        assertHolds(mediation.direct(), 1);
        assertThat(study.eValue()).isGreaterThan(1);
        long failures = CAUSE.stream()
                .flatMap(replica -> replica.stream().skip(2))
                .mapToLong(window -> window.lazy().failures())
                .sum();
        assertThat(study.failures()).isEqualTo(failures);
    }

    /** A window that is missing takes three with it: itself, and two for which it is one of the windows before. */
    @Test
    void noLagReachesAcrossAGap() {
        List<List<CaptureWindow>> gapped = CAUSE.stream()
                .map(replica ->
                        replica.stream().filter(window -> window.number() != 60).toList())
                .toList();
        long failures = CAUSE.stream()
                .flatMap(replica -> replica.stream().skip(2))
                .filter(window -> window.number() < 60 || window.number() > 62)
                .mapToLong(window -> window.lazy().failures())
                .sum();
        assertThat(JitterStudy.observed(gapped).failures()).isEqualTo(failures);
    }

    @Test
    void freeMemoryThatNeverChangesIsLeftOut() {
        List<List<CaptureWindow>> constant = with(window -> new CaptureWindow(
                window.number(),
                window.stratum(),
                window.jitter(),
                window.newShapes(),
                0.1,
                window.load(),
                window.lazy()));
        Observed study = (Observed) JitterStudy.observed(constant);
        assertHolds(study.ratio(), World.CAUSE.ratio());
        assertThat(study.wording()).isEqualTo(Wording.PLACEBO_PASSED);
    }

    @Test
    void shapesThatNeverChangeMediateNothing() {
        List<List<CaptureWindow>> constant = with(window -> new CaptureWindow(
                window.number(),
                window.stratum(),
                window.jitter(),
                3,
                window.freeShare(),
                window.load(),
                window.lazy()));
        assertThat(((Observed) JitterStudy.observed(constant)).mediation()).isEmpty();
    }

    @Test
    void fewReplicasFewFailuresAndNoJitterAreInsufficient() {
        assertThat(JitterStudy.observed(CAUSE.subList(0, 9)).wording()).isEqualTo(Wording.INSUFFICIENT);
        assertThat(JitterStudy.observed(List.of())).isEqualTo(new Insufficient(0, 0));
        List<List<CaptureWindow>> seldom = with(window -> new CaptureWindow(
                window.number(),
                window.stratum(),
                window.jitter(),
                window.newShapes(),
                window.freeShare(),
                window.load(),
                new CaptureCounts(5, window.number() == 7 ? 1 : 0)));
        assertThat(JitterStudy.observed(seldom.subList(0, 19))).isEqualTo(new Insufficient(19, 19));
        List<List<CaptureWindow>> even = with(window -> new CaptureWindow(
                window.number(),
                window.stratum(),
                0.5,
                window.newShapes(),
                window.freeShare(),
                window.load(),
                window.lazy()));
        assertThat(JitterStudy.observed(even).wording()).isEqualTo(Wording.INSUFFICIENT);
    }

    @Test
    void nothingObservedIsEverCalledACause() {
        Observed study = (Observed) JitterStudy.observed(CAUSE);
        assertThatThrownBy(() -> new Observed(
                        Wording.CAUSE,
                        study.failures(),
                        study.replicas(),
                        study.ratio(),
                        study.lags(),
                        study.stratified(),
                        study.forwardP(),
                        study.reverseP(),
                        study.placebo(),
                        study.mediation()))
                .hasMessage("wording: must be below CAUSE where nothing was randomised");
    }

    /** A ratio of 3.9 with limits from 1.8 needs 3.0 for its limit, as VanderWeele and Ding publish of smoking mothers' children. */
    @Test
    void theEValueIsThePublishedOne() {
        assertThat(observed(new Estimate(3.9, 1.8, 8.7)).eValue()).isCloseTo(3.0, within(0.005));
        assertThat(observed(new Estimate(1 / 3.9, 1 / 8.7, 1 / 1.8)).eValue()).isCloseTo(3.0, within(0.005));
        assertThat(observed(new Estimate(1.2, 0.9, 1.6)).eValue()).isEqualTo(1);
    }

    /** Two clusters have one degree of freedom, for which t at 95 % is 12.706; influences a and -a have the standard error a: limits at 0.127. */
    @Test
    void aPlaceboPassesOnlyWhereSurelyMoreComesBefore() {
        assertThat(placebo(0.1, 0.2, 1)).isEqualTo(Result.PASSED);
        assertThat(placebo(-0.1, 0.13, 1)).isEqualTo(Result.PASSED);
        assertThat(placebo(0.1, 0.12, 1)).isEqualTo(Result.INCONCLUSIVE);
        assertThat(placebo(0.1, 0.2, -1)).isEqualTo(Result.INCONCLUSIVE);
        assertThat(placebo(0.1, -0.2, -1)).isEqualTo(Result.PASSED);
        assertThat(placebo(0.13, 0.9, 1)).isEqualTo(Result.FAILED);
        assertThat(placebo(-0.13, 0.9, 1)).isEqualTo(Result.FAILED);
        Placebo placebo = Placebo.of(lead(0), lead(0.2), 1);
        assertThat(placebo.after().high()).isCloseTo(Math.exp(0.12706), within(1e-4));
        assertThat(placebo.beforeToAfter().value()).isCloseTo(Math.exp(0.2), within(1e-12));
    }

    @Test
    void wordsAreFixed() {
        assertThat(Arrays.stream(Wording.values()).map(Wording::text))
                .containsExactly(
                        "insufficient",
                        "no_association",
                        "association",
                        "temporal_order_supported",
                        "placebo_passed",
                        "cause");
    }

    private static Result placebo(double after, double difference, double effect) {
        return Placebo.of(lead(after), lead(difference), effect).result();
    }

    private static Contrast lead(double value) {
        return new Contrast(value, new double[] {0.01, -0.01}, 2);
    }

    private static Observed observed(Estimate ratio) {
        Placebo placebo = new Placebo(new Estimate(1, 0.9, 1.1), new Estimate(1.2, 1.1, 1.3), Result.PASSED);
        return new Observed(
                Wording.ASSOCIATION, 20, 10, ratio, List.of(), Optional.empty(), 1, 1, placebo, Optional.empty());
    }

    private static List<List<CaptureWindow>> with(UnaryOperator<CaptureWindow> change) {
        return CAUSE.stream()
                .map(replica -> replica.stream().map(change).toList())
                .toList();
    }

    private static void assertHolds(Estimate estimate, double truth) {
        assertThat(truth).isBetween(estimate.low(), estimate.high());
    }
}
