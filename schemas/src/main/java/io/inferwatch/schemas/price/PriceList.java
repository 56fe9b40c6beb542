package io.inferwatch.schemas.price;

import io.inferwatch.schemas.settings.Settings;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What devices cost by the hour, and how their throughput compares.
 *
 * @param devices by name, in the file's order
 */
public record PriceList(Map<String, Price> devices) {
    /** The kind of settings that hold price lists; their body is a text that {@link #parse} reads. */
    public static final String KIND = "price";

    /** A list with an unmodifiable map. */
    public PriceList {
        devices = Collections.unmodifiableMap(new LinkedHashMap<>(devices));
    }

    /**
     * A device.
     *
     * @param relativeThroughput tokens a second of the same work, as a multiple of the device with 1
     */
    public record Price(double dollarsPerHour, double relativeThroughput) {}

    /**
     * The list of a file.
     *
     * @throws io.inferwatch.schemas.settings.InvalidSettingsException with all its problems, when it has any
     */
    public static PriceList read(Path file) {
        return of(Settings.read(file));
    }

    /** The list of a text; the name stands for it in messages. */
    public static PriceList parse(String name, String yaml) {
        return of(Settings.parse(name, yaml));
    }

    private static PriceList of(Settings root) {
        Map<String, Price> devices = new LinkedHashMap<>();
        Settings section = root.section("devices");
        section.sections().forEach((name, device) -> {
            double dollars = positive(device, "dollars-per-hour");
            devices.put(name, new Price(dollars, positive(device, "relative-throughput")));
        });
        if (devices.isEmpty()) {
            root.problem("devices", "at least one device", "none");
        }
        root.check();
        return new PriceList(devices);
    }

    private static double positive(Settings device, String key) {
        Double number = device.number(key, 0, Double.MAX_VALUE);
        if (number != null && number == 0) {
            device.problem(key, "above 0", "0");
        }
        return number == null ? 1 : number;
    }
}
