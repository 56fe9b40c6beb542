package io.inferwatch.jobs.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class HoursTest {
    private static final Instant TEN = Instant.parse("2026-01-01T10:00:00Z");
    private static final Instant TWELVE = Instant.parse("2026-01-01T12:00:00Z");

    @Test
    void endsAreMovedOutwardToFullHours() {
        assertThat(Hours.around(TEN.plusMillis(1), TWELVE.minusMillis(1))).isEqualTo(new Hours(TEN, TWELVE));
        assertThat(Hours.around(TEN, TWELVE)).isEqualTo(new Hours(TEN, TWELVE));
        assertThat(Hours.around(TEN, TEN.plusNanos(1)).count()).isOne();
        assertThat(Hours.ceiling(TEN.plusNanos(1))).isEqualTo(Instant.parse("2026-01-01T11:00:00Z"));
    }

    @Test
    void anEventBelongsToTheHourInWhichItIsAndAPaneToThatInWhichItEnds() {
        Hours hours = new Hours(TEN, TWELVE);
        assertThat(hours.holdTime(TEN.toEpochMilli() - 1)).isFalse();
        assertThat(hours.holdTime(TEN.toEpochMilli())).isTrue();
        assertThat(hours.holdTime(TWELVE.toEpochMilli() - 1)).isTrue();
        assertThat(hours.holdTime(TWELVE.toEpochMilli())).isFalse();
        assertThat(hours.holdEnd(TEN.toEpochMilli())).isFalse();
        assertThat(hours.holdEnd(TEN.toEpochMilli() + 10_000)).isTrue();
        assertThat(hours.holdEnd(TWELVE.toEpochMilli())).isTrue();
        assertThat(hours.holdEnd(TWELVE.toEpochMilli() + 10_000)).isFalse();
        assertThat(Hours.endMillis(TEN.toEpochMilli())).isEqualTo(TEN.toEpochMilli());
        assertThat(Hours.endMillis(TEN.toEpochMilli() + 10_000)).isEqualTo(TEN.toEpochMilli() + 3_600_000);
    }

    @Test
    void whatIsNotWholeOrNotAtAllIsRefused() {
        assertThatThrownBy(() -> new Hours(TEN.plusMillis(1), TWELVE)).hasMessageContaining("must be whole");
        assertThatThrownBy(() -> new Hours(TEN, TWELVE.plusMillis(1))).hasMessageContaining("must be whole");
        assertThatThrownBy(() -> new Hours(TEN, TEN)).hasMessageContaining("at least one");
    }
}
