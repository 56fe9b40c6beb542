package io.inferwatch.jobs.plan;

import java.util.Locale;

/** What a fleet uses up, and a budget may limit. */
public enum Quantity {
    SERIES,
    STATE_MEGABYTES,
    POINTS_PER_SECOND,
    INFLUXDB_MEGABYTES_PER_DAY,
    KAFKA_MEGABYTES_PER_DAY;

    /** Its key in a fleet's file. */
    String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
