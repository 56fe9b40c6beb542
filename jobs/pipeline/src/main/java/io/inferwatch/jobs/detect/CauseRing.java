package io.inferwatch.jobs.detect;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A subject's readings in the last {@value #MINUTES} minutes, 4 kB. A ring of a version that had other readings is begun anew. Not thread safe.
 */
final class CauseRing {
    /** How many minutes are kept. */
    static final int MINUTES = 50;

    private static final int HEADER = Long.BYTES + Integer.BYTES;
    private static final int SIZE = HEADER + MINUTES * CauseReading.COUNT * Float.BYTES;
    private static final int LEAST_FOR_TAIL = 8;
    /** A tail that an incident has begun to change is not the usual one. */
    private static final int AFTER_CHANGE = 10;

    private final byte[] state;
    private final ByteBuffer bytes;

    private CauseRing(byte[] state) {
        this.state = state;
        bytes = ByteBuffer.wrap(state);
    }

    /** The ring of bytes, which it changes; an empty one of none. */
    static CauseRing of(byte @Nullable [] state) {
        if (state != null && state.length == SIZE && ByteBuffer.wrap(state).getInt(Long.BYTES) == CauseReading.COUNT) {
            return new CauseRing(state);
        }
        CauseRing empty = new CauseRing(new byte[SIZE]);
        empty.bytes.putLong(0, Long.MIN_VALUE).putInt(Long.BYTES, CauseReading.COUNT);
        for (int at = HEADER; at < SIZE; at += Float.BYTES) {
            empty.bytes.putFloat(at, Float.NaN);
        }
        return empty;
    }

    byte[] toBytes() {
        return state;
    }

    /** Number of the last minute. */
    long last() {
        return bytes.getLong(0);
    }

    /** Adds a minute, or the last one again; those between it and the last one are empty. An earlier one is left out. */
    void put(long minute, float[] readings) {
        long before = last();
        if (minute < before) {
            return;
        }
        for (long skipped = Math.max(before + 1, minute - MINUTES + 1); skipped < minute; skipped++) {
            for (int i = 0; i < readings.length; i++) {
                bytes.putFloat(at(skipped, i), Float.NaN);
            }
        }
        for (int i = 0; i < readings.length; i++) {
            bytes.putFloat(at(minute, i), readings[i]);
        }
        bytes.putLong(0, minute);
    }

    /** A reading; not a number where it is not known. */
    double get(long minute, CauseReading reading) {
        return minute > last() || minute <= last() - MINUTES
                ? Double.NaN
                : bytes.getFloat(at(minute, reading.ordinal()));
    }

    /** The sum of a reading from a minute to another one, both included. */
    double sum(CauseReading reading, long from, long to) {
        double sum = 0;
        for (long minute = from; minute <= to; minute++) {
            double value = get(minute, reading);
            sum += Double.isNaN(value) ? 0 : value;
        }
        return sum;
    }

    /** The median of what nine in ten requests were faster than, as long as ten minutes before the given one; not a number without eight minutes. */
    double usualTailMicros(long minute) {
        double[] tails = new double[MINUTES];
        int known = 0;
        for (long before = minute - MINUTES; before < minute; before++) {
            double tail = get(before, CauseReading.USUAL_TAIL);
            boolean isSettled = before < minute - AFTER_CHANGE || known < LEAST_FOR_TAIL;
            if (!Double.isNaN(tail) && isSettled) {
                tails[known++] = tail;
            }
        }
        if (known < LEAST_FOR_TAIL) {
            return Double.NaN;
        }
        Arrays.sort(tails, 0, known);
        return tails[known / 2];
    }

    private static int at(long minute, int reading) {
        return HEADER + ((int) Math.floorMod(minute, (long) MINUTES) * CauseReading.COUNT + reading) * Float.BYTES;
    }
}
