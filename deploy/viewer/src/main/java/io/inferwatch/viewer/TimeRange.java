package io.inferwatch.viewer;

import java.time.Duration;
import java.util.List;

/**
 * The time that a page shows.
 *
 * @param fromMillis epoch milliseconds
 * @param toMillis epoch milliseconds
 * @param points how many a chart has room for
 */
record TimeRange(long fromMillis, long toMillis, long points) {
    private static final long GREATEST_MILLIS = 4_102_444_800_000L;
    private static final long MOST_POINTS = 2_000;
    private static final List<Duration> STEPS = List.of(
            Duration.ofSeconds(10),
            Duration.ofSeconds(30),
            Duration.ofMinutes(1),
            Duration.ofMinutes(2),
            Duration.ofMinutes(5),
            Duration.ofMinutes(10),
            Duration.ofMinutes(30),
            Duration.ofHours(1),
            Duration.ofHours(2),
            Duration.ofHours(6),
            Duration.ofDays(1),
            Duration.ofDays(7));

    static TimeRange of(Parameters parameters) {
        long from = parameters.number("from", 0, GREATEST_MILLIS);
        long to = parameters.number("to", 0, GREATEST_MILLIS);
        if (to <= from) {
            throw new BadRequestException("to: must be after from, found " + to + " after " + from);
        }
        return new TimeRange(from, to, parameters.number("points", 1, MOST_POINTS));
    }

    /** The shortest usual step, at least the given one, with which the range has no more points than asked for. */
    Duration interval(Duration least) {
        long needed = Math.max(least.toMillis(), (toMillis - fromMillis) / points);
        return STEPS.stream()
                .filter(step -> step.toMillis() >= needed)
                .findFirst()
                // A range of decades.
                .orElse(Duration.ofMillis(needed));
    }
}
