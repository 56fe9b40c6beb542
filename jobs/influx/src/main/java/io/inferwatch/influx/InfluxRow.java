package io.inferwatch.influx;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * One row of a query's answer; values by column. InfluxDB's JSON tells no integers from others, so the caller says which it expects.
 *
 * @param columns names in order
 * @param values as they came, null for none
 */
public record InfluxRow(List<String> columns, List<JsonNode> values) {
    /** A row with unmodifiable lists. */
    public InfluxRow {
        columns = List.copyOf(columns);
        values = List.copyOf(values);
        if (columns.size() != values.size()) {
            throw new IllegalArgumentException(
                    "values: must be one for each of " + columns + ", found " + values.size());
        }
    }

    /** The row's time in epoch microseconds. */
    public long timeMicros() {
        return integer("time").orElseThrow(() -> new InfluxQueryException("row: must have a time, found " + columns));
    }

    /** A number. */
    public OptionalDouble real(String column) {
        JsonNode value = value(column);
        if (value.isNull()) {
            return OptionalDouble.empty();
        }
        if (!value.isNumber()) {
            throw unexpected(column, "a number", value);
        }
        return OptionalDouble.of(value.doubleValue());
    }

    /** A whole number. */
    public OptionalLong integer(String column) {
        JsonNode value = value(column);
        if (value.isNull()) {
            return OptionalLong.empty();
        }
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw unexpected(column, "a whole number", value);
        }
        return OptionalLong.of(value.longValue());
    }

    /** A text. */
    public Optional<String> text(String column) {
        JsonNode value = value(column);
        if (value.isNull()) {
            return Optional.empty();
        }
        if (!value.isTextual()) {
            throw unexpected(column, "a text", value);
        }
        return Optional.of(value.textValue());
    }

    private JsonNode value(String column) {
        int index = columns.indexOf(column);
        if (index < 0) {
            throw new IllegalArgumentException("column: must be one of " + columns + ", found '" + column + "'");
        }
        return values.get(index);
    }

    private static InfluxQueryException unexpected(String column, String mustBe, JsonNode found) {
        return new InfluxQueryException("column " + column + ": must be " + mustBe + ", found " + found);
    }
}
