package io.inferwatch.probes.identity;

import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Milliseconds as headers write them, {@code 250} or {@code 12.5}: at most nine digits on either side, so that nothing can overflow. */
final class DecimalMillis {
    private static final Pattern FORM = Pattern.compile("(\\d{1,9})(?:\\.(\\d{1,9}))?");
    private static final long NANOS_PER_MILLI = 1_000_000;

    private DecimalMillis() {}

    /** Whole nanoseconds, what is finer cut off; empty when the text is no such number. */
    static OptionalLong nanos(String text) {
        Matcher matcher = FORM.matcher(text.trim());
        if (!matcher.matches()) {
            return OptionalLong.empty();
        }
        String fraction = matcher.group(2) == null ? "" : matcher.group(2);
        long finer = Long.parseLong((fraction + "000000").substring(0, 6));
        return OptionalLong.of(Long.parseLong(matcher.group(1)) * NANOS_PER_MILLI + finer);
    }

    /** Microseconds, rounded; empty when the text is no such number. */
    static OptionalLong micros(String text) {
        OptionalLong nanos = nanos(text);
        return nanos.isEmpty() ? nanos : OptionalLong.of((nanos.getAsLong() + 500) / 1_000);
    }
}
