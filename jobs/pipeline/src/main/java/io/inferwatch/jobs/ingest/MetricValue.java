package io.inferwatch.jobs.ingest;

import java.util.List;

/**
 * The grammar of a metric's value in the catalogue: {@code 1}, {@code good}, a field, or {@code field - field}, where the second counts
 * as 0 when it is absent.
 */
public sealed interface MetricValue {

    /** Counts events. */
    record One() implements MetricValue {}

    /** Counts events that are complete and within every limit given for them. */
    record Good() implements MetricValue {}

    /** A field. */
    record Field(String name) implements MetricValue {}

    /** The difference of two fields. */
    record Difference(String minuend, String subtrahend) implements MetricValue {}

    /** The value that the text means. */
    static MetricValue parse(String text) {
        String trimmed = text.trim();
        if (trimmed.equals("1")) {
            return new One();
        }
        if (trimmed.equals("good")) {
            return new Good();
        }
        int minus = trimmed.indexOf('-');
        if (minus < 0) {
            return new Field(trimmed);
        }
        return new Difference(
                trimmed.substring(0, minus).trim(), trimmed.substring(minus + 1).trim());
    }

    /** The fields that the text names. */
    static List<String> fields(String text) {
        MetricValue value = parse(text);
        if (value instanceof Field field) {
            return List.of(field.name);
        }
        if (value instanceof Difference difference) {
            return List.of(difference.minuend, difference.subtrahend);
        }
        return List.of();
    }
}
