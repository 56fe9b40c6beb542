package io.inferwatch.report;

import io.inferwatch.schemas.settings.Settings;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;

/** Times as they are given to options: an ISO-8601 instant, {@code now}, or a duration before now such as {@code -30m}. */
final class TimeText {
    private TimeText() {}

    /**
     * The instant that an option names.
     *
     * @throws InvalidRequestException when it names none
     */
    static Instant parse(String option, String text, Instant now) {
        if (text.equals("now")) {
            return now;
        }
        if (text.startsWith("-")) {
            Duration ago = Settings.parseDuration(text.substring(1));
            if (ago != null) {
                return now.minus(ago);
            }
        }
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw new InvalidRequestException(
                    option + ": must be an instant such as 2026-11-30T12:00:00Z, now, or -30m, found '" + text + "'");
        }
    }

    /** The first whole minute that is not before the instant. */
    static Instant minuteFrom(Instant instant) {
        Instant minute = instant.truncatedTo(ChronoUnit.MINUTES);
        return minute.equals(instant) ? minute : minute.plus(1, ChronoUnit.MINUTES);
    }

    /** The last whole minute that is not after the instant. */
    static Instant minuteTo(Instant instant) {
        return instant.truncatedTo(ChronoUnit.MINUTES);
    }

    /** Microseconds since 1970. */
    static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }

    /** The instant of so many microseconds since 1970. */
    static Instant ofMicros(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}
