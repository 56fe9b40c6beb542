package io.inferwatch.probes.replay;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The values of one row by name. An empty text, None, NULL and NaN are one thing: no value, which is null and never 0. */
final class Fields {
    private static final long MICROS_PER_SECOND = 1_000_000;

    private final String where;
    private final Function<String, @Nullable String> values;

    /**
     * The values of a row.
     *
     * @param where file and line, for messages
     * @param values the raw text under a name; null when there is none
     */
    Fields(String where, Function<String, @Nullable String> values) {
        this.where = where;
        this.values = values;
    }

    String where() {
        return where;
    }

    @Nullable
    String text(String name) {
        String raw = values.apply(name);
        if (raw == null) {
            return null;
        }
        String text = raw.strip();
        boolean missing = text.isEmpty()
                || text.equalsIgnoreCase("None")
                || text.equalsIgnoreCase("NULL")
                || text.equalsIgnoreCase("NaN");
        return missing ? null : text;
    }

    String requiredText(String name) {
        String text = text(name);
        if (text == null) {
            throw bad(name, "must be there", "no value");
        }
        return text;
    }

    /** A whole number, not negative; one written as 12.0 is whole. */
    @Nullable
    Long count(String name) {
        BigDecimal number = number(name);
        if (number == null) {
            return null;
        }
        try {
            long count = number.longValueExact();
            if (count >= 0) {
                return count;
            }
        } catch (ArithmeticException e) {
            throw bad(name, "must be a whole number", "'" + text(name) + "'");
        }
        throw bad(name, "must be at least 0", "'" + text(name) + "'");
    }

    long requiredCount(String name) {
        Long count = count(name);
        if (count == null) {
            throw bad(name, "must be a whole number", "no value");
        }
        return count;
    }

    /** A duration in seconds, not negative, as microseconds. */
    @Nullable
    Long seconds(String name) {
        Long micros = micros(name, MICROS_PER_SECOND);
        if (micros != null && micros < 0) {
            throw bad(name, "must be at least 0 seconds", "'" + text(name) + "'");
        }
        return micros;
    }

    /** A number in a unit of so many microseconds, as microseconds. */
    @Nullable
    Long micros(String name, long microsPerUnit) {
        BigDecimal number = number(name);
        if (number == null) {
            return null;
        }
        try {
            return number.multiply(BigDecimal.valueOf(microsPerUnit))
                    .setScale(0, RoundingMode.HALF_UP)
                    .longValueExact();
        } catch (ArithmeticException e) {
            throw bad(name, "must be a time", "'" + text(name) + "'");
        }
    }

    long requiredMicros(String name, long microsPerUnit) {
        Long micros = micros(name, microsPerUnit);
        if (micros == null) {
            throw bad(name, "must be a number", "no value");
        }
        return micros;
    }

    BadTraceException bad(String name, String rule, String found) {
        return new BadTraceException(where + ": " + name + ": " + rule + ", found " + found);
    }

    private @Nullable BigDecimal number(String name) {
        String text = text(name);
        if (text == null) {
            return null;
        }
        try {
            BigDecimal number = new BigDecimal(text);
            if (Math.abs((long) number.precision() - number.scale()) > 30) {
                throw bad(name, "must be a number of sensible size", "'" + text + "'");
            }
            return number;
        } catch (NumberFormatException e) {
            throw bad(name, "must be a number", "'" + text + "'");
        }
    }
}
