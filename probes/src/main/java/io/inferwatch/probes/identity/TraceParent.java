package io.inferwatch.probes.identity;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The W3C header of the same name. Versions after 00 may carry more behind the flags; what is not well formed, or all zero, is none.
 *
 * @param traceId 32 hexadecimal digits
 * @param parentSpanId 16 hexadecimal digits
 */
public record TraceParent(String traceId, String parentSpanId) {
    private static final Pattern FORM =
            Pattern.compile("([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?");
    private static final String NO_TRACE = "0".repeat(32);
    private static final String NO_SPAN = "0".repeat(16);

    /** The header's content, or null when it has none. */
    public static @Nullable TraceParent parse(String header) {
        Matcher matcher = FORM.matcher(header.trim());
        if (!matcher.matches()
                || matcher.group(1).equals("ff")
                || (matcher.group(1).equals("00") && matcher.group(4) != null)
                || matcher.group(2).equals(NO_TRACE)
                || matcher.group(3).equals(NO_SPAN)) {
            return null;
        }
        return new TraceParent(matcher.group(2), matcher.group(3));
    }
}
