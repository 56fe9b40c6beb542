package io.inferwatch.probes.engine.mapping;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Series by name and labels, written as in PromQL: {@code name{label="value",other!="value",third=~"a|b",fourth!~"c.*"}}. A label that is not there
 * is an empty one.
 *
 * @param series the name; its dots and other characters that older formats cannot hold may be underscores on a page
 */
public record Selector(String series, List<Condition> conditions) {
    private static final Pattern SELECTOR = Pattern.compile("\\s*([\\p{Alpha}_:][\\w:.]*)\\s*(?:\\{(.*)})?\\s*");
    private static final Pattern CONDITION =
            Pattern.compile("\\s*([\\p{Alpha}_]\\w*)\\s*(=~|!~|!=|=)\\s*\"([^\"]*)\"\\s*(?:,|$)");

    /** What one label must be like. */
    public record Condition(String label, boolean wanted, Pattern value) {
        boolean holds(Map<String, String> labels) {
            return value.matcher(labels.getOrDefault(label, "")).matches() == wanted;
        }
    }

    /** Unmodifiable. */
    public Selector {
        conditions = List.copyOf(conditions);
    }

    /**
     * Understands a text.
     *
     * @throws IllegalArgumentException with the rule, when it is no selector
     */
    static Selector parse(String text) {
        Matcher whole = SELECTOR.matcher(text);
        if (!whole.matches()) {
            throw new IllegalArgumentException("a series such as name{label=\"value\"}");
        }
        List<Condition> conditions = new ArrayList<>();
        String inner = whole.group(2) == null ? "" : whole.group(2);
        Matcher next = CONDITION.matcher(inner);
        int at = 0;
        while (at < inner.length()) {
            if (!next.find(at) || next.start() != at) {
                throw new IllegalArgumentException("a series such as name{label=\"value\"}");
            }
            String operator = next.group(2);
            String value = operator.endsWith("~") ? next.group(3) : Pattern.quote(next.group(3));
            conditions.add(new Condition(next.group(1), !operator.startsWith("!"), Pattern.compile(value)));
            at = next.end();
        }
        return new Selector(whole.group(1), conditions);
    }

    /** Whether a series of this name with these labels is meant. */
    public boolean matches(Map<String, String> labels) {
        for (Condition condition : conditions) {
            if (!condition.holds(labels)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return series;
    }
}
