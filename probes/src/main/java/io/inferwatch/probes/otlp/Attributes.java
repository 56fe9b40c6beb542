package io.inferwatch.probes.otlp;

import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Attributes of a span or a resource, read by what they must be. A value of another kind is none. Texts are taken only where they are short
 * names without blanks: prompts and answers may stand in attributes, too, and must not pass.
 */
final class Attributes {
    private static final Pattern NAME = Pattern.compile("[\\w.:/@+-]{1,128}");
    private static final Pattern QUOTED_NAME = Pattern.compile("\"([\\w.:/@+-]{1,128})\"");
    private static final double MAX_SECONDS = 1e6;

    private final Map<String, AnyValue> values = new HashMap<>();

    Attributes(List<KeyValue> attributes) {
        for (KeyValue attribute : attributes) {
            values.put(attribute.getKey(), attribute.getValue());
        }
    }

    boolean has(String key) {
        return values.containsKey(key);
    }

    /** Any text, for what is only compared or hashed; of a list the first. */
    @Nullable
    String text(String key) {
        AnyValue value = values.get(key);
        if (value != null && value.hasArrayValue() && value.getArrayValue().getValuesCount() > 0) {
            value = value.getArrayValue().getValues(0);
        }
        return (value != null
                        && value.hasStringValue()
                        && !value.getStringValue().isBlank())
                ? value.getStringValue()
                : null;
    }

    /** The first of the keys that holds a short text without blanks. */
    @Nullable
    String name(String... keys) {
        for (String key : keys) {
            String text = text(key);
            if (text != null && NAME.matcher(text).matches()) {
                return text;
            }
        }
        return null;
    }

    /** Elements of a list of short texts; a single text is a list of one, unless it is a list as JSON writes it. */
    List<String> names(String key) {
        AnyValue value = values.get(key);
        if (value == null) {
            return List.of();
        }
        if (value.getStringValue().startsWith("[")) {
            return QUOTED_NAME
                    .matcher(value.getStringValue())
                    .results()
                    .map(quoted -> quoted.group(1))
                    .toList();
        }
        List<AnyValue> elements = value.hasArrayValue() ? value.getArrayValue().getValuesList() : List.of(value);
        return elements.stream()
                .map(AnyValue::getStringValue)
                .filter(text -> NAME.matcher(text).matches())
                .toList();
    }

    /** A whole number from 0 on; of a double only where it is whole. */
    OptionalLong count(String key) {
        AnyValue value = values.get(key);
        if (value == null) {
            return OptionalLong.empty();
        }
        if (value.hasIntValue() && value.getIntValue() >= 0) {
            return OptionalLong.of(value.getIntValue());
        }
        double number = value.hasDoubleValue() ? value.getDoubleValue() : -1;
        return (number >= 0 && number < 1e15 && number == Math.rint(number))
                ? OptionalLong.of((long) number)
                : OptionalLong.empty();
    }

    @Nullable
    Long nullableCount(String key) {
        OptionalLong count = count(key);
        return count.isPresent() ? Long.valueOf(count.getAsLong()) : null;
    }

    /** Seconds as microseconds, rounded; null when they are negative, not finite or absurd. */
    @Nullable
    Long micros(String key) {
        AnyValue value = values.get(key);
        if (value == null) {
            return null;
        }
        double seconds = value.hasDoubleValue()
                ? value.getDoubleValue()
                : value.hasIntValue() ? (double) value.getIntValue() : Double.NaN;
        return (seconds >= 0 && seconds <= MAX_SECONDS) ? Long.valueOf(Math.round(seconds * 1e6)) : null;
    }

    @Nullable
    Boolean flag(String key) {
        AnyValue value = values.get(key);
        return (value != null && value.hasBoolValue()) ? Boolean.valueOf(value.getBoolValue()) : null;
    }
}
