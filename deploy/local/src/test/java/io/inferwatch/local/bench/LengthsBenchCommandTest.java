package io.inferwatch.local.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.inferwatch.simulation.engine.EngineSpec;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class LengthsBenchCommandTest {
    private static final Pattern ERROR = Pattern.compile("([+-][0-9.]+)%");

    @Test
    void oneLengthForAllIsFurtherFromTheRecordedOnesThanAFitSeed1() {
        StringWriter out = new StringWriter();
        int status = new CommandLine(new LengthsBenchCommand())
                .setOut(new PrintWriter(out, true))
                .execute("--requests", "800");
        assertThat(status).isZero();
        List<String> lines = out.toString().lines().toList();
        double fitted = cacheError(lines, "drawn from the fit");
        double fixed = cacheError(lines, "all 512");
        // The mean prompt is 1,155 tokens: 512 for all read far less of the cache.
        assertThat(fixed).isLessThan(-30);
        assertThat(Math.abs(fitted)).isLessThan(Math.abs(fixed) / 2);
        // Three batches times four rates.
        assertThat(lines.stream().filter(line -> line.matches(" +(8|32|128) +[1-6] .*")))
                .hasSize(12);
    }

    /** Hundred requests of 100 and 10 tokens, ten seconds apart: each alone, so the last begins near second 1,000 and nothing waits. */
    @Test
    void countsAndRatesAreThoseOfTheLoad() {
        VirtualLoad.Outcomes outcomes =
                new VirtualLoad(0.1, 100, i -> 100, i -> 10, 3).play(EngineSpec.llama8bOnA100());
        assertThat(outcomes.completed()).isEqualTo(100);
        assertThat(outcomes.promptTokensPerSecond() * outcomes.seconds()).isCloseTo(10_000, within(1e-6));
        assertThat(outcomes.outputTokensPerSecond() * outcomes.seconds()).isCloseTo(1_000, within(1e-6));
        // Ten tokens of contexts of 105 on average.
        assertThat(outcomes.cacheBytesPerSecond() * outcomes.seconds())
                .isCloseTo(100 * 10 * 105 * 131_072.0, within(1.0));
        assertThat(outcomes.seconds()).isBetween(700.0, 1_300.0);
    }

    private static double cacheError(List<String> lines, String name) {
        String line = lines.stream()
                .filter(candidate -> candidate.startsWith(name))
                .findFirst()
                .orElseThrow();
        Matcher matcher = ERROR.matcher(line);
        assertThat(matcher.find()).isTrue();
        return Double.parseDouble(matcher.group(1));
    }
}
