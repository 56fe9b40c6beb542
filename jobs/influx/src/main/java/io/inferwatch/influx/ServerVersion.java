package io.inferwatch.influx;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The version that a server gives itself, and what follows from it. What gives none that can be read is taken for a server that
 * speaks the API of 1.8 and later, as look-alikes do.
 *
 * @param text as the server wrote it
 */
public record ServerVersion(String text, int major, int minor) {
    private static final Pattern NUMBERS = Pattern.compile("v?(\\d{1,4})\\.(\\d{1,4}).*");

    /** The version in a header such as {@code 1.6.7~rc0} or {@code v2.7.11}. */
    public static ServerVersion parse(String text) {
        Matcher matcher = NUMBERS.matcher(text);
        return matcher.matches()
                ? new ServerVersion(text, Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)))
                : new ServerVersion(text, 1, 8);
    }

    /** Whether it knows {@code /write} and Basic authentication only: before 1.8. */
    public boolean isLegacy() {
        return major < 1 || (major == 1 && minor < 8);
    }

    /** Whether it keeps data in buckets instead of databases: 2.x. */
    public boolean hasBuckets() {
        return major >= 2;
    }

    @Override
    public String toString() {
        return text;
    }
}
