package io.inferwatch.jobs.window;

import java.io.Serializable;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Whole hours, one after the other: the least for which every window can be made anew, since the longest are hours.
 *
 * @param from inclusive
 * @param to exclusive
 */
public record Hours(Instant from, Instant to) implements Serializable {
    static final long MILLIS = Duration.ofHours(1).toMillis();
    private static final long serialVersionUID = 1;

    /** Hours that begin and end as told. */
    public Hours {
        if (!isWhole(from) || !isWhole(to) || !from.isBefore(to)) {
            throw new IllegalArgumentException("hours: must be whole and at least one, found " + from + " to " + to);
        }
    }

    /** The hours that a span of time touches: its ends are moved outward. */
    public static Hours around(Instant from, Instant to) {
        return new Hours(from.truncatedTo(ChronoUnit.HOURS), ceiling(to));
    }

    /** The first full hour that is not before the instant. */
    public static Instant ceiling(Instant instant) {
        return isWhole(instant)
                ? instant
                : instant.truncatedTo(ChronoUnit.HOURS).plus(1, ChronoUnit.HOURS);
    }

    /** How many they are. */
    public long count() {
        return Duration.between(from, to).toHours();
    }

    /** Whether an event of that time, epoch milliseconds, belongs to them. */
    public boolean holdTime(long atMillis) {
        return atMillis >= from.toEpochMilli() && atMillis < to.toEpochMilli();
    }

    /** Whether a window with that end, exclusive, epoch milliseconds, lies in them. */
    boolean holdEnd(long endMillis) {
        return holdTime(endMillis - 1);
    }

    /** End of the hour in which a pane with that end lies, epoch milliseconds. */
    static long endMillis(long paneEndMillis) {
        return Math.floorDiv(paneEndMillis - 1, MILLIS) * MILLIS + MILLIS;
    }

    private static boolean isWhole(Instant instant) {
        return instant.equals(instant.truncatedTo(ChronoUnit.HOURS));
    }

    @Override
    public String toString() {
        return from + " to " + to;
    }
}
