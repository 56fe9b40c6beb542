package io.inferwatch.influx;

import java.util.List;
import java.util.Map;

/**
 * One series of a query's answer.
 *
 * @param measurement its measurement; empty where the query has none
 * @param tags the tags that the query groups by; a series without the tag has an empty text
 */
public record InfluxSeries(String measurement, Map<String, String> tags, List<InfluxRow> rows) {
    /** A series with unmodifiable collections. */
    public InfluxSeries {
        tags = Map.copyOf(tags);
        rows = List.copyOf(rows);
    }
}
