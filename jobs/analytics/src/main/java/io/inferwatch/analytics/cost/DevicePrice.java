package io.inferwatch.analytics.cost;

/**
 * A kind of device in the price list.
 *
 * @param name e.g. {@code A100}
 * @param dollarsPerHour above 0
 * @param relativeThroughput tokens a second that it generates of the same work, as a multiple of the list's device with 1; above 0
 */
public record DevicePrice(String name, double dollarsPerHour, double relativeThroughput) {
    private static final double SECONDS_PER_HOUR = 3_600;

    /** Checks the numbers. */
    public DevicePrice {
        requirePositive("dollarsPerHour", dollarsPerHour);
        requirePositive("relativeThroughput", relativeThroughput);
    }

    /** What so many seconds of it cost. */
    public double dollars(double seconds) {
        return dollarsPerHour * seconds / SECONDS_PER_HOUR;
    }

    /** Dollars for 1,000 tokens at so many a second. */
    public double perThousandTokens(double tokensPerSecond) {
        return 1_000 * dollars(1) / tokensPerSecond;
    }

    /** Tokens a second that another device would generate of the work of which this one generates so many. */
    public double throughputOn(DevicePrice other, double tokensPerSecond) {
        return tokensPerSecond * other.relativeThroughput / relativeThroughput;
    }

    static void requirePositive(String key, double value) {
        if (!(value > 0 && Double.isFinite(value))) {
            throw new IllegalArgumentException(key + ": must be above 0 and finite, found " + value);
        }
    }
}
