package io.inferwatch.probes.publish;

import java.nio.file.Path;

/**
 * Where and how much to spool while Kafka is away.
 *
 * @param directory of this publisher alone; made when missing
 * @param limitBytes of all files together; what comes beyond is dropped and counted
 * @param segmentBytes after which a new file is begun
 */
public record SpoolSettings(Path directory, long limitBytes, long segmentBytes) {
    /** Default limit: 1 GiB, some five million events. */
    public static final long DEFAULT_LIMIT_BYTES = 1L << 30;

    private static final long DEFAULT_SEGMENT_BYTES = 16L << 20;

    /** Checked settings. */
    public SpoolSettings {
        if (limitBytes < 4096) {
            throw new IllegalArgumentException("spool limit: must be at least 4096 bytes, found " + limitBytes);
        }
        if (segmentBytes < 1024 || segmentBytes > limitBytes) {
            throw new IllegalArgumentException(
                    "spool segment: must be from 1024 bytes to the limit of " + limitBytes + ", found " + segmentBytes);
        }
    }

    /** A spool with files of 16 MiB, or a quarter of the limit where that is less. */
    public static SpoolSettings of(Path directory, long limitBytes) {
        return new SpoolSettings(
                directory, limitBytes, Math.max(1024, Math.min(DEFAULT_SEGMENT_BYTES, limitBytes / 4)));
    }
}
