package io.inferwatch.influx;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A line as InfluxDB 1.x takes it apart: an independent reading of its rules (a separator counts unless the character before it is a
 * backslash), against which written lines are held. Lines that start with # are comments.
 */
record ParsedLine(String measurement, Map<String, String> tags, Map<String, Object> fields, long time) {

    static List<ParsedLine> parseAll(String text) {
        List<ParsedLine> lines = new ArrayList<>();
        for (String line : splitOutsideQuotes(text, '\n')) {
            if (!line.isBlank() && !line.startsWith("#")) {
                lines.add(parse(line));
            }
        }
        return lines;
    }

    static ParsedLine parse(String line) {
        List<String> parts = splitOutsideQuotes(line, ' ');
        if (parts.size() != 3) {
            throw new IllegalArgumentException("line: must have three parts, found " + parts);
        }
        List<String> head = split(parts.get(0), ',');
        Map<String, String> tags = new LinkedHashMap<>();
        for (String tag : head.subList(1, head.size())) {
            List<String> pair = split(tag, '=');
            if (pair.size() != 2 || pair.get(0).isEmpty() || pair.get(1).isEmpty()) {
                throw new IllegalArgumentException("tag: must be key=value, found " + tag);
            }
            tags.put(unescape(pair.get(0)), unescape(pair.get(1)));
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        for (String field : splitOutsideQuotes(parts.get(1), ',')) {
            List<String> pair = splitOutsideQuotes(field, '=');
            fields.put(unescape(pair.get(0)), value(pair.get(1)));
        }
        return new ParsedLine(unescape(head.get(0)), tags, fields, Long.parseLong(parts.get(2)));
    }

    private static Object value(String text) {
        if (text.startsWith("\"")) {
            if (!text.endsWith("\"") || text.length() < 2) {
                throw new IllegalArgumentException("text: must end with a quote, found " + text);
            }
            StringBuilder value = new StringBuilder();
            for (int i = 1; i < text.length() - 1; i++) {
                char c = text.charAt(i);
                if (c == '\\' && (text.charAt(i + 1) == '"' || text.charAt(i + 1) == '\\')) {
                    i++;
                }
                value.append(text.charAt(i));
            }
            return value.toString();
        }
        return text.endsWith("i")
                ? (Object) Long.valueOf(text.substring(0, text.length() - 1))
                : (Object) Double.valueOf(text);
    }

    /** Splits at each separator that no backslash precedes. */
    private static List<String> split(String text, char separator) {
        List<String> parts = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == separator && (i == 0 || text.charAt(i - 1) != '\\')) {
                parts.add(text.substring(start, i));
                start = i + 1;
            }
        }
        parts.add(text.substring(start));
        return parts;
    }

    /** Splits outside of quotes; quotes count only in fields: for a whole line, after its first space that is not escaped. */
    private static List<String> splitOutsideQuotes(String text, char separator) {
        boolean wholeLines = separator == ' ' || separator == '\n';
        List<String> parts = new ArrayList<>();
        boolean quoted = false;
        boolean inFields = !wholeLines;
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean escaped = i > 0 && text.charAt(i - 1) == '\\';
            if (quoted && c == '\\') {
                i++;
            } else if (c == '"' && inFields) {
                quoted = !quoted;
            } else if (!quoted && !escaped) {
                if (c == separator) {
                    parts.add(text.substring(start, i));
                    start = i + 1;
                }
                inFields = c == ' ' || (inFields && c != '\n') || !wholeLines;
            }
        }
        parts.add(text.substring(start));
        return parts;
    }

    private static String unescape(String text) {
        return text.replace("\\ ", " ").replace("\\,", ",").replace("\\=", "=");
    }
}
