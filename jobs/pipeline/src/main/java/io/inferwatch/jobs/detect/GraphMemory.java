package io.inferwatch.jobs.detect;

import io.inferwatch.analytics.graphs.SeenShapes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a replica's process since it came up. Engines do not tell when they were started; a process that was started anew loads its
 * weights for longer than a minute, and is not read meanwhile: a minute without any window begins another process.
 */
final class GraphMemory {
    private static final int VERSION = 1;

    private final SeenShapes seen;
    private final long upSinceMicros;
    private final long endMicros;
    private boolean hasServed;

    private GraphMemory(SeenShapes seen, long upSinceMicros, long endMicros, boolean hasServed) {
        this.seen = seen;
        this.upSinceMicros = upSinceMicros;
        this.endMicros = endMicros;
        this.hasServed = hasServed;
    }

    /**
     * The state, come to a minute.
     *
     * @param endMicros its end; 0 leaves the state as it is
     */
    static GraphMemory read(byte @Nullable [] bytes, long endMicros) throws IOException {
        if (bytes == null) {
            return begun(endMicros);
        }
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        int version = in.readByte();
        if (version != VERSION) {
            throw new IOException("memory of graphs: version must be " + VERSION + ", found " + version);
        }
        long upSince = in.readLong();
        long last = in.readLong();
        boolean served = in.readBoolean();
        SeenShapes seen = SeenShapes.ofBytes(in.readNBytes(in.readInt()));
        if (endMicros != 0 && endMicros - last > RouteFunction.MINUTE_MICROS) {
            return begun(endMicros);
        }
        return new GraphMemory(seen, upSince, endMicros == 0 ? last : endMicros, served);
    }

    private static GraphMemory begun(long endMicros) {
        return new GraphMemory(new SeenShapes(), endMicros - RouteFunction.MINUTE_MICROS, endMicros, false);
    }

    byte[] write() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeByte(VERSION);
        out.writeLong(upSinceMicros);
        out.writeLong(endMicros);
        out.writeBoolean(hasServed);
        byte[] shapes = seen.toBytes();
        out.writeInt(shapes.length);
        out.write(shapes);
        return bytes.toByteArray();
    }

    SeenShapes seen() {
        return seen;
    }

    /** Whether the process had run a step before the minute that is looked at. */
    boolean hasServed() {
        return hasServed;
    }

    /** Notes that it ran steps in this minute. */
    void serve() {
        hasServed = true;
    }

    long upSinceMicros() {
        return upSinceMicros;
    }

    long lastEndMicros() {
        return endMicros;
    }
}
