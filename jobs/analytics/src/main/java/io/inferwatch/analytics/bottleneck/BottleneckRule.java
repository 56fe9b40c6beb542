package io.inferwatch.analytics.bottleneck;

/**
 * From where on something is the limit, in millionths.
 *
 * @param highBandwidthPpm above it memory is saturated
 * @param lowBandwidthPpm below it memory is no limit; no more than the high one
 * @param highTensorPpm above it tensor cores are saturated
 * @param lowTensorPpm below it tensor cores are no limit; no more than the high one
 * @param saturatedLinkPpm above it PCIe or NVLink are saturated
 * @param apartPpm readings that are further apart than this part of the window are not of the same window
 */
public record BottleneckRule(
        long highBandwidthPpm,
        long lowBandwidthPpm,
        long highTensorPpm,
        long lowTensorPpm,
        long saturatedLinkPpm,
        long apartPpm) {
    /**
     * Bandwidth 85 % and 40 %, tensor cores 80 % and 60 %, as published; a link at 85 %, like memory; a tenth of the window, so that at least
     * nine tenths of what is compared are the same time.
     */
    public static final BottleneckRule STANDARD =
            new BottleneckRule(850_000, 400_000, 800_000, 600_000, 850_000, 100_000);

    /** Checks the numbers. */
    public BottleneckRule {
        requireOrder("lowBandwidthPpm", lowBandwidthPpm, highBandwidthPpm);
        requireOrder("lowTensorPpm", lowTensorPpm, highTensorPpm);
        requireOrder("saturatedLinkPpm", saturatedLinkPpm, 1_000_000);
        requireOrder("apartPpm", apartPpm, 1_000_000);
    }

    private static void requireOrder(String key, long value, long most) {
        if (value < 0 || value > most || most > 1_000_000) {
            throw new IllegalArgumentException(
                    key + ": must be from 0 to " + Math.min(most, 1_000_000) + ", found " + value);
        }
    }
}
