package io.inferwatch.analytics.slo;

import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;

/** The time for which an error budget is given. */
public sealed interface BudgetPeriod {
    /** The longest: a quarter. */
    Duration MAX = Duration.ofDays(92);

    /** When the period began that an instant lies in, epoch microseconds. */
    long startMicros(long atMicros);

    /** When the period ends that an instant lies in, epoch microseconds: a rolling one after as much time again. */
    long endMicros(long atMicros);

    /** The greatest length that it can have. */
    Duration longest();

    /** Whether it ends at every instant, instead of at fixed ones. */
    boolean isRolling();

    /** The last so many days, at any time. */
    record Rolling(Duration length) implements BudgetPeriod {
        /** Checks the length. */
        public Rolling {
            requireLength(length);
        }

        @Override
        public long startMicros(long atMicros) {
            return atMicros - length.toNanos() / 1_000;
        }

        @Override
        public long endMicros(long atMicros) {
            return atMicros + length.toNanos() / 1_000;
        }

        @Override
        public Duration longest() {
            return length;
        }

        @Override
        public boolean isRolling() {
            return true;
        }
    }

    /**
     * Periods of the calendar, each with a budget of its own.
     *
     * @param anchor when one of them begins, local time
     * @param zone whose calendar it is
     * @param length of a period in days or months
     * @param unit days or months
     */
    record Calendar(LocalDateTime anchor, ZoneId zone, int length, ChronoUnit unit) implements BudgetPeriod {
        /** Checks the length. */
        public Calendar {
            if (unit != ChronoUnit.DAYS && unit != ChronoUnit.MONTHS) {
                throw new IllegalArgumentException("unit: must be days or months, found " + unit);
            }
            requireLength(longest(length, unit));
        }

        @Override
        public long startMicros(long atMicros) {
            return micros(begin(index(atMicros)));
        }

        @Override
        public long endMicros(long atMicros) {
            return micros(begin(index(atMicros) + 1));
        }

        @Override
        public Duration longest() {
            return longest(length, unit);
        }

        @Override
        public boolean isRolling() {
            return false;
        }

        /** How many periods after the anchor's one the instant's is. */
        private long index(long atMicros) {
            ZonedDateTime at = LocalDateTime.ofEpochSecond(
                            Math.floorDiv(atMicros, 1_000_000L),
                            (int) (Math.floorMod(atMicros, 1_000_000L) * 1_000),
                            ZoneOffset.UTC)
                    .atZone(ZoneOffset.UTC)
                    .withZoneSameInstant(zone);
            long index = Math.floorDiv(unit.between(anchor, at.toLocalDateTime()), (long) length);
            // Months of different lengths and clocks that are put forward or back move a period's start by a little.
            while (begin(index).isAfter(at)) {
                index--;
            }
            while (!begin(index + 1).isAfter(at)) {
                index++;
            }
            return index;
        }

        private ZonedDateTime begin(long index) {
            return anchor.plus(index * length, unit).atZone(zone);
        }

        private static Duration longest(int length, ChronoUnit unit) {
            return Duration.ofDays((unit == ChronoUnit.MONTHS ? 31L : 1L) * length);
        }

        private static long micros(ZonedDateTime at) {
            return at.toEpochSecond() * 1_000_000 + at.getNano() / 1_000;
        }
    }

    private static void requireLength(Duration length) {
        if (length.compareTo(Duration.ofDays(1)) < 0 || length.compareTo(MAX.plusDays(1)) > 0) {
            throw new IllegalArgumentException("length: must be from a day to a quarter, found " + length);
        }
    }
}
