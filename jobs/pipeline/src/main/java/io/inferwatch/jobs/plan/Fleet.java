package io.inferwatch.jobs.plan;

import io.inferwatch.schemas.catalogue.GroupingDimension;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.settings.Settings;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * A fleet to come, as its file describes it:
 *
 * <pre>{@code
 * requests-per-second: 10000   # over the whole fleet
 * values:                      # how many values of a dimension live at once; one where it is left out
 *   model: 10
 *   version: 2                 # of each model
 *   replica: 1000
 * budget:                      # what must not be exceeded; any of them, or none
 *   series: 50000
 *   state-megabytes: 2000
 *   points-per-second: 2000
 *   influxdb-megabytes-per-day: 20000
 *   kafka-megabytes-per-day: 300000
 * }</pre>
 *
 * @param values by dimension
 * @param budget the greatest amount of a quantity; without an entry it has no limit
 */
public record Fleet(long requestsPerSecond, Map<String, Long> values, Map<Quantity, Long> budget) {
    private static final long MOST = 1_000_000_000_000L;

    /** The GPUs that engines name: as many as {@code gpu} says. */
    static final String DEVICE = "device";

    /** A fleet with unmodifiable maps. */
    public Fleet {
        values = Map.copyOf(values);
        budget = Map.copyOf(budget);
    }

    /**
     * A fleet from its file.
     *
     * @throws io.inferwatch.schemas.settings.InvalidSettingsException with all its problems, when it has any
     */
    public static Fleet read(Path file, MetricCatalogue catalogue) {
        return of(Settings.read(file), catalogue);
    }

    /** A fleet from YAML text; the name stands for it in messages. */
    public static Fleet parse(String name, String yaml, MetricCatalogue catalogue) {
        return of(Settings.parse(name, yaml), catalogue);
    }

    /**
     * A fleet from its file's root section.
     *
     * @throws io.inferwatch.schemas.settings.InvalidSettingsException with all its problems, when it has any
     */
    public static Fleet of(Settings root, MetricCatalogue catalogue) {
        long requestsPerSecond = root.integer("requests-per-second", 0, MOST);
        Map<String, Long> values = new TreeMap<>();
        Settings counts = root.section("values");
        for (GroupingDimension dimension : catalogue.dimensions()) {
            // Buckets are as many as the catalogue says.
            boolean isOwn = dimension instanceof GroupingDimension.Values
                    && !dimension.name().equals(DEVICE);
            if (isOwn && counts.has(dimension.name())) {
                values.put(dimension.name(), counts.integer(dimension.name(), 1, MOST));
            }
        }
        Map<Quantity, Long> budget = new EnumMap<>(Quantity.class);
        Settings limits = root.section("budget");
        for (Quantity quantity : Quantity.values()) {
            if (limits.has(quantity.key())) {
                budget.put(quantity, limits.integer(quantity.key(), 0, MOST));
            }
        }
        root.check();
        return new Fleet(requestsPerSecond, values, budget);
    }
}
