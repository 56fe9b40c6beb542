package io.inferwatch.analytics.slo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.analytics.slo.BudgetPeriod.Calendar;
import io.inferwatch.analytics.slo.BudgetPeriod.Rolling;
import io.inferwatch.analytics.slo.BurnCondition.Tier;
import io.inferwatch.analytics.slo.Counting.Occurrences;
import io.inferwatch.analytics.slo.Counting.Timeslices;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class ObjectiveTest {
    private static final Offset<Double> ROUNDING = Offset.offset(1e-9);

    @Test
    void theUsualConditionsAreThePublishedOnes() {
        List<BurnCondition> month = BurnCondition.standard(Duration.ofDays(30));
        assertThat(month)
                .extracting(BurnCondition::name)
                .containsExactly("page-1h", "page-6h", "ticket-1d", "ticket-3d", "spent");
        double[] factors = {14.4, 6, 3, 1, 1};
        for (int i = 0; i < 5; i++) {
            assertThat(month.get(i).factor()).isCloseTo(factors[i], ROUNDING);
        }
        assertThat(month)
                .extracting(BurnCondition::shortWindow)
                .containsExactly(
                        Duration.ofMinutes(5),
                        Duration.ofMinutes(30),
                        Duration.ofHours(2),
                        Duration.ofHours(6),
                        Duration.ofDays(3));
        assertThat(month)
                .extracting(BurnCondition::tier)
                .containsExactly(Tier.PAGE, Tier.PAGE, Tier.TICKET, Tier.TICKET, Tier.TICKET);
        // 2 % of a week in an hour are 3.36 times its pace; 10 % in a day are less than its pace.
        List<BurnCondition> week = BurnCondition.standard(Duration.ofDays(7));
        assertThat(week).extracting(BurnCondition::name).containsExactly("page-1h", "page-6h", "spent");
        assertThat(week.get(0).factor()).isCloseTo(3.36, ROUNDING);
    }

    /** At 90 % a total outage burns ten times as fast as the budget allows: 14.4 times is never reached. */
    @Test
    void aConditionThatCanNeverFireIsRefused() {
        assertThatThrownBy(() -> objective(0.9, BurnCondition.standard(Duration.ofDays(30))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("condition page-1h: must be below 10.0")
                .hasMessageContaining("times, which is how fast a total outage burns, found 14.4");
        assertThat(objective(0.94, BurnCondition.standard(Duration.ofDays(30))).budget())
                .isCloseTo(0.06, ROUNDING);
    }

    @Test
    void nonsenseIsRefused() {
        BurnCondition once = condition(Duration.ofHours(1), Duration.ofMinutes(5));
        assertThatThrownBy(() -> objective(1, List.of())).hasMessage("target: must be from 0 and below 1, found 1.0");
        assertThatThrownBy(() -> objective(0.9, List.of(once, once)))
                .hasMessage("conditions: must have different names, found 'one' twice");
        assertThatThrownBy(() -> objective(0.9, List.of(condition(Duration.ofDays(5), Duration.ofHours(1)))))
                .hasMessage("condition one: window must be at most PT96H or the period, found PT120H");
        assertThatThrownBy(() -> condition(Duration.ofHours(1), Duration.ofSeconds(30)))
                .hasMessage("shortWindow: must be from a minute to PT1H, found PT30S");
        assertThatThrownBy(() -> condition(Duration.ofHours(1), Duration.ofHours(2)))
                .hasMessage("shortWindow: must be from a minute to PT1H, found PT2H");
        assertThatThrownBy(() -> new Timeslices(Duration.ofMinutes(7), 0.9, 0))
                .hasMessage("slice: must be whole minutes of which an hour has a whole number, found PT7M");
        assertThatThrownBy(() -> new Timeslices(Duration.ofMinutes(5), 0, 0))
                .hasMessage("target: must be above 0 and at most 1, found 0.0");
        assertThatThrownBy(() -> new Occurrences(-1))
                .hasMessage("leastPerSecond: must be at least 0 and finite, found -1.0");
        assertThatThrownBy(() -> new Rolling(Duration.ofDays(100)))
                .hasMessage("length: must be from a day to a quarter, found PT2400H");
        assertThatThrownBy(() -> new Calendar(LocalDateTime.of(2024, 1, 1, 0, 0), ZoneOffset.UTC, 1, ChronoUnit.HOURS))
                .hasMessage("unit: must be days or months, found Hours");
    }

    /** Months begin at midnight in Berlin, an hour earlier by UTC in summer than in winter; those of the 31st at the last day. */
    @Test
    void calendarPeriodsFollowTheirZone() {
        Calendar months =
                new Calendar(LocalDateTime.of(2024, 1, 1, 0, 0), ZoneId.of("Europe/Berlin"), 1, ChronoUnit.MONTHS);
        assertThat(months.startMicros(utc(2026, 7, 15, 12))).isEqualTo(utc(2026, 6, 30, 22));
        assertThat(months.endMicros(utc(2026, 7, 15, 12))).isEqualTo(utc(2026, 7, 31, 22));
        assertThat(months.startMicros(utc(2026, 3, 31, 21))).isEqualTo(utc(2026, 2, 28, 23));
        assertThat(months.startMicros(utc(2026, 3, 31, 22))).isEqualTo(utc(2026, 3, 31, 22));
        assertThat(months.startMicros(utc(2023, 12, 5, 0))).isEqualTo(utc(2023, 11, 30, 23));
        Calendar lastDays = new Calendar(LocalDateTime.of(2024, 1, 31, 0, 0), ZoneOffset.UTC, 1, ChronoUnit.MONTHS);
        assertThat(lastDays.startMicros(utc(2026, 3, 1, 0))).isEqualTo(utc(2026, 2, 28, 0));
        assertThat(lastDays.endMicros(utc(2026, 3, 1, 0))).isEqualTo(utc(2026, 3, 31, 0));
        Calendar weeks = new Calendar(LocalDateTime.of(2024, 1, 1, 0, 0), ZoneOffset.UTC, 7, ChronoUnit.DAYS);
        assertThat(weeks.startMicros(utc(2026, 1, 4, 23))).isEqualTo(utc(2025, 12, 29, 0));
        assertThat(weeks.endMicros(utc(2026, 1, 4, 23))).isEqualTo(utc(2026, 1, 5, 0));
    }

    private static Objective objective(double target, List<BurnCondition> conditions) {
        return new Objective(target, Occurrences.ALL, new Rolling(Duration.ofDays(30)), conditions);
    }

    private static BurnCondition condition(Duration longWindow, Duration shortWindow) {
        return new BurnCondition("one", Tier.PAGE, 2, longWindow, shortWindow, Duration.ZERO);
    }

    private static long utc(int year, int month, int day, int hour) {
        return LocalDateTime.of(year, month, day, hour, 0).toEpochSecond(ZoneOffset.UTC) * 1_000_000;
    }
}
