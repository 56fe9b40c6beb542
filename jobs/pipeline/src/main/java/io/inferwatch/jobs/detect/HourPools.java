package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.drift.PastPool;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;

/**
 * The windows of one hour class: the same hour of the day, working days and weekends apart, all in UTC. Those of the day that runs are
 * gathered; those of the last day before it that had any are what the present one can be compared with.
 *
 * @param day of the windows that are gathered, days since the epoch
 * @param beforeDay of those before, days since the epoch
 */
record HourPools(long day, PastPool gathered, long beforeDay, PastPool before) {
    private static final long DAY_MICROS = Duration.ofDays(1).toNanos() / 1_000;
    private static final long HOUR_MICROS = Duration.ofHours(1).toNanos() / 1_000;
    private static final int HOURS = 24;
    private static final int WEEK = 7;

    /** 1 January 1970 was a Thursday: Saturday is the day after tomorrow. */
    private static final int SATURDAY = 2;

    /** The class of a window by its end: 0 to 47, weekends from 24 on. */
    static int of(long endMicros) {
        long last = endMicros - 1;
        int hour = (int) (Math.floorMod(last, DAY_MICROS) / HOUR_MICROS);
        long weekday = Math.floorMod(dayOf(endMicros) - SATURDAY, WEEK);
        return weekday < 2 ? HOURS + hour : hour;
    }

    static long dayOf(long endMicros) {
        return Math.floorDiv(endMicros - 1, DAY_MICROS);
    }

    static HourPools empty(long day) {
        return new HourPools(day, PastPool.EMPTY, day, PastPool.EMPTY);
    }

    /** With windows of a day, which is not before that of those gathered. */
    HourPools plus(long ofDay, PastPool windows) {
        if (ofDay == day) {
            return new HourPools(day, gathered.plus(windows), beforeDay, before);
        }
        return gathered.isEmpty()
                ? new HourPools(ofDay, windows, beforeDay, before)
                : new HourPools(ofDay, windows, day, gathered);
    }

    /** What windows of a day can be compared with; never with what is from before a change. */
    Optional<PastPool> baseline(long ofDay, long regimeStartMicros) {
        PastPool pool = ofDay == day ? before : gathered;
        long poolDay = ofDay == day ? beforeDay : day;
        return pool.isEmpty() || poolDay * DAY_MICROS < regimeStartMicros ? Optional.empty() : Optional.of(pool);
    }

    byte[] toBytes() {
        byte[] first = gathered.toBytes();
        byte[] second = before.toBytes();
        return ByteBuffer.allocate(2 * Long.BYTES + Integer.BYTES + first.length + second.length)
                .putLong(day)
                .putLong(beforeDay)
                .putInt(first.length)
                .put(first)
                .put(second)
                .array();
    }

    static HourPools ofBytes(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        long day = in.getLong();
        long beforeDay = in.getLong();
        byte[] first = new byte[in.getInt()];
        in.get(first);
        byte[] second = new byte[in.remaining()];
        in.get(second);
        return new HourPools(day, PastPool.ofBytes(first), beforeDay, PastPool.ofBytes(second));
    }
}
