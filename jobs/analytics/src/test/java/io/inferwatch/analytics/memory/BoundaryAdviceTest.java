package io.inferwatch.analytics.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.quantile.QuantileSketch;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BoundaryAdviceTest {
    private static final Boundaries POWERS = new Boundaries(List.of(2_048L, 4_096L, 8_192L, 16_384L));

    private static QuantileSketch day(int seed) {
        return TailWasteTest.sketch(OptimalBoundariesTest.lognormal(3_000, new SplittableRandom(seed)));
    }

    private static List<QuantileSketch> days(int count) {
        List<QuantileSketch> days = new ArrayList<>();
        for (int seed = 1; seed <= count; seed++) {
            days.add(day(seed));
        }
        return days;
    }

    private static BoundaryAdvice advice(List<QuantileSketch> days, Boundaries current) {
        return BoundaryAdvice.of(days, current, 4).orElseThrow();
    }

    @Test
    void boundariesThatSaveOnEachDayAreRecommendedSeeds1To3() {
        BoundaryAdvice advice = advice(days(3), POWERS);
        assertThat(advice.isRecommended()).isTrue();
        assertThat(advice.windows()).isEqualTo(3);
        assertThat(advice.optimal().sizes()).hasSize(4).endsWith(16_384L);
        assertThat(advice.saving()).isGreaterThan(0.5);
        assertThat(advice.leastSaving().orElseThrow()).isBetween(0.5, advice.saving() + 0.05);
        assertThat(advice.optimalShare().value())
                .isLessThan(advice.geometricShare().value())
                .isLessThan(advice.uniformShare().value());
        double ofBody =
                advice.optimalShare().value() / (1 - advice.optimalShare().value());
        double ofCurrent =
                advice.currentShare().value() / (1 - advice.currentShare().value());
        assertThat(advice.saving()).isCloseTo(1 - ofBody / ofCurrent, within(1e-9));
    }

    @Test
    void twoDaysAreTooFewSeeds1And2() {
        BoundaryAdvice advice = advice(days(2), POWERS);
        assertThat(advice.windows()).isEqualTo(2);
        assertThat(advice.leastSaving().orElseThrow()).isGreaterThan(0.5);
        assertThat(advice.isRecommended()).isFalse();
    }

    @Test
    void boundariesThatAreNearlyTheBestStaySeeds1To5() {
        Boundaries best = advice(days(5), POWERS).optimal();
        BoundaryAdvice advice = advice(days(3), best);
        assertThat(advice.saving()).isBetween(-0.01, 0.02);
        assertThat(advice.isRecommended()).isFalse();
    }

    /** Three days of chat and one of long documents: what was found from the former does nothing for the latter, whatever all say together. */
    @Test
    void oneDayThatIsUnlikeTheOthersHoldsTheAdviceBackSeeds1To3() {
        List<QuantileSketch> days = days(3);
        QuantileSketch documents = new QuantileSketch();
        SplittableRandom random = new SplittableRandom(9);
        for (int i = 0; i < 1_100; i++) {
            documents.add(random.nextLong(3_600, 4_096));
        }
        days.add(documents);
        BoundaryAdvice advice = advice(days, POWERS);
        assertThat(advice.windows()).isEqualTo(4);
        assertThat(advice.saving()).isGreaterThan(BoundaryAdvice.MIN_SAVING);
        assertThat(advice.leastSaving().orElseThrow()).isLessThan(BoundaryAdvice.MIN_SAVING);
        assertThat(advice.isRecommended()).isFalse();
    }

    @Test
    void quietDaysAreNotTriedOnSeeds1To3() {
        List<QuantileSketch> days = days(3);
        QuantileSketch quiet = new QuantileSketch();
        quiet.add(2_047, BoundaryAdvice.MIN_LENGTHS - 1L);
        days.add(quiet);
        assertThat(advice(days, POWERS).windows()).isEqualTo(3);
    }

    /** One length in two hundred is enormous. Found from all lengths half of the boundaries move to the tail; the advice stays as it was. */
    @Test
    void theTailDoesNotDominateSeeds1To3() {
        Boundaries wide = new Boundaries(List.of(2_048L, 4_096L, 8_192L, 1_000_000L));
        BoundaryAdvice without = advice(days(3), wide);
        List<QuantileSketch> days = days(3);
        QuantileSketch all = new QuantileSketch();
        for (QuantileSketch day : days) {
            for (int i = 0; i < 15; i++) {
                day.add(300_000 + 45_000 * i);
            }
            all.merge(day);
        }
        assertThat(OptimalBoundaries.of(LengthHistogram.of(all), 4).sizes().get(2))
                .isGreaterThan(250_000);
        BoundaryAdvice with = advice(days, wide);
        assertThat(with.isRecommended()).isTrue();
        assertThat(with.saving()).isCloseTo(without.saving(), within(0.05));
        for (int i = 0; i < 4; i++) {
            double ratio = (double) with.optimal().sizes().get(i)
                    / without.optimal().sizes().get(i);
            assertThat(ratio).as("boundary %d", i).isBetween(0.8, 1.25);
        }
    }

    @Test
    void withoutLengthsThereIsNoAdvice() {
        assertThat(BoundaryAdvice.of(List.of(new QuantileSketch()), POWERS, 4)).isEmpty();
        assertThat(BoundaryAdvice.of(List.of(), POWERS, 4)).isEmpty();
        assertThat(advice(days(1), POWERS).leastSaving()).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BoundaryAdvice.of(List.of(), POWERS, 1))
                .withMessage("count: must be at least 2, found 1");
    }
}
