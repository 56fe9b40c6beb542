package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.graphs.CaptureCounts;
import io.inferwatch.analytics.graphs.CaptureWindow;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * A replica's minutes within ten of the clock.
 *
 * @param stratum model, version and class of uptime, by the latest minute
 * @param batches with their mean and the sum of their squared distances from it
 * @param free sum of the minutes' free shares of memory, where they tell it
 * @param load sum of the minutes' filled places, where they tell it
 */
record TenMinutes(
        long number,
        String replica,
        String stratum,
        long batches,
        double batchMean,
        double batchSquares,
        int newShapes,
        double free,
        int freeMinutes,
        double load,
        int loadMinutes,
        long captures,
        long failures) {
    private static final int VERSION = 1;
    private static final long MICROS = Duration.ofMinutes(10).toSeconds() * 1_000_000;

    static long numberOf(long endMicros) {
        return Math.floorDiv(endMicros - 1, MICROS);
    }

    static TenMinutes begun(long number, String replica) {
        return new TenMinutes(number, replica, "", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    static long beginMicros(long number) {
        return number * MICROS;
    }

    long endMicros() {
        return beginMicros(number + 1);
    }

    TenMinutes plus(CaptureMinute minute) {
        double distance = minute.batchMean() - batchMean;
        long both = batches + minute.batches();
        double share = both == 0 ? 0 : (double) minute.batches() / both;
        boolean hasFree = !Double.isNaN(minute.freeShare());
        boolean hasLoad = !Double.isNaN(minute.load());
        return new TenMinutes(
                number,
                replica,
                minute.model() + '/' + minute.version() + '/' + upClass(minute.upMicros()),
                both,
                batchMean + distance * share,
                batchSquares
                        + minute.batchVariance() * Math.max(0, minute.batches() - 1)
                        + distance * distance * batches * share,
                newShapes + minute.newShapes(),
                free + (hasFree ? minute.freeShare() : 0),
                freeMinutes + (hasFree ? 1 : 0),
                load + (hasLoad ? minute.load() : 0),
                loadMinutes + (hasLoad ? 1 : 0),
                captures + minute.captures(),
                failures + minute.failures());
    }

    private static String upClass(long upMicros) {
        long hours = Duration.ofNanos(upMicros * 1_000).toHours();
        return hours < 1 ? "hour" : hours < 24 ? "day" : "longer";
    }

    /** For the study; empty without two batches, as nothing is known of jitter then. What nobody tells of memory or load is as good as even. */
    Optional<CaptureWindow> captureWindow() {
        if (batches < 2 || batchMean == 0) {
            return Optional.empty();
        }
        return Optional.of(new CaptureWindow(
                number,
                stratum,
                Math.sqrt(batchSquares / (batches - 1)) / batchMean,
                newShapes,
                freeMinutes == 0 ? 0 : free / freeMinutes,
                loadMinutes == 0 ? 0 : load / loadMinutes,
                new CaptureCounts(captures, failures)));
    }

    static TenMinutes read(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        int version = in.readByte();
        if (version != VERSION) {
            throw new IOException("ten minutes of captures: version must be " + VERSION + ", found " + version);
        }
        return new TenMinutes(
                in.readLong(),
                in.readUTF(),
                in.readUTF(),
                in.readLong(),
                in.readDouble(),
                in.readDouble(),
                in.readInt(),
                in.readDouble(),
                in.readInt(),
                in.readDouble(),
                in.readInt(),
                in.readLong(),
                in.readLong());
    }

    byte[] write() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeByte(VERSION);
        out.writeLong(number);
        out.writeUTF(replica);
        out.writeUTF(stratum);
        out.writeLong(batches);
        out.writeDouble(batchMean);
        out.writeDouble(batchSquares);
        out.writeInt(newShapes);
        out.writeDouble(free);
        out.writeInt(freeMinutes);
        out.writeDouble(load);
        out.writeInt(loadMinutes);
        out.writeLong(captures);
        out.writeLong(failures);
        return bytes.toByteArray();
    }
}
