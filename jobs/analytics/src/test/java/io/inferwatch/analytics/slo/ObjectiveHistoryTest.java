package io.inferwatch.analytics.slo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.slo.BudgetPeriod.Calendar;
import io.inferwatch.analytics.slo.BudgetPeriod.Rolling;
import io.inferwatch.analytics.slo.Counting.Occurrences;
import io.inferwatch.analytics.slo.Counting.Timeslices;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ObjectiveHistoryTest {
    private static final long MINUTE = SimulatedService.MINUTE;
    private static final Duration MONTH = Duration.ofDays(30);
    private static final Rolling ROLLING = new Rolling(MONTH);

    private static Objective objective(Counting counting) {
        return new Objective(0.99, counting, ROLLING, BurnCondition.standard(MONTH));
    }

    /** Traffic comes and goes, fails at times, is silent at times, and minutes are told late, twice and out of order. */
    @Test
    void aHistoryFromItsBytesSaysTheSameSeed3() {
        SplittableRandom random = new SplittableRandom(3);
        for (Counting counting :
                List.of(Occurrences.ALL, new Occurrences(5), new Timeslices(Duration.ofMinutes(5), 0.95, 0))) {
            ObjectiveHistory kept = new ObjectiveHistory(objective(counting));
            byte[] bytes = kept.toBytes();
            int breaches = 0;
            for (int i = 1; i < 1_500; i++) {
                ObjectiveHistory decoded = ObjectiveHistory.ofBytes(objective(counting), bytes);
                long now = SimulatedService.START + i * MINUTE;
                if (i % 500 < 480) {
                    int total = random.nextInt(600);
                    int bad = i % 400 < 40 ? total : random.nextInt(1 + total / 80);
                    long at = random.nextInt(20) == 0 ? now - random.nextInt(20) * MINUTE : now;
                    assertThat(decoded.observe(at, new Tally(total - bad, total)))
                            .isEqualTo(kept.observe(at, new Tally(total - bad, total)));
                }
                ObjectiveStatus expected = kept.evaluate(now);
                assertThat(decoded.evaluate(now)).isEqualTo(expected);
                bytes = decoded.toBytes();
                if (i % 10 == 0) {
                    assertThat(bytes).isEqualTo(kept.toBytes());
                }
                breaches += expected.state() == SloState.BREACH ? 1 : 0;
            }
            assertThat(breaches).isBetween(50, 1_450);
        }
    }

    /** Each minute's last word, in order, into an empty history: what a lost state is made of again. */
    @Test
    void aBudgetRebuiltFromWindowsIsTheKeptOneSeed4() {
        for (Counting counting : List.of(new Occurrences(3), new Timeslices(Duration.ofMinutes(3), 0.97, 0))) {
            SplittableRandom random = new SplittableRandom(4);
            ObjectiveHistory kept = new ObjectiveHistory(objective(counting));
            TreeMap<Long, Tally> windows = new TreeMap<>();
            long end = SimulatedService.START;
            for (int i = 0; i < 35 * 1_440; i++) {
                end += MINUTE;
                if (i % 3_000 <= 2_990) {
                    int total = random.nextInt(400);
                    Tally whole = new Tally(total - random.nextInt(1 + total / 60), total);
                    windows.put(end, whole);
                    // Of some a part first, and all of them a few minutes later.
                    boolean isLate = random.nextInt(30) == 0;
                    kept.observe(end, isLate ? new Tally(whole.good() / 2, whole.total() / 2) : whole);
                }
                Tally late = windows.get(end - 7 * MINUTE);
                if (late != null) {
                    kept.observe(end - 7 * MINUTE, late);
                }
            }
            windows.tailMap(end - 7 * MINUTE, false).forEach(kept::observe);
            ObjectiveHistory rebuilt = new ObjectiveHistory(objective(counting));
            windows.tailMap(end - MONTH.toNanos() / 1_000, false).forEach(rebuilt::observe);
            ObjectiveStatus expected = kept.evaluate(end);
            ObjectiveStatus found = rebuilt.evaluate(end);
            assertThat(found.counted()).isEqualTo(expected.counted());
            assertThat(found.budgetLeft().orElseThrow())
                    .isCloseTo(expected.budgetLeft().orElseThrow(), within(1e-12));
            for (int i = 0; i < found.conditions().size(); i++) {
                assertThat(found.conditions().get(i).longBurn())
                        .isEqualTo(expected.conditions().get(i).longBurn());
                assertThat(found.conditions().get(i).shortBurn())
                        .isEqualTo(expected.conditions().get(i).shortBurn());
            }
            // And what the minutes themselves say.
            assertThat(found.counted()).isEqualTo(counted(windows, counting, end - MONTH.toNanos() / 1_000));
        }
    }

    private static Tally counted(NavigableMap<Long, Tally> windows, Counting counting, long fromMicros) {
        long slice = counting.slice().toMinutes() * MINUTE;
        long good = 0;
        long total = 0;
        for (long start = fromMicros; start < windows.lastKey(); start += slice) {
            long all = 0;
            long fine = 0;
            for (Tally minute :
                    windows.subMap(start, false, start + slice, true).values()) {
                all += minute.total();
                fine += minute.good();
            }
            if (counting instanceof Timeslices) {
                total += all > 0 ? 1 : 0;
                good += all > 0 && fine >= 0.97 * all ? 1 : 0;
            } else if (all >= 180) {
                total += all;
                good += fine;
            }
        }
        return new Tally(good, total);
    }

    @Test
    void itsBytesAreFew() {
        SimulatedService service = new SimulatedService(objective(Occurrences.ALL));
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 40 * 1_440; i++) {
            service.nowMicros += MINUTE;
            service.history.observe(service.nowMicros, new Tally(600 - random.nextInt(12), 600));
        }
        assertThat(service.history.toBytes().length).isBetween(5_000, 16_000);
    }

    @Test
    void aMinuteToldAgainWithMoreCountsByTheDifference() {
        ObjectiveHistory history = new ObjectiveHistory(objective(Occurrences.ALL));
        long end = SimulatedService.START + MINUTE;
        assertThat(history.observe(end, new Tally(90, 100))).isTrue();
        assertThat(history.observe(end, new Tally(100, 120))).isTrue();
        assertThat(history.observe(end, new Tally(50, 60))).isTrue();
        assertThat(history.evaluate(end).counted()).isEqualTo(new Tally(100, 120));
        history.observe(end + 14 * MINUTE, new Tally(1, 1));
        assertThat(history.observe(end, new Tally(110, 130))).isTrue();
        history.observe(end + 15 * MINUTE, new Tally(1, 1));
        assertThat(history.observe(end, new Tally(120, 140))).isFalse();
        assertThat(history.evaluate(end + 15 * MINUTE).counted()).isEqualTo(new Tally(112, 132));
    }

    @Test
    void timeslicesCountWhenTheyAreWholeAndAreCorrected() {
        ObjectiveHistory history = new ObjectiveHistory(objective(new Timeslices(Duration.ofMinutes(5), 0.9, 0)));
        long start = SimulatedService.START;
        for (int minute = 1; minute <= 4; minute++) {
            history.observe(start + minute * MINUTE, new Tally(80, 100));
            assertThat(history.evaluate(start + minute * MINUTE).counted()).isEqualTo(Tally.NONE);
        }
        history.observe(start + 5 * MINUTE, new Tally(80, 100));
        assertThat(history.evaluate(start + 5 * MINUTE).counted()).isEqualTo(new Tally(0, 1));
        // 420 of 500 become 920 of 1,000.
        history.observe(start + 2 * MINUTE, new Tally(600, 600));
        assertThat(history.evaluate(start + 5 * MINUTE).counted()).isEqualTo(new Tally(1, 1));
        // A slice without requests is none.
        history.observe(start + 10 * MINUTE, Tally.NONE);
        assertThat(history.evaluate(start + 10 * MINUTE).counted()).isEqualTo(new Tally(1, 1));
    }

    /** "At most 200 ms while there are 800 requests a second": minutes of 48,000 and more. */
    @Test
    void belowItsLoadAnObjectiveDoesNotCount() {
        SimulatedService service = new SimulatedService(objective(new Occurrences(800)));
        service.run(Duration.ofMinutes(30), new Tally(0, 47_999));
        assertThat(service.status.counted()).isEqualTo(Tally.NONE);
        assertThat(service.status.attained()).isEmpty();
        assertThat(service.status.state()).isEqualTo(SloState.OK);
        service.minute(new Tally(47_000, 48_000));
        assertThat(service.status.counted()).isEqualTo(new Tally(47_000, 48_000));
        assertThat(service.status.attained()).hasValue(47_000 / 48_000.0);
    }

    /** Thirty clean days, then ten times the budget for an hour: 10 / 720 spent, and the rest lasts 71 hours. */
    @Test
    void whatIsLeftAndHowLongItLasts() {
        SimulatedService service = new SimulatedService(objective(Occurrences.ALL));
        for (int i = 0; i < 30 * 1_440; i++) {
            service.nowMicros += MINUTE;
            service.history.observe(service.nowMicros, new Tally(1_000, 1_000));
        }
        assertThat(service.history.evaluate(service.nowMicros).budgetLeft()).hasValue(1);
        assertThat(service.history.evaluate(service.nowMicros).exhaustedInMicros())
                .isEmpty();
        service.run(Duration.ofHours(1), new Tally(900, 1_000));
        assertThat(service.status.budgetLeft().orElseThrow()).isCloseTo(1 - 10 / 720.0, within(1e-9));
        assertThat(service.status.burn().orElseThrow()).isCloseTo(10, within(1e-9));
        assertThat(service.status.exhaustedInMicros().orElseThrow() / 60.0 / MINUTE)
                .isCloseTo(71, within(1e-6));
        // Half the budget's pace lasts longer than the period, in which old errors leave.
        service.run(Duration.ofHours(1), new Tally(995, 1_000));
        assertThat(service.status.exhaustedInMicros()).isEmpty();
        service.run(Duration.ofHours(8), new Tally(0, 1_000));
        assertThat(service.status.budgetLeft().orElseThrow()).isNegative();
        assertThat(service.status.exhaustedInMicros()).hasValue(0);
    }

    /** Five per cent bad until the first of the month, then none: the new month has all of its budget. */
    @Test
    void aCalendarPeriodHasABudgetOfItsOwn() {
        Calendar months = new Calendar(LocalDateTime.of(2024, 1, 1, 0, 0), ZoneOffset.UTC, 1, ChronoUnit.MONTHS);
        SimulatedService service = new SimulatedService(
                new Objective(0.99, Occurrences.ALL, months, BurnCondition.standard(months.longest())));
        service.run(Duration.ofDays(31).minusMinutes(1), new Tally(950, 1_000));
        assertThat(service.status.budgetLeft().orElseThrow()).isCloseTo(-4, within(0.001));
        service.minute(new Tally(950, 1_000));
        // The instant itself is of the new month, and nothing of that is seen yet.
        assertThat(service.status.budgetLeft()).isEmpty();
        service.run(Duration.ofDays(7), new Tally(995, 1_000));
        // A quarter of 28 days at half the pace.
        assertThat(service.status.budgetLeft().orElseThrow()).isCloseTo(1 - 0.5 / 4, within(1e-9));
        assertThat(service.status.counted().total()).isEqualTo(7 * 1_440 * 1_000);
    }

    @Test
    void evaluatingAnInstantAgainChangesNothing() {
        SimulatedService service = new SimulatedService(objective(Occurrences.ALL));
        service.run(Duration.ofHours(1), new Tally(0, 1_000));
        service.run(Duration.ofMinutes(6), new Tally(1_000, 1_000));
        byte[] before = service.history.toBytes();
        for (int i = 0; i < 10; i++) {
            service.history.evaluate(service.nowMicros);
        }
        assertThat(service.history.toBytes()).isEqualTo(before);
    }

    @Test
    void conditionsOfTheSameNameGoOnWhenTheObjectiveIsEdited() {
        SimulatedService service = new SimulatedService(objective(Occurrences.ALL));
        service.run(Duration.ofHours(2), new Tally(500, 1_000));
        List<BurnCondition> edited = new ArrayList<>(BurnCondition.standard(MONTH));
        edited.removeIf(condition -> condition.name().equals("page-6h"));
        Objective tighter = new Objective(0.995, Occurrences.ALL, ROLLING, edited);
        ObjectiveStatus status =
                ObjectiveHistory.ofBytes(tighter, service.history.toBytes()).evaluate(service.nowMicros + 1);
        assertThat(status.counted()).isEqualTo(service.status.counted());
        assertThat(status.conditions())
                .extracting(condition -> condition.condition().name())
                .doesNotContain("page-6h");
        assertThat(status.conditions().get(0).sinceMicros())
                .isEqualTo(service.condition("page-1h").sinceMicros());
        assertThatThrownBy(() -> ObjectiveHistory.ofBytes(
                        objective(new Timeslices(Duration.ofMinutes(5), 0.9, 0)), service.history.toBytes()))
                .hasMessage("objective history: slices must be of 300000000 microseconds, found 60000000");
    }

    @Test
    void nonsenseIsRefused() {
        ObjectiveHistory history = new ObjectiveHistory(objective(Occurrences.ALL));
        assertThatThrownBy(() -> history.observe(1, Tally.NONE))
                .hasMessage("endMicros: must be the end of a minute, found 1");
        byte[] other = history.toBytes();
        other[0] = 9;
        assertThatThrownBy(() -> ObjectiveHistory.ofBytes(objective(Occurrences.ALL), other))
                .hasMessage("objective history: version must be 1, found 9");
        assertThatThrownBy(() -> new Tally(2, 1)).hasMessage("good: must be from 0 to 1, found 2");
    }
}
