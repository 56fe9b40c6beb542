package io.inferwatch.probes.engine.exposition;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads what stands before a sample's value: the name and the labels, with the name outside or, in quotes, inside the braces. Never looks beyond the
 * line. One instance belongs to one thread.
 */
final class SeriesHead {
    private final ByteArrayOutputStream text = new ByteArrayOutputStream();
    private byte[] page = {};
    private int at;
    private int end;
    private @Nullable String name;
    private Map<String, String> labels = Map.of();

    /**
     * Reads a head.
     *
     * @return null when it is right, otherwise what is wrong
     */
    @Nullable
    Rejection read(byte[] bytes, int from, int to) {
        page = bytes;
        at = from;
        end = to;
        name = null;
        labels = new LinkedHashMap<>();
        if (at < end && page[at] != '{') {
            name = word(true);
            if (name == null) {
                return Rejection.MALFORMED_NAME;
            }
            skipBlanks();
        }
        if (at < end && page[at] == '{') {
            at++;
            if (!readLabels()) {
                return Rejection.MALFORMED_LABELS;
            }
        } else if (at > from && at < end && !isBlank(page[at - 1]) && page[at] != '\n') {
            return Rejection.MALFORMED_NAME;
        }
        return name == null ? Rejection.MALFORMED_NAME : null;
    }

    /** The first byte behind the head, blanks included that follow a bare name. */
    int endOffset() {
        return at;
    }

    String name() {
        return name == null ? "" : name;
    }

    Map<String, String> labels() {
        return labels;
    }

    private boolean readLabels() {
        while (true) {
            skipBlanks();
            if (at < end && page[at] == '}') {
                at++;
                return true;
            }
            boolean quoted = at < end && page[at] == '"';
            String key = quoted ? quoted() : word(false);
            if (key == null || key.isEmpty()) {
                return false;
            }
            skipBlanks();
            if (at < end && page[at] == '=') {
                at++;
                skipBlanks();
                String value = at < end && page[at] == '"' ? quoted() : null;
                if (value == null || labels.put(key, value) != null) {
                    return false;
                }
            } else if (quoted && name == null) {
                name = key;
            } else {
                return false;
            }
            skipBlanks();
            if (at < end && page[at] == ',') {
                at++;
            } else if (at >= end || page[at] != '}') {
                return false;
            }
        }
    }

    private @Nullable String word(boolean colons) {
        int from = at;
        while (at < end && isWord(page[at], colons) && !(at == from && isDigit(page[at]))) {
            at++;
        }
        return at == from ? null : new String(page, from, at - from, StandardCharsets.US_ASCII);
    }

    private @Nullable String quoted() {
        int from = ++at;
        boolean escaped = false;
        for (boolean isEscape = false; at < end && (isEscape || page[at] != '"'); at++) {
            if (page[at] == '\n') {
                return null;
            }
            isEscape = !isEscape && page[at] == '\\';
            escaped |= isEscape;
        }
        if (at >= end) {
            return null;
        }
        String raw = escaped ? unescaped(from, at) : new String(page, from, at - from, StandardCharsets.UTF_8);
        at++;
        return raw;
    }

    /** A backslash before anything but a backslash, a quote and n is itself. */
    private String unescaped(int from, int to) {
        text.reset();
        for (int i = from; i < to; i++) {
            byte letter = page[i];
            byte next = letter == '\\' && i + 1 < to ? page[i + 1] : 0;
            if (next == '\\' || next == '"' || next == 'n') {
                text.write(next == 'n' ? '\n' : next);
                i++;
            } else {
                text.write(letter);
            }
        }
        return text.toString(StandardCharsets.UTF_8);
    }

    private void skipBlanks() {
        while (at < end && isBlank(page[at])) {
            at++;
        }
    }

    private static boolean isBlank(byte letter) {
        return letter == ' ' || letter == '\t';
    }

    private static boolean isDigit(byte letter) {
        return letter >= '0' && letter <= '9';
    }

    private static boolean isWord(byte letter, boolean colons) {
        return (letter >= 'a' && letter <= 'z')
                || (letter >= 'A' && letter <= 'Z')
                || letter == '_'
                || isDigit(letter)
                || (colons && letter == ':');
    }
}
