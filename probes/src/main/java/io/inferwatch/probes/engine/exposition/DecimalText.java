package io.inferwatch.probes.engine.exposition;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Reads numbers as Prometheus writes them. Short decimals are computed exactly from their digits; all others go through
 * {@link Double#parseDouble}, so that the result is always the nearest double. One instance belongs to one thread.
 */
final class DecimalText {
    private static final int EXACT_POWERS = 22;
    private static final long EXACT_MANTISSA = 1L << 53;
    private static final int MAX_DIGITS = 18;
    private static final int MAX_EXPONENT = 9_999;
    private static final double[] POWERS = new double[EXACT_POWERS + 1];

    static {
        for (int i = 0; i <= EXACT_POWERS; i++) {
            POWERS[i] = Double.parseDouble("1e" + i);
        }
    }

    private double value;

    /** Whether these bytes are a number, which {@link #value()} then has. */
    boolean read(byte[] text, int from, int to) {
        int at = from;
        boolean negative = at < to && text[at] == '-';
        if (negative || (at < to && text[at] == '+')) {
            at++;
        }
        long mantissa = 0;
        int digits = 0;
        int fraction = 0;
        boolean seesPoint = false;
        boolean hasDigit = false;
        for (; at < to; at++) {
            byte letter = text[at];
            if (letter >= '0' && letter <= '9') {
                hasDigit = true;
                if (digits < MAX_DIGITS) {
                    mantissa = mantissa * 10 + (letter - '0');
                }
                digits += mantissa == 0 ? 0 : 1;
                fraction += seesPoint ? 1 : 0;
            } else if (letter == '.' && !seesPoint) {
                seesPoint = true;
            } else {
                break;
            }
        }
        if (!hasDigit) {
            return !seesPoint && word(text, at, to, negative);
        }
        int exponent = 0;
        if (at < to) {
            if (text[at] != 'e' && text[at] != 'E') {
                return false;
            }
            at++;
            boolean down = at < to && text[at] == '-';
            if (down || (at < to && text[at] == '+')) {
                at++;
            }
            int first = at;
            for (; at < to && text[at] >= '0' && text[at] <= '9'; at++) {
                exponent = Math.min(MAX_EXPONENT, exponent * 10 + (text[at] - '0'));
            }
            if (at == first || at != to) {
                return false;
            }
            exponent = down ? -exponent : exponent;
        }
        int power = exponent - fraction;
        if (digits <= MAX_DIGITS && mantissa <= EXACT_MANTISSA && Math.abs(power) <= EXACT_POWERS) {
            double magnitude = power < 0 ? mantissa / POWERS[-power] : mantissa * POWERS[power];
            value = negative ? -magnitude : magnitude;
        } else {
            value = Double.parseDouble(new String(text, from, to - from, StandardCharsets.US_ASCII));
        }
        return true;
    }

    double value() {
        return value;
    }

    private boolean word(byte[] text, int from, int to, boolean negative) {
        int length = to - from;
        if (length != 3 && length != 8) {
            return false;
        }
        switch (new String(text, from, length, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT)) {
            case "nan" -> value = Double.NaN;
            case "inf", "infinity" -> value = negative ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
            default -> {
                return false;
            }
        }
        return true;
    }
}
