package io.inferwatch.influx;

import com.influxdb.client.write.Point;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One point, on its way to a line of line protocol. What cannot be written is left out and counted, so that a line is always one that
 * every server from 1.6 to 2.x reads as it was meant:
 *
 * <ul>
 *   <li>a tag without a value is left out; so is every tag or field whose key is empty or {@code time};
 *   <li>a backslash at the end of a tag's value, which 1.x would take for the escape of what follows, becomes {@code /}; line breaks
 *       and tabs in it become spaces;
 *   <li>a field that is not a number is left out; a point without fields has no line;
 *   <li>a field has one type for ever: {@link #integer} is always written with i, {@link #real} never is.
 * </ul>
 *
 * <p>The official client's {@link Point} is not used, because it keeps that backslash, writes line breaks as {@code \n}, does not say
 * what it left out, and formats each number through a {@code NumberFormat}. Not thread safe.
 */
public final class PointBuilder {
    private static final String RESERVED_KEY = "time";

    private final StringBuilder head = new StringBuilder(128);
    private final StringBuilder fields = new StringBuilder(1024);
    private int leftOut;

    private PointBuilder(String measurement) {
        if (measurement.isEmpty()) {
            throw new IllegalArgumentException("measurement: must have a name, found nothing");
        }
        appendKey(head, measurement, false);
    }

    /** A point of a measurement. */
    public static PointBuilder of(Measurement measurement) {
        return of(measurement.measurementName());
    }

    /** A point of a measurement that may have any name. */
    static PointBuilder of(String measurement) {
        return new PointBuilder(measurement);
    }

    /** Adds a tag. Tags are to be added in one and the same order: it is part of the series' name only for a human reader. */
    public PointBuilder tag(String key, @Nullable String value) {
        if (isUnusableKey(key)) {
            leftOut++;
            return this;
        }
        if (value == null || value.isEmpty()) {
            return this;
        }
        head.append(',');
        appendKey(head, key, true);
        head.append('=');
        appendKey(head, value, true);
        return this;
    }

    /** Adds a whole number. */
    public PointBuilder integer(String key, long value) {
        if (startField(key)) {
            fields.append(value).append('i');
        }
        return this;
    }

    /** Adds a measured number; left out and counted when it is none. */
    public PointBuilder real(String key, double value) {
        if (!Double.isFinite(value)) {
            leftOut++;
        } else if (startField(key)) {
            fields.append(value);
        }
        return this;
    }

    /** Adds a text. */
    public PointBuilder text(String key, String value) {
        if (startField(key)) {
            fields.append('"');
            for (int i = 0; i < value.length(); i++) {
                char c = value.charAt(i);
                if (c == '"' || c == '\\') {
                    fields.append('\\');
                }
                fields.append(c);
            }
            fields.append('"');
        }
        return this;
    }

    /** How many tags and fields were left out because they cannot be written; tags without a value do not count. */
    public int leftOut() {
        return leftOut;
    }

    /** Measurement and tags: the point's series. */
    public String series() {
        return head.toString();
    }

    /** The line at a time in epoch microseconds; empty when the point has no field. */
    public Optional<String> line(long epochMicros) {
        if (fields.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(head + " " + fields + " " + epochMicros);
    }

    private boolean startField(String key) {
        if (isUnusableKey(key)) {
            leftOut++;
            return false;
        }
        if (!fields.isEmpty()) {
            fields.append(',');
        }
        appendKey(fields, key, true);
        fields.append('=');
        return true;
    }

    private static boolean isUnusableKey(String key) {
        return key.isEmpty() || key.equals(RESERVED_KEY);
    }

    private static void appendKey(StringBuilder to, String text, boolean escapeEquals) {
        int last = text.length() - 1;
        for (int i = 0; i <= last; i++) {
            char c = text.charAt(i);
            switch (c) {
                case '\n', '\r', '\t' -> to.append("\\ ");
                case ' ', ',' -> to.append('\\').append(c);
                case '=' -> to.append(escapeEquals ? "\\=" : "=");
                case '\\' -> to.append(i == last ? '/' : '\\');
                default -> to.append(c);
            }
        }
    }
}
