package io.inferwatch.viewer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A dashboard's query as InfluxDB is asked: the macros replaced as Grafana replaces them. What a page sends gets in only as a number, or as a value within a regular
 * expression with every character of meaning escaped, so that no value can leave its place.
 */
final class QueryText {
    private static final Pattern MACRO = Pattern.compile("\\$(__interval|timeFilter|[a-z_]+)");
    private static final Pattern MEANING = Pattern.compile("[\\\\^$.|?*+()\\[\\]{}/]");
    private static final String ALL = "$__all";
    private static final int MOST_VALUES = 200;
    private static final int LONGEST_VALUE = 200;

    private QueryText() {}

    /**
     * The query's text.
     *
     * @param variables those of the dashboard
     * @throws BadRequestException when the page chose what cannot be a value
     */
    static String expand(
            String template, Set<String> variables, Parameters parameters, TimeRange range, Duration leastInterval) {
        return MACRO.matcher(template)
                .replaceAll(macro -> Matcher.quoteReplacement(
                        switch (macro.group(1)) {
                            case "__interval" -> range.interval(leastInterval).toMillis() + "ms";
                            case "timeFilter" ->
                                "time >= " + range.fromMillis() + "ms AND time <= " + range.toMillis() + "ms";
                            // Another dollar sign is the end of a regular expression or of nothing that we know.
                            default ->
                                variables.contains(macro.group(1)) ? choice(macro.group(1), parameters) : macro.group();
                        }));
    }

    private static String choice(String variable, Parameters parameters) {
        List<String> chosen = parameters.all("var-" + variable);
        if (chosen.isEmpty() || chosen.contains(ALL)) {
            return ".*";
        }
        if (chosen.size() > MOST_VALUES) {
            throw new BadRequestException(
                    "var-" + variable + ": must be at most " + MOST_VALUES + " values, found " + chosen.size());
        }
        List<String> escaped = new ArrayList<>();
        for (String value : chosen) {
            if (value.isEmpty()
                    || value.length() > LONGEST_VALUE
                    || value.chars().anyMatch(Character::isISOControl)) {
                throw new BadRequestException("var-" + variable + ": must be 1 to " + LONGEST_VALUE
                        + " characters without control characters, found " + value.length());
            }
            escaped.add(MEANING.matcher(value).replaceAll("\\\\$0"));
        }
        return escaped.stream().collect(Collectors.joining("|", "(", ")"));
    }
}
