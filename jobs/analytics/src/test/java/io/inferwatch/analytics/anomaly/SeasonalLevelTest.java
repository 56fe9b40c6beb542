package io.inferwatch.analytics.anomaly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.anomaly.SeasonalLevel.Expectation;
import java.util.Optional;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

/** What is expected, with values whose medians are known. Hours count from a Monday, 00:00 UTC. */
class SeasonalLevelTest {
    private static final long MINUTE_MICROS = SimulatedSeries.MINUTE_MICROS;
    private static final int DAY = 24;

    private final SeasonalLevel level = new SeasonalLevel(AnomalyRule.STANDARD.level());

    /** Within an hour values are its base and -2, -1, 0, 1, 2 in turn: median the base, median deviation 1. */
    private void hours(int from, int to, IntToDoubleFunction base) {
        for (int hour = from; hour < to; hour++) {
            for (int minute = 0; minute < 60; minute++) {
                level.learn(micros(hour, minute), base.applyAsDouble(hour) + minute % 5 - 2, Optional.empty(), false);
            }
        }
    }

    private static long micros(int hour, int minute) {
        return SimulatedSeries.MONDAY_MICROS + (hour * 60L + minute) * MINUTE_MICROS;
    }

    @Test
    void aDayIsLearnedFirst() {
        hours(0, DAY, hour -> 10);
        assertThat(level.expect(micros(DAY, 30))).isEmpty();
        hours(DAY, DAY + 1, hour -> 10);
        Expectation expected = level.expect(micros(DAY, 30)).orElseThrow();
        assertThat(expected.centre()).isCloseTo(10, within(1e-6));
        assertThat(expected.spread()).isCloseTo(1.4826, within(1e-6));
    }

    @Test
    void betweenTheMiddlesOfHoursItIsInterpolated() {
        hours(0, DAY + 1, hour -> hour % DAY == 7 ? 20 : 10);
        assertThat(centre(DAY + 7, 30)).isCloseTo(20, within(1e-6));
        assertThat(centre(DAY + 7, 0)).isCloseTo(15, within(1e-6));
        assertThat(centre(DAY + 7, 45)).isCloseTo(17.5, within(1e-6));
        assertThat(centre(DAY + 8, 30)).isCloseTo(10, within(1e-6));
    }

    /** Of the first weekend nothing is known from working days. */
    @Test
    void aWeekendIsNoWorkingDay() {
        hours(0, 5 * DAY, hour -> 10);
        assertThat(level.expect(micros(4 * DAY + 5, 30))).isPresent();
        assertThat(level.expect(micros(5 * DAY + 5, 30))).isEmpty();
        hours(5 * DAY, 6 * DAY, hour -> 4);
        hours(6 * DAY, 6 * DAY + 1, hour -> 4);
        assertThat(centre(6 * DAY + 5, 30)).isCloseTo(4, within(1e-6));
        hours(6 * DAY + 1, 7 * DAY + 1, hour -> 4);
        assertThat(centre(7 * DAY + 5, 30)).isCloseTo(10, within(1e-6));
    }

    /** From the second week on a Tuesday that differs from other days speaks for itself. */
    @Test
    void anHourOfTheWeekThatWasSeenTwiceSpeaksForItself() {
        IntToDoubleFunction busyTuesday = hour -> hour / DAY % 7 == 1 ? 30 : 10;
        hours(0, 8 * DAY + 1, busyTuesday);
        assertThat(centre(8 * DAY + 5, 30)).isCloseTo(10, within(1e-6));
        hours(8 * DAY + 1, 15 * DAY + 1, busyTuesday);
        assertThat(centre(15 * DAY + 5, 30)).isCloseTo(30, within(1e-6));
    }

    @Test
    void aTaintedHourIsForgotten() {
        hours(0, DAY, hour -> 10);
        for (int minute = 0; minute < 60; minute++) {
            level.learn(micros(DAY + 3, minute), 50, Optional.empty(), minute == 59);
        }
        hours(DAY + 4, DAY + 5, hour -> 10);
        assertThat(centre(2 * DAY + 3, 30)).isCloseTo(10, within(1e-6));
    }

    /** Cells that have seen two weeks move by three spreads of theirs, 4.4478, times a third of the share. */
    @Test
    void oneHourMovesWhatIsExpectedByAFewSpreads() {
        hours(0, 14 * DAY, hour -> 10);
        hours(14 * DAY, 14 * DAY + 1, hour -> 1_000);
        hours(14 * DAY + 1, 21 * DAY + 1, hour -> 10);
        assertThat(centre(21 * DAY, 30)).isBetween(10.0, 10 + 4.4478 / 3 + 1e-5);
    }

    @Test
    void anAcceptedChangeHoldsAtEveryHour() {
        hours(0, 2 * DAY, hour -> hour % DAY);
        level.accept(100);
        assertThat(centre(2 * DAY + 5, 30)).isCloseTo(105, within(1e-6));
        hours(2 * DAY, 3 * DAY, hour -> 100 + hour % DAY);
        assertThat(centre(3 * DAY + 17, 30)).isCloseTo(117, within(1e-6));
    }

    private double centre(int hour, int minute) {
        return level.expect(micros(hour, minute)).orElseThrow().centre();
    }
}
