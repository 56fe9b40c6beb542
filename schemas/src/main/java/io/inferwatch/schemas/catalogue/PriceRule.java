package io.inferwatch.schemas.catalogue;

import io.inferwatch.schemas.settings.Settings;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/**
 * What a device costs, and what it does.
 *
 * @param device part of the product's name as probes tell it, e.g. {@code A100}
 * @param dollarsPerHour of one device
 * @param relativeThroughput tokens a second of the same work, as a multiple of the device with 1
 */
public record PriceRule(String device, double dollarsPerHour, double relativeThroughput) {
    /** The kind of settings that hold prices. */
    public static final String KIND = "price";

    /**
     * A price as it was set while jobs run.
     *
     * @throws io.inferwatch.schemas.settings.InvalidSettingsException with all its problems, when it has any
     */
    public static PriceRule parse(String device, String yaml) {
        Settings root = Settings.parse(KIND + "/" + device, yaml);
        PriceRule rule = read(device, root);
        root.check();
        return rule;
    }

    static PriceRule read(String device, Settings entry) {
        return new PriceRule(device, positive(entry, "dollars-per-hour"), positive(entry, "relative-throughput"));
    }

    /** The price of a product: that of its own name, else of the longest name that is part of it. */
    public static Optional<PriceRule> of(String product, Collection<PriceRule> prices) {
        String name = product.toLowerCase(Locale.ROOT);
        return prices.stream()
                .filter(price -> name.contains(price.device.toLowerCase(Locale.ROOT)))
                .max(Comparator.<PriceRule>comparingInt(price -> price.device.length())
                        .thenComparing(PriceRule::device));
    }

    private static double positive(Settings entry, String key) {
        Double number = entry.number(key, 0, Double.MAX_VALUE);
        if (number != null && number == 0) {
            entry.problem(key, "above 0", "0");
        }
        return number == null ? 1 : number;
    }
}
