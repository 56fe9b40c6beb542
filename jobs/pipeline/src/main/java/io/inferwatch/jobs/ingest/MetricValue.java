package io.inferwatch.jobs.ingest;

import io.inferwatch.schemas.catalogue.DerivedValue;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The grammar of a metric's value in the catalogue: {@code 1}, {@code good}, a {@link DerivedValue}, a field, {@code field - field}, where the second
 * counts as 0 when it is absent, {@code field + field} or {@code field / field}, which are there where both fields are.
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

    /** The sum of two fields; there only where both are. */
    record Sum(String first, String second) implements MetricValue {}

    /** What follows from several fields of a sample. */
    record Derived(DerivedValue value) implements MetricValue {}

    /**
     * The first field's share of the second: at most 1, in millionths; there only where both are, and a whole below 1 counts as 1. Of samples
     * the part may be a sum of two.
     */
    record Share(String part, String whole) implements MetricValue {
        /** The fields that make up the part. */
        public List<String> parts() {
            return List.of(part.split(" \\+ ", -1));
        }
    }

    /** The value that the text means. */
    static MetricValue parse(String text) {
        String trimmed = text.trim();
        if (trimmed.equals("1")) {
            return new One();
        }
        if (trimmed.equals("good")) {
            return new Good();
        }
        Optional<DerivedValue> derived = DerivedValue.of(trimmed);
        if (derived.isPresent()) {
            return new Derived(derived.get());
        }
        int slash = trimmed.indexOf('/');
        if (slash >= 0) {
            return new Share(
                    trimmed.substring(0, slash).trim(),
                    trimmed.substring(slash + 1).trim());
        }
        int plus = trimmed.indexOf('+');
        if (plus >= 0) {
            return new Sum(
                    trimmed.substring(0, plus).trim(),
                    trimmed.substring(plus + 1).trim());
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
        if (value instanceof Share share) {
            return Stream.concat(share.parts().stream(), Stream.of(share.whole)).toList();
        }
        if (value instanceof Sum sum) {
            return List.of(sum.first, sum.second);
        }
        if (value instanceof Derived derived) {
            return derived.value.fields();
        }
        return List.of();
    }
}
