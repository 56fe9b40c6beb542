package io.inferwatch.analytics.cost;

import java.util.Comparator;
import java.util.List;

/**
 * What a load would cost on a kind of device.
 *
 * @param tokensPerSecond that one of them would generate
 * @param perThousandTokens while it generates as much as it can
 * @param devices how many the load needs
 * @param dollarsPerHour of so many
 */
public record DeviceChoice(
        DevicePrice device, double tokensPerSecond, double perThousandTokens, long devices, double dollarsPerHour) {

    /**
     * All devices of a list, the cheapest for the load first; of equally cheap ones that with fewer devices.
     *
     * @param measuredOn the device on which throughput was measured
     * @param tokensPerSecond its effective throughput
     * @param loadPerSecond tokens a second that are to be generated
     */
    public static List<DeviceChoice> of(
            List<DevicePrice> list, DevicePrice measuredOn, double tokensPerSecond, double loadPerSecond) {
        DevicePrice.requirePositive("tokensPerSecond", tokensPerSecond);
        DevicePrice.requirePositive("loadPerSecond", loadPerSecond);
        return list.stream()
                .map(device -> on(device, measuredOn.throughputOn(device, tokensPerSecond), loadPerSecond))
                .sorted(Comparator.comparingDouble(DeviceChoice::dollarsPerHour)
                        .thenComparingLong(DeviceChoice::devices))
                .toList();
    }

    private static DeviceChoice on(DevicePrice device, double tokensPerSecond, double loadPerSecond) {
        // A whole number of devices is enough for what is a hair more by rounding.
        long devices = Math.max(1, (long) Math.ceil(loadPerSecond / tokensPerSecond * (1 - 1e-12)));
        return new DeviceChoice(
                device,
                tokensPerSecond,
                device.perThousandTokens(tokensPerSecond),
                devices,
                devices * device.dollarsPerHour());
    }
}
