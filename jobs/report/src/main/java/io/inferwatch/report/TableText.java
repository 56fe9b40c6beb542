package io.inferwatch.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.DoubleFunction;

/** Numbers and tables for people. */
final class TableText {
    /** Stands where there is nothing to tell. */
    static final String NONE = "-";

    private TableText() {}

    /** Four significant digits: the sketch does not know more. */
    static String value(String unit, double value) {
        if (!unit.equals("seconds")) {
            return significant(value);
        }
        if (value >= 1 || value == 0) {
            return significant(value) + " s";
        }
        return value >= 1e-3 ? significant(value * 1e3) + " ms" : significant(value * 1e6) + " us";
    }

    /** A share or a change without its sign: 3.0 %. */
    static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }

    /** A change: +3.0 %. */
    static String change(double change) {
        return String.format(Locale.ROOT, "%+.1f %%", 100 * change);
    }

    /** A probability, not told apart below a ten-thousandth. */
    static String probability(double p) {
        return p < 1e-4 ? "<0.0001" : String.format(Locale.ROOT, "%.4f", p);
    }

    /** The number's text, or {@link #NONE}. */
    static String orNone(OptionalDouble number, DoubleFunction<String> text) {
        return number.isPresent() ? text.apply(number.getAsDouble()) : NONE;
    }

    private static String significant(double value) {
        if (value == 0) {
            return "0";
        }
        int digits = (int) Math.floor(Math.log10(value)) + 1;
        return String.format(Locale.ROOT, "%." + Math.max(0, Math.min(6, 4 - digits)) + "f", value);
    }

    /** Texts to the left, numbers to the right, two blanks between. */
    static List<String> align(List<List<String>> rows, int texts) {
        int columns = rows.get(0).size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        List<String> lines = new ArrayList<>();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < columns; i++) {
                String padding = " ".repeat(widths[i] - row.get(i).length());
                line.append(i == 0 ? "" : "  ").append(i < texts ? row.get(i) + padding : padding + row.get(i));
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }
}
