package io.inferwatch.probes.identity;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The W3C header of the same name: {@code key=value;property, key=value}, values percent-encoded. Properties are skipped. */
record Baggage(Map<String, String> entries) {
    /** Longest header that is read, as W3C sets it. */
    static final int MAX_LENGTH = 8192;

    private static final Baggage NONE = new Baggage(Map.of());

    static Baggage none() {
        return NONE;
    }

    /** The header's content; null when it is not well formed or too long. */
    static @Nullable Baggage parse(String header) {
        if (header.length() > MAX_LENGTH) {
            return null;
        }
        Map<String, String> entries = new HashMap<>();
        for (String member : header.split(",", -1)) {
            if (member.isBlank()) {
                continue;
            }
            String pair = member.split(";", 2)[0];
            int equals = pair.indexOf('=');
            if (equals < 1) {
                return null;
            }
            try {
                // A plus is a plus here: only forms write blanks so.
                String value = URLDecoder.decode(
                        pair.substring(equals + 1).trim().replace("+", "%2B"), StandardCharsets.UTF_8);
                entries.putIfAbsent(pair.substring(0, equals).trim(), value);
            } catch (IllegalArgumentException e) {
                return null;
            }
        }
        return new Baggage(entries);
    }
}
