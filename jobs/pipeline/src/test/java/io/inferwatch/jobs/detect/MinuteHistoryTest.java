package io.inferwatch.jobs.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.jobs.detect.MinuteHistory.Minute;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class MinuteHistoryTest {
    private static final long MINUTE = 60_000_000;
    private static final long TEN = 1_767_261_600_000_000L;

    @Test
    void bytesAreTheSameHistoryAgainAndFew() {
        SplittableRandom random = new SplittableRandom(1);
        MinuteHistory shares = new MinuteHistory(List.of());
        MinuteHistory amounts = new MinuteHistory(List.of());
        for (int i = 1; i <= 120; i++) {
            shares = shares.plus(new Minute(TEN + i * MINUTE, random.nextLong(1_000_001), random.nextLong(1_000_001)));
            amounts = amounts.plus(new Minute(TEN + i * MINUTE, random.nextLong(1L << 37), random.nextLong(1L << 37)));
        }
        assertThat(MinuteHistory.ofBytes(shares.toBytes())).isEqualTo(shares);
        assertThat(MinuteHistory.ofBytes(amounts.toBytes())).isEqualTo(amounts);
        assertThat(MinuteHistory.ofBytes(null).minutes()).isEmpty();
        // Time takes four bytes a minute, a share three, an amount below 2^37 six.
        assertThat(shares.toBytes()).hasSizeLessThan(120 * 10 + 20);
        assertThat(amounts.toBytes()).hasSizeLessThan(120 * 16 + 20);
    }

    @Test
    void extremesSurvive() {
        MinuteHistory history = new MinuteHistory(List.of())
                .plus(new Minute(1, Long.MAX_VALUE / 2, 0))
                .plus(new Minute(Long.MAX_VALUE / 2, 0, Long.MAX_VALUE / 2));
        assertThat(MinuteHistory.ofBytes(history.toBytes())).isEqualTo(history);
    }

    @Test
    void whatIsTwoHoursOldIsForgotten() {
        MinuteHistory history = new MinuteHistory(List.of());
        for (int i = 1; i <= 200; i++) {
            history = history.plus(new Minute(TEN + i * MINUTE, i, i));
        }
        assertThat(history.minutes()).hasSize(120);
        assertThat(history.minutes().get(0).mean()).isEqualTo(81);
        assertThat(history.plus(new Minute(TEN + 1_000 * MINUTE, 1, 1)).minutes())
                .hasSize(1);
    }

    @Test
    void theLineIsThatOfThePeaks() {
        MinuteHistory history = new MinuteHistory(List.of());
        for (int i = 1; i <= 30; i++) {
            history = history.plus(new Minute(TEN + i * MINUTE, 0, 1_000 + 60L * i));
        }
        var trend = history.trend().orElseThrow();
        assertThat(trend.perSecond().value()).isCloseTo(1, within(1e-9));
        assertThat(trend.secondsUntil(4_000).value()).isCloseTo(1_200, within(1e-6));
        assertThat(new MinuteHistory(List.of()).trend()).isEmpty();
    }

    @Test
    void aMinuteThatIsNotTheLastAndBytesOfAnotherVersionAreRefused() {
        MinuteHistory history = new MinuteHistory(List.of()).plus(new Minute(TEN, 1, 1));
        assertThatThrownBy(() -> history.plus(new Minute(TEN, 2, 2)))
                .hasMessage("endMicros: must be after " + TEN + ", found " + TEN);
        assertThatThrownBy(() -> MinuteHistory.ofBytes(new byte[] {9, 0}))
                .hasMessage("history of minutes: version must be 1, found 9");
        assertThatThrownBy(() -> MinuteHistory.ofBytes(new byte[] {1, 3, 2})).hasMessage("history of minutes: cut off");
    }
}
