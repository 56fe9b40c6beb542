package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.memory.Course;
import io.inferwatch.analytics.memory.Figure.Measured;
import io.inferwatch.analytics.memory.Trend;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A measured figure minute by minute, for the last two hours. Immutable; as bytes 4 to 6 a minute for shares in millionths, up to 14 for amounts of bytes,
 * with the version first.
 *
 * @param minutes rising by their end
 */
record MinuteHistory(List<Minute> minutes) {
    /** How long a minute is remembered, in event time. */
    static final Duration KEEP = Duration.ofHours(2);

    private static final int VERSION = 1;
    private static final long KEEP_MICROS = KEEP.toSeconds() * 1_000_000;
    private static final int BITS = 7;
    private static final long LOW_BITS = 0x7f;
    /** Set in a byte that others follow. */
    private static final int MORE = 0x80;

    /**
     * A figure in one minute.
     *
     * @param mean over time, in the figure's stored unit
     * @param peak the greatest reading
     */
    record Minute(long endMicros, long mean, long peak) {}

    /** A history with an unmodifiable list. */
    MinuteHistory {
        minutes = List.copyOf(minutes);
    }

    /** End of the last minute; none before the first. */
    long lastEndMicros() {
        return minutes.isEmpty() ? Confirmation.NEVER : minutes.get(minutes.size() - 1).endMicros;
    }

    /** With one more minute, which must be the last; what is too old is forgotten. */
    MinuteHistory plus(Minute minute) {
        if (minute.endMicros <= lastEndMicros()) {
            throw new IllegalArgumentException(
                    "endMicros: must be after " + lastEndMicros() + ", found " + minute.endMicros);
        }
        List<Minute> kept = new ArrayList<>();
        for (Minute before : minutes) {
            if (before.endMicros > minute.endMicros - KEEP_MICROS) {
                kept.add(before);
            }
        }
        kept.add(minute);
        return new MinuteHistory(kept);
    }

    /** The line of the peaks. */
    Optional<Trend> trend() {
        return minutes.isEmpty()
                ? Optional.empty()
                : Course.of(minutes.stream()
                                .map(minute -> new Course.Reading(minute.endMicros, new Measured(minute.peak)))
                                .toList())
                        .trend();
    }

    byte[] toBytes() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeByte(minutes.size());
            Minute before = new Minute(0, 0, 0);
            for (Minute minute : minutes) {
                write(minute.endMicros - before.endMicros, out);
                write(minute.mean - before.mean, out);
                write(minute.peak - before.peak, out);
                before = minute;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * The history of bytes; an empty one of none.
     *
     * @throws IllegalStateException when they are of no version that is known
     */
    static MinuteHistory ofBytes(byte @Nullable [] bytes) {
        List<Minute> minutes = new ArrayList<>();
        if (bytes == null) {
            return new MinuteHistory(minutes);
        }
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            int version = in.readByte();
            if (version != VERSION) {
                throw new IllegalStateException(
                        "history of minutes: version must be " + VERSION + ", found " + version);
            }
            Minute before = new Minute(0, 0, 0);
            for (int left = in.readUnsignedByte(); left > 0; left--) {
                before = new Minute(before.endMicros + read(in), before.mean + read(in), before.peak + read(in));
                minutes.add(before);
            }
        } catch (IOException e) {
            throw new IllegalStateException("history of minutes: cut off", e);
        }
        return new MinuteHistory(minutes);
    }

    /** Small numbers of either sign in few bytes. */
    private static void write(long number, DataOutputStream out) throws IOException {
        long rest = (number << 1) ^ (number >> (Long.SIZE - 1));
        while (rest > LOW_BITS || rest < 0) {
            out.writeByte((int) ((rest & LOW_BITS) | MORE));
            rest >>>= BITS;
        }
        out.writeByte((int) rest);
    }

    private static long read(DataInputStream in) throws IOException {
        long number = 0;
        int shift = 0;
        int next;
        do {
            next = in.readUnsignedByte();
            number |= (next & LOW_BITS) << shift;
            shift += BITS;
        } while (next >= MORE);
        return (number >>> 1) ^ -(number & 1);
    }
}
