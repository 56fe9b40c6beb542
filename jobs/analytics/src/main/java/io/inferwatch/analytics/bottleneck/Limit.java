package io.inferwatch.analytics.bottleneck;

/** What a device's own units say: memory bandwidth by tensor cores, read in the same window. */
public enum Limit {
    /** Bandwidth is high and tensor cores are not busy: they wait for memory. */
    BANDWIDTH,
    /** Tensor cores are high and bandwidth is low: memory waits for them. */
    COMPUTE,
    /** Neither is busy: the device waits for launches, the host, or work. */
    UNDERUSED,
    /** All else: both at work, and neither alone the limit. */
    BALANCED,
    /** A reading is missing, or the two are too far apart to be compared. */
    UNKNOWN;

    static Limit of(Activity activity, BottleneckRule rule) {
        Long bandwidth = activity.bandwidthPpm();
        Long tensor = activity.tensorPpm();
        Long apart = activity.apartMicros();
        if (bandwidth == null || tensor == null || apart == null || isApart(apart, activity.micros(), rule)) {
            return UNKNOWN;
        }
        if (bandwidth > rule.highBandwidthPpm() && tensor < rule.lowTensorPpm()) {
            return BANDWIDTH;
        }
        if (bandwidth < rule.lowBandwidthPpm() && tensor > rule.highTensorPpm()) {
            return COMPUTE;
        }
        return bandwidth < rule.lowBandwidthPpm() && tensor < rule.lowTensorPpm() ? UNDERUSED : BALANCED;
    }

    private static boolean isApart(long apartMicros, long micros, BottleneckRule rule) {
        return apartMicros > micros * (rule.apartPpm() / 1e6);
    }
}
