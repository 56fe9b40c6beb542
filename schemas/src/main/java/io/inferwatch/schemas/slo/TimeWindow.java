package io.inferwatch.schemas.slo;

import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;

/** The time for which an error budget is given. */
public sealed interface TimeWindow {
    /** The last so many days, at any time. */
    record Rolling(Duration length) implements TimeWindow {}

    /**
     * Periods of the calendar.
     *
     * @param anchor when one of them begins, local time
     * @param length of a period in days or months
     * @param unit days or months
     */
    record Calendar(LocalDateTime anchor, ZoneId zone, int length, ChronoUnit unit) implements TimeWindow {}
}
