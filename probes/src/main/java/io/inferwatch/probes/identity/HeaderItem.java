package io.inferwatch.probes.identity;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One item of a header such as {@code Server-Timing}: {@code name;key=value;key="value", name;...}.
 *
 * @param parameters keys in lower case
 */
record HeaderItem(String name, Map<String, String> parameters) {
    private static final int MAX_LENGTH = 4096;

    /** The items in order; null when one has no name or the header is too long. */
    static @Nullable List<HeaderItem> parse(String header) {
        if (header.length() > MAX_LENGTH) {
            return null;
        }
        List<HeaderItem> items = new ArrayList<>();
        for (String text : header.split(",", -1)) {
            String[] parts = text.split(";", -1);
            String name = parts[0].trim();
            if (name.isEmpty()) {
                return null;
            }
            Map<String, String> parameters = new HashMap<>();
            for (int i = 1; i < parts.length; i++) {
                int equals = parts[i].indexOf('=');
                if (equals > 0) {
                    parameters.put(
                            parts[i].substring(0, equals).trim().toLowerCase(Locale.ROOT),
                            unquote(parts[i].substring(equals + 1).trim()));
                }
            }
            items.add(new HeaderItem(name, parameters));
        }
        return items;
    }

    private static String unquote(String text) {
        return text.length() >= 2 && text.startsWith("\"") && text.endsWith("\"")
                ? text.substring(1, text.length() - 1)
                : text;
    }
}
