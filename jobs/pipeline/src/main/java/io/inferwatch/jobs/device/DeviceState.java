package io.inferwatch.jobs.device;

import io.inferwatch.analytics.drift.Persistence;
import io.inferwatch.analytics.drift.Verdict;
import io.inferwatch.jobs.device.Placement.Placed;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What is known of a device: its latest sample, the minutes that are not told yet, and whether its processes are far from it. */
final class DeviceState {
    private static final int VERSION = 1;
    private static final long NEVER = Long.MIN_VALUE;

    private final TreeMap<Long, DeviceMinute> minutes = new TreeMap<>();
    private byte[] latest = new byte[0];
    private Persistence persistence = Persistence.NONE;
    private long farSinceMicros = NEVER;

    private DeviceState() {}

    static DeviceState read(byte @Nullable [] bytes) throws IOException {
        DeviceState state = new DeviceState();
        if (bytes == null) {
            return state;
        }
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        int version = in.readByte();
        if (version != VERSION) {
            throw new IOException("device: version must be " + VERSION + ", found " + version);
        }
        state.persistence = Persistence.ofByte(in.readByte());
        state.farSinceMicros = in.readLong();
        state.latest = in.readNBytes(in.readInt());
        for (int i = in.readInt(); i > 0; i--) {
            state.minutes.put(in.readLong(), DeviceMinute.read(in));
        }
        return state;
    }

    byte[] write() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeByte(VERSION);
        out.writeByte(persistence.toByte());
        out.writeLong(farSinceMicros);
        out.writeInt(latest.length);
        out.write(latest);
        out.writeInt(minutes.size());
        for (Map.Entry<Long, DeviceMinute> minute : minutes.entrySet()) {
            out.writeLong(minute.getKey());
            minute.getValue().write(out);
        }
        return bytes.toByteArray();
    }

    /** The latest sample, encoded; null before the first. */
    byte @Nullable [] latest() {
        return latest.length == 0 ? null : latest;
    }

    void setLatest(byte[] sample) {
        latest = sample;
    }

    /** The minute with this end, begun if it was not. */
    DeviceMinute minute(long endMicros) {
        return minutes.computeIfAbsent(endMicros, end -> DeviceMinute.empty());
    }

    /** Takes the minutes that have ended then, in their order. */
    Map<Long, DeviceMinute> takeUntil(long micros) {
        Map<Long, DeviceMinute> ended = new TreeMap<>(minutes.headMap(micros, true));
        minutes.keySet().removeAll(ended.keySet());
        return ended;
    }

    /** Notes what a minute shows. */
    void look(Placed placed, long endMicros) {
        persistence = persistence.after(
                switch (placed) {
                    case FAR -> Verdict.DRIFT;
                    case NEAR -> Verdict.NO_DRIFT;
                    case UNKNOWN -> Verdict.INCONCLUSIVE;
                });
        if (persistence.recent() == 0) {
            farSinceMicros = NEVER;
        } else if (farSinceMicros == NEVER) {
            farSinceMicros = endMicros - MinuteFigures.MINUTE_MICROS;
        }
    }

    /** Whether processes have been far for two minutes of three, and in one of the last three still were. */
    boolean isMisplaced() {
        return persistence.confirmed();
    }

    /** Begin of the first minute that showed it. */
    long farSinceMicros() {
        return farSinceMicros;
    }
}
