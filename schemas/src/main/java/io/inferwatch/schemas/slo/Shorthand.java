package io.inferwatch.schemas.slo;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** OpenSLO's durations: a number and m, h, d, w, or of the calendar M, Q, Y. */
final class Shorthand {
    private static final Pattern DURATION = Pattern.compile("([1-9]\\d{0,4})([mhdwMQY])");

    private Shorthand() {}

    /** A duration that is the same whenever it begins; empty when the text is none. */
    static Optional<Duration> fixed(String text) {
        return part(text, (amount, unit) -> switch (unit) {
            case 'm' -> Duration.ofMinutes(amount);
            case 'h' -> Duration.ofHours(amount);
            case 'd' -> Duration.ofDays(amount);
            case 'w' -> Duration.ofDays(7L * amount);
            default -> null;
        });
    }

    /** Days or months of the calendar. */
    record OfCalendar(int length, ChronoUnit unit) {
        Duration longest() {
            return Duration.ofDays((unit == ChronoUnit.MONTHS ? 31L : 1L) * length);
        }
    }

    /** Days, weeks, months, quarters or years; empty when the text is none. */
    static Optional<OfCalendar> calendar(String text) {
        return part(text, (amount, unit) -> switch (unit) {
            case 'd' -> new OfCalendar(amount, ChronoUnit.DAYS);
            case 'w' -> new OfCalendar(7 * amount, ChronoUnit.DAYS);
            case 'M' -> new OfCalendar(amount, ChronoUnit.MONTHS);
            case 'Q' -> new OfCalendar(3 * amount, ChronoUnit.MONTHS);
            case 'Y' -> new OfCalendar(12 * amount, ChronoUnit.MONTHS);
            default -> null;
        });
    }

    private interface Reading<T> {
        @Nullable
        T of(int amount, char unit);
    }

    private static <T> Optional<T> part(String text, Reading<T> reading) {
        Matcher matcher = DURATION.matcher(text);
        return matcher.matches()
                ? Optional.ofNullable(reading.of(
                        Integer.parseInt(matcher.group(1)), matcher.group(2).charAt(0)))
                : Optional.empty();
    }
}
