package io.inferwatch.viewer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QueryTextTest {
    private static final String TEMPLATE =
            "SELECT max(\"a\") FROM \"r1m\".\"m\" WHERE \"model\" =~ /^$model$/ AND $timeFilter GROUP BY time($__interval)";

    @Test
    void macrosBecomeTimesAndEverythingWhenNothingIsChosen() {
        assertThat(expand("from=1000&to=601000&points=10"))
                .isEqualTo("SELECT max(\"a\") FROM \"r1m\".\"m\" WHERE \"model\" =~ /^.*$/"
                        + " AND time >= 1000ms AND time <= 601000ms GROUP BY time(60000ms)");
        assertThat(expand("from=1000&to=601000&points=10&var-model=%24__all")).contains("/^.*$/");
    }

    @Test
    void chosenValuesAreAlternatives() {
        assertThat(expand("from=0&to=1&points=1&var-model=a&var-model=b%2Fc")).contains("=~ /^(a|b\\/c)$/ AND");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ".*",
                "a|b",
                "x$/ OR /y",
                "/ OR time > 0 --",
                "\\",
                "a)(b",
                "[ab]",
                "it's \"quoted\"",
                "$timeFilter",
                "$1"
            })
    void noValueLeavesItsPlace(String value) {
        String text = expand("from=0&to=1&points=1&var-model=" + encoded(value));
        String start = "=~ /^(";
        String pattern = text.substring(text.indexOf(start) + start.length() - 1, text.indexOf(")$/ AND time >=") + 1);
        assertThat(Pattern.compile("(?<!\\\\)(?:\\\\\\\\)*/").matcher(pattern).find())
                .as("a slash that ends the expression in %s", pattern)
                .isFalse();
        assertThat(value).matches(Pattern.compile(pattern));
        assertThat(Pattern.compile(pattern).matcher("something else").matches()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "from=5&to=5&points=1 | to: must be after from, found 5 after 5",
                "from=x&to=5&points=1 | from: must be a whole number from 0 to 4102444800000, found 'x'",
                "from=-1&to=5&points=1 | from: must be a whole number from 0 to 4102444800000, found '-1'",
                "from=0&to=5&points=100000 | points: must be a whole number from 1 to 2000, found '100000'",
                "from=0&to=5 | points: must be given once, found 0 times",
                "from=0&from=1&to=5&points=1 | from: must be given once, found 2 times",
                "from=0&to=5&points=1&var-model=a%0Ab | var-model: must be 1 to 200 characters without control characters, found 3",
                "from=0&to=5&points=1&var-model= | var-model: must be 1 to 200 characters without control characters, found 0",
                "from=%zz&to=5&points=1 | address: must be encoded in UTF-8 with percent signs, found '%zz'",
            })
    void whatIsWrongIsSaid(String query, String message) {
        assertThatThrownBy(() -> expand(query))
                .isInstanceOf(BadRequestException.class)
                .hasMessage(message);
    }

    @Test
    void valuesAreBoundedInNumberAndLength() {
        assertThatThrownBy(() -> expand("from=0&to=5&points=1" + "&var-model=a".repeat(201)))
                .hasMessage("var-model: must be at most 200 values, found 201");
        assertThatThrownBy(() -> expand("from=0&to=5&points=1&var-model=" + "a".repeat(201)))
                .hasMessageEndingWith("found 201");
    }

    @ParameterizedTest
    @CsvSource({
        "600, 10s, 60",
        "600, 1m, 60",
        "60, 10s, 10",
        "86400, 1m, 120",
        "2592000, 1h, 3600",
        "63072000, 1m, 86400"
    })
    void intervalsAreTheShortestUsualOnesThatFit(long rangeSeconds, String least, long points) {
        Duration shortest = Duration.parse("PT" + least);
        TimeRange range = new TimeRange(0, rangeSeconds * 1000, points);
        Duration interval = range.interval(shortest);
        assertThat(interval).isGreaterThanOrEqualTo(shortest);
        assertThat(rangeSeconds / interval.toSeconds()).isLessThanOrEqualTo(points);
        assertThat(interval.toSeconds() % shortest.toSeconds()).isZero();
    }

    private static String expand(String query) {
        Parameters parameters = Parameters.parse(query);
        return QueryText.expand(
                TEMPLATE, Set.of("model"), parameters, TimeRange.of(parameters), Duration.ofSeconds(10));
    }

    private static String encoded(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }
}
