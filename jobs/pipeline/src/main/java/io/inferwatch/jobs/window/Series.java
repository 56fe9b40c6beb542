package io.inferwatch.jobs.window;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Names of series: {@code view/value/value}, each value percent-encoded where it holds {@code /}, {@code %} or control characters. */
public final class Series {
    private Series() {}

    /** The series of a view with these values of its dimensions. */
    public static String name(String view, String[] values) {
        StringBuilder name = new StringBuilder(view);
        for (String value : values) {
            name.append('/');
            encode(value, name);
        }
        return name.toString();
    }

    /** The view of a series. */
    public static String view(String series) {
        int slash = series.indexOf('/');
        return slash < 0 ? series : series.substring(0, slash);
    }

    /** The values of its dimensions. */
    public static List<String> values(String series) {
        List<String> values = new ArrayList<>();
        int slash = series.indexOf('/');
        while (slash >= 0) {
            int next = series.indexOf('/', slash + 1);
            values.add(decode(series.substring(slash + 1, next < 0 ? series.length() : next)));
            slash = next;
        }
        return values;
    }

    private static void encode(String value, StringBuilder out) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '/' || c == '%' || c < ' ' || c == 0x7F) {
                out.append('%').append(Character.forDigit(c >>> 4, 16)).append(Character.forDigit(c & 0xF, 16));
            } else {
                out.append(c);
            }
        }
    }

    private static String decode(String encoded) {
        if (encoded.indexOf('%') < 0) {
            return encoded;
        }
        StringBuilder value = new StringBuilder();
        for (int i = 0; i < encoded.length(); i++) {
            char c = encoded.charAt(i);
            if (c == '%') {
                byte[] code = {(byte) Integer.parseInt(encoded.substring(i + 1, i + 3), 16)};
                value.append(new String(code, StandardCharsets.US_ASCII));
                i += 2;
            } else {
                value.append(c);
            }
        }
        return value.toString();
    }
}
