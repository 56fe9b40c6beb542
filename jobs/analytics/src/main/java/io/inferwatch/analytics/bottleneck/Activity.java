package io.inferwatch.analytics.bottleneck;

import org.jspecify.annotations.Nullable;

/**
 * One sampling window of a device. Shares are in millionths; what was not read is null.
 *
 * @param micros length of the window, above 0
 * @param bandwidthPpm memory bandwidth in use, of its peak
 * @param tensorPpm share of cycles in which tensor cores were active
 * @param apartMicros between these two readings; null where nobody knows
 * @param pciePpm the busier direction of PCIe, of what the link carries one way
 * @param nvlinkPpm the same of all NVLinks together; null where there are none, too
 */
public record Activity(
        long micros,
        @Nullable Long bandwidthPpm,
        @Nullable Long tensorPpm,
        @Nullable Long apartMicros,
        @Nullable Long pciePpm,
        @Nullable Long nvlinkPpm) {

    /** Checks the numbers. */
    public Activity {
        if (micros <= 0) {
            throw new IllegalArgumentException("micros: must be above 0, found " + micros);
        }
        requireNotNegative("bandwidthPpm", bandwidthPpm);
        requireNotNegative("tensorPpm", tensorPpm);
        requireNotNegative("apartMicros", apartMicros);
        requireNotNegative("pciePpm", pciePpm);
        requireNotNegative("nvlinkPpm", nvlinkPpm);
    }

    private static void requireNotNegative(String key, @Nullable Long value) {
        if (value != null && value < 0) {
            throw new IllegalArgumentException(key + ": must be at least 0, found " + value);
        }
    }
}
