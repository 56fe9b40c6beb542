package io.inferwatch.jobs.detect;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.analytics.drift.PastPool;
import io.inferwatch.analytics.drift.Sample;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HourPoolsTest {
    private static final long NEVER = Long.MIN_VALUE;
    private static final long DAY_MICROS = Duration.ofDays(1).toNanos() / 1_000;
    private static final PastPool FIRST = PastPool.of(new Sample.Counts(1, 100), 0.01);
    private static final PastPool SECOND = PastPool.of(new Sample.Counts(2, 100), 0.02);

    @ParameterizedTest
    @CsvSource({
        // A Monday; the window that ends on the hour belongs to the hour before.
        "2026-11-30T10:00:00Z, 9",
        "2026-11-30T10:01:00Z, 10",
        "2026-12-04T23:59:00Z, 23",
        // Friday's last minute ends on Saturday.
        "2026-12-05T00:00:00Z, 23",
        "2026-12-05T00:01:00Z, 24",
        "2026-12-06T12:30:00Z, 36",
        "2026-12-07T00:00:00Z, 47",
        "2026-12-07T00:01:00Z, 0"
    })
    void hoursOfWorkingDaysAndWeekendsAreApart(Instant end, int hourClass) {
        assertThat(HourPools.of(ChronoUnit.MICROS.between(Instant.EPOCH, end))).isEqualTo(hourClass);
    }

    @Test
    void aDayIsComparedWithTheLastOneBeforeItThatHadWindows() {
        HourPools pools = HourPools.empty(100).plus(100, FIRST);
        assertThat(pools.baseline(100, NEVER)).isEmpty();
        assertThat(pools.baseline(103, NEVER)).hasValue(FIRST);

        HourPools later = pools.plus(103, SECOND);
        assertThat(later.baseline(103, NEVER)).hasValue(FIRST);
        assertThat(later.baseline(104, NEVER)).hasValue(SECOND);
        assertThat(later.plus(103, SECOND).baseline(104, NEVER).orElseThrow().windows())
                .isEqualTo(2);
    }

    @Test
    void whatIsFromBeforeAChangeIsNoBaseline() {
        HourPools pools = HourPools.empty(100).plus(100, FIRST).plus(101, SECOND);
        long noonOfTheFirst = 100 * DAY_MICROS + DAY_MICROS / 2;
        assertThat(pools.baseline(101, noonOfTheFirst)).isEmpty();
        assertThat(pools.baseline(102, noonOfTheFirst)).hasValue(SECOND);
    }

    @Test
    void bytesHoldThemWhole() {
        HourPools pools = HourPools.empty(100).plus(100, FIRST).plus(101, SECOND);
        HourPools same = HourPools.ofBytes(pools.toBytes());
        assertThat(same.toBytes()).isEqualTo(pools.toBytes());
        assertThat(same.baseline(101, NEVER).orElseThrow().sample()).isEqualTo(FIRST.sample());
        assertThat(same.baseline(102, NEVER).orElseThrow().sample()).isEqualTo(SECOND.sample());
    }
}
