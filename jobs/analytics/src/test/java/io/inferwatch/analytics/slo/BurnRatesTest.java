package io.inferwatch.analytics.slo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.analytics.slo.BudgetPeriod.Rolling;
import io.inferwatch.analytics.slo.BurnCondition.Tier;
import io.inferwatch.analytics.slo.ConditionStatus.Phase;
import io.inferwatch.analytics.slo.Counting.Occurrences;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who hears of what, and when, over days of virtual time. Expected times are long window x factor / burn, after clean days. */
class BurnRatesTest {
    private static final Duration MONTH = Duration.ofDays(30);

    private static Objective objective(double target) {
        return new Objective(target, Occurrences.ALL, new Rolling(MONTH), BurnCondition.standard(MONTH));
    }

    /** Exactly the factor is exactly the whole window, less what its beginning parts of five minutes; of 1,000 requests a minute, of which 10 may be bad. */
    @ParameterizedTest
    @CsvSource({"144, page-1h, 60", "60, page-6h, 360", "30, ticket-1d, 1436", "10, ticket-3d, 4316"})
    void exactlyTheFactorTakesTheWholeWindow(int bad, String condition, long minutes) {
        SimulatedService service = new SimulatedService(objective(0.99));
        service.run(Duration.ofDays(4), new Tally(1_000, 1_000));
        long begin = service.nowMicros;
        service.run(Duration.ofMinutes(minutes - 1), new Tally(1_000 - bad, 1_000));
        assertThat(service.firstFired(condition)).isEmpty();
        service.minute(new Tally(1_000 - bad, 1_000));
        assertThat(service.firstFired(condition)).hasValue(begin + minutes * SimulatedService.MINUTE);
        assertThat(service.condition(condition).longBurn().orElseThrow()).isCloseTo(bad / 10.0, within(1e-9));
        assertThat(service.status.state()).isEqualTo(SloState.BREACH);
    }

    /** 600 requests a minute with errors at random, 99.9 %. */
    @ParameterizedTest
    @CsvSource({
        "1000, page-1h",
        "50, page-1h",
        "18, page-1h",
        "12, page-6h",
        "7.5, page-6h",
        "5, ticket-1d",
        "3.75, ticket-1d",
        "2, ticket-3d",
        "1.25, ticket-3d"
    })
    void firesWithinTheExpectedTimeSeed11(double burn, String name) {
        SimulatedService service = new SimulatedService(objective(0.999));
        SplittableRandom random = new SplittableRandom(11);
        service.run(Duration.ofDays(3), 600, 0.00005, random);
        assertThat(service.events).isEmpty();
        BurnCondition condition = service.condition(name).condition();
        long begin = service.nowMicros;
        double expected = condition.longWindow().toMinutes() * condition.factor() / burn;
        service.run(
                Duration.ofMinutes((long) Math.ceil(1.25 * expected) + 2),
                600,
                Math.min(0.999_999, 0.001 * burn),
                random);
        long minutes = (service.firstFired(name).orElseThrow() - begin) / SimulatedService.MINUTE;
        assertThat((double) minutes).isBetween(0.75 * expected, 1.25 * expected + 2);
        // A page is for what is fast: slower burns wake nobody.
        boolean isPage = condition.tier() == Tier.PAGE;
        assertThat(service.events.stream().anyMatch(event -> event.condition().startsWith("page")))
                .isEqualTo(isPage);
    }

    @ParameterizedTest
    @CsvSource({"0.99, 600, 3", "0.999, 600, 4", "0.99, 20, 5"})
    void ninetyPerCentOfTheBudgetInThirtyDaysIsNobodysBusiness(double target, int perMinute, long seed) {
        SimulatedService service = new SimulatedService(objective(target));
        service.run(MONTH, perMinute, 0.9 * (1 - target), new SplittableRandom(seed));
        assertThat(service.events).isEmpty();
        assertThat(service.status.state()).isEqualTo(SloState.OK);
        assertThat(service.status.budgetLeft().orElseThrow()).isBetween(0.05, 0.15);
    }

    /** One request in two minutes, one in fifty bad by nature; then none is answered any more. */
    @Test
    void aTotalOutageOfAServiceWithLittleTrafficIsPagedSeed6() {
        SimulatedService service = new SimulatedService(objective(0.97));
        SplittableRandom random = new SplittableRandom(6);
        for (int minute = 0; minute < 5 * 1_440; minute++) {
            service.minute(minute % 2 == 1 ? Tally.NONE : new Tally(random.nextInt(50) == 0 ? 0 : 1, 1));
        }
        assertThat(service.events.stream().filter(event -> event.condition().startsWith("page")))
                .isEmpty();
        long begin = service.nowMicros;
        for (int minute = 0; minute < 60; minute++) {
            service.minute(minute % 2 == 1 ? Tally.NONE : new Tally(0, 1));
        }
        // 14.4 x 3 % of 30 requests an hour are 13; with 95 % certainty some more.
        assertThat((service.firstFired("page-1h").orElseThrow() - begin) / SimulatedService.MINUTE)
                .isBetween(24L, 40L);
    }

    /** A request each quarter of an hour: an outage is five requests old at least before it can be told. */
    @Test
    void soIsThatOfOneWithHardlyAny() {
        SimulatedService service = new SimulatedService(objective(0.99));
        for (int minute = 0; minute < 5 * 1_440; minute++) {
            service.minute(minute % 15 == 0 ? new Tally(1, 1) : Tally.NONE);
        }
        long begin = service.nowMicros;
        for (int minute = 0; minute < 240; minute++) {
            service.minute(minute % 15 == 0 ? new Tally(0, 1) : Tally.NONE);
        }
        assertThat((service.firstFired("page-6h").orElseThrow() - begin) / SimulatedService.MINUTE)
                .isBetween(60L, 90L);
        // Silence between requests is no recovery.
        assertThat(service.events).filteredOn(event -> !event.isFiring()).isEmpty();
    }

    /** One request in half an hour, one of 37 bad where one of 1,000 may be: 27 times the budget, and never five in three days. */
    @Test
    void eightDaysOfSlowBurnAreTicketed() {
        SimulatedService service = new SimulatedService(objective(0.999));
        for (int minute = 0; minute < 8 * 1_440; minute++) {
            int request = minute / 30;
            service.minute(minute % 30 > 0 ? Tally.NONE : new Tally(request % 37 == 36 ? 0 : 1, 1));
        }
        assertThat(service.events).allMatch(event -> event.condition().equals("spent"));
        assertThat(service.firstFired("spent")).isPresent();
        assertThat(service.status.state()).isEqualTo(SloState.BREACH);
        assertThat(service.status.budgetLeft().orElseThrow()).isNegative();
    }

    /** Chance alone: a hundred requests an hour with the budget's share of bad ones pages nobody in thirty days. */
    @Test
    void chanceWakesNobodySeed8() {
        SimulatedService service = new SimulatedService(objective(0.99));
        SplittableRandom random = new SplittableRandom(8);
        for (int minute = 0; minute < 30 * 1_440; minute++) {
            service.minute(new Tally(random.nextInt(100) == 0 ? 1 : 2, 2));
        }
        assertThat(service.events.stream().filter(event -> event.condition().startsWith("page")))
                .isEmpty();
    }

    @Test
    void aGapInTheDataIsNeitherGoodNorBad() {
        SimulatedService service = new SimulatedService(objective(0.99));
        service.run(Duration.ofHours(2), new Tally(1_000, 1_000));
        service.run(Duration.ofMinutes(30), new Tally(500, 1_000));
        assertThat(service.condition("page-1h").phase()).isEqualTo(Phase.FIRING);
        long since = service.condition("page-1h").sinceMicros().orElseThrow();
        service.events.clear();
        for (int minute = 1; minute <= 180; minute++) {
            service.silentMinute();
            assertThat(service.status.state())
                    .as("minute %d", minute)
                    .isEqualTo(minute < 5 ? SloState.BREACH : SloState.NO_DATA);
            assertThat(service.condition("page-1h").phase()).isEqualTo(Phase.FIRING);
        }
        assertThat(service.status.lastDataMicros()).hasValue(service.nowMicros - 180 * SimulatedService.MINUTE);
        assertThat(service.events).isEmpty();
        // What is seen again decides: three clear minutes of it.
        service.run(Duration.ofMinutes(2), new Tally(1_000, 1_000));
        assertThat(service.condition("page-1h").phase()).isEqualTo(Phase.FIRING);
        assertThat(service.condition("page-1h").sinceMicros()).hasValue(since);
        service.minute(new Tally(1_000, 1_000));
        assertThat(service.condition("page-1h").phase()).isEqualTo(Phase.QUIET);
        assertThat(service.condition("page-1h").isResolved()).isTrue();
    }

    @Test
    void aGapBeforeAnythingFiresFiresNothing() {
        SimulatedService service = new SimulatedService(objective(0.99));
        assertThat(service.status.state()).isEqualTo(SloState.NO_DATA);
        assertThat(service.status.lastDataMicros()).isEmpty();
        service.run(Duration.ofHours(2), new Tally(1_000, 1_000));
        assertThat(service.status.state()).isEqualTo(SloState.OK);
        for (int minute = 0; minute < 20; minute++) {
            service.silentMinute();
        }
        assertThat(service.status.state()).isEqualTo(SloState.NO_DATA);
        service.run(Duration.ofMinutes(5), new Tally(1_000, 1_000));
        assertThat(service.status.state()).isEqualTo(SloState.PARTIAL);
        service.run(Duration.ofHours(1), new Tally(1_000, 1_000));
        assertThat(service.status.state()).isEqualTo(SloState.OK);
        assertThat(service.events).isEmpty();
    }

    /** Half of the requests fail for an hour; the page is over with the short window, not with the long one. */
    @Test
    void recoveryIsToldByTheShortWindow() {
        SimulatedService service = new SimulatedService(objective(0.99));
        service.run(Duration.ofHours(24), new Tally(1_000, 1_000));
        service.run(Duration.ofHours(1), new Tally(500, 1_000));
        service.events.clear();
        long begin = service.nowMicros;
        service.run(Duration.ofHours(24), new Tally(1_000, 1_000));
        // Burn 50 falls below 0.8 x 14.4 with the fourth good minute of five (10), then three minutes.
        assertThat(service.events.get(0).condition()).isEqualTo("page-1h");
        assertThat(service.events.get(0).minutesAfter(begin)).isEqualTo(6);
        assertThat(service.events.stream().filter(event -> event.condition().equals("page-6h")))
                .singleElement()
                .satisfies(event -> assertThat(event.minutesAfter(begin)).isBetween(25L, 32L));
    }

    /** Above the limit it fires; between 80 % of it and the limit it goes on; a minute below is not enough. */
    @Test
    void whatHoversAboutTheLimitDoesNotFlap() {
        SimulatedService service = new SimulatedService(objective(0.99));
        service.run(Duration.ofHours(1), new Tally(856, 1_000));
        for (int round = 0; round < 12; round++) {
            service.run(Duration.ofMinutes(5), new Tally(880, 1_000));
            service.run(Duration.ofMinutes(5), new Tally(850, 1_000));
        }
        assertThat(service.events)
                .filteredOn(event -> event.condition().equals("page-1h"))
                .singleElement()
                .extracting(SimulatedService.Event::isFiring)
                .isEqualTo(true);
    }

    @Test
    void aConditionCanBeMadeToWait() {
        BurnCondition patient = new BurnCondition(
                "patient", Tier.PAGE, 10, Duration.ofHours(1), Duration.ofMinutes(5), Duration.ofMinutes(2));
        SimulatedService service =
                new SimulatedService(new Objective(0.99, Occurrences.ALL, new Rolling(MONTH), List.of(patient)));
        service.run(Duration.ofHours(1), new Tally(1_000, 1_000));
        // Of 60 minutes 6 with everything bad are ten times 1 %.
        service.run(Duration.ofMinutes(5), new Tally(0, 1_000));
        assertThat(service.condition("patient").phase()).isEqualTo(Phase.QUIET);
        service.minute(new Tally(0, 1_000));
        assertThat(service.condition("patient").phase()).isEqualTo(Phase.PENDING);
        long since = service.nowMicros;
        service.run(Duration.ofMinutes(2), new Tally(0, 1_000));
        assertThat(service.condition("patient").phase()).isEqualTo(Phase.FIRING);
        assertThat(service.condition("patient").sinceMicros()).hasValue(since);
    }

    /** The first hour of a service is judged as if all before had been kept. */
    @Test
    void aYoungServiceIsJudgedAsAnOldOne() {
        SimulatedService young = new SimulatedService(objective(0.99));
        young.run(Duration.ofMinutes(28), new Tally(700, 1_000));
        // 30 times the budget: 14.4 / 30 of an hour.
        assertThat(young.firstFired("page-1h")).isEmpty();
        young.minute(new Tally(700, 1_000));
        assertThat(young.firstFired("page-1h")).hasValue(SimulatedService.START + 29 * SimulatedService.MINUTE);
    }
}
