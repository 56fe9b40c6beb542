package io.inferwatch.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimeTextTest {
    private static final Instant NOW = Instant.parse("2026-11-30T12:34:56.789Z");

    @ParameterizedTest
    @CsvSource({
        "now, 2026-11-30T12:34:56.789Z",
        "-30m, 2026-11-30T12:04:56.789Z",
        "-2d, 2026-11-28T12:34:56.789Z",
        "2026-11-30T12:00:00Z, 2026-11-30T12:00:00Z",
        "2026-11-30T13:00:00+01:00, 2026-11-30T12:00:00Z"
    })
    void readsTimes(String text, Instant expected) {
        assertThat(TimeText.parse("--from", text, NOW)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "yesterday", "-30", "30m", "2026-11-30", "-m"})
    void refusesWhatIsNone(String text) {
        assertThatThrownBy(() -> TimeText.parse("--from", text, NOW))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage(
                        "--from: must be an instant such as 2026-11-30T12:00:00Z, now, or -30m, found '" + text + "'");
    }

    @Test
    void roundsToWholeMinutesInwards() {
        assertThat(TimeText.minuteFrom(NOW)).isEqualTo(Instant.parse("2026-11-30T12:35:00Z"));
        assertThat(TimeText.minuteTo(NOW)).isEqualTo(Instant.parse("2026-11-30T12:34:00Z"));
        Instant whole = Instant.parse("2026-11-30T12:34:00Z");
        assertThat(TimeText.minuteFrom(whole)).isEqualTo(whole);
        assertThat(TimeText.minuteTo(whole)).isEqualTo(whole);
        assertThat(TimeText.ofMicros(TimeText.micros(NOW))).isEqualTo(NOW);
    }
}
