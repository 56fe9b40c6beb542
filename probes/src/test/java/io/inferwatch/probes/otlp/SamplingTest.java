package io.inferwatch.probes.otlp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.inferwatch.schemas.settings.Settings;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

class SamplingTest {
    @Test
    void withoutSettingsEverythingIsKept() {
        assertThat(sampling("").weight(null, null, false, "a")).isEqualTo(1);
    }

    @Test
    void theFirstRuleThatMatchesDecides() {
        Sampling sampling = sampling("""
                keep-one-in: 1000000
                rules:
                  errors: {error: true, keep-one-in: 1}
                  chat: {service: "chat*", path: /v1/chat/*, keep-one-in: 1}
                """);
        assertThat(sampling.weight("x", "/", true, "t")).isEqualTo(1);
        assertThat(sampling.weight("chat-a", "/v1/chat/completions", false, "t"))
                .isEqualTo(1);
        assertThat(sampling.weight("chat-a", "/v1/embeddings", false, "t")).isZero();
        assertThat(sampling.weight("chat-a", null, false, "t")).isZero();
        assertThat(sampling.weight(null, "/v1/chat/completions", false, "t")).isZero();
    }

    @Test
    void keptRequestsStandForAllSeed3() {
        Random random = new Random(3);
        Sampling sampling = sampling("keep-one-in: 10");
        // 10,000 of 100,000 are to be kept, with a standard deviation of 95.
        assertThat(sum(i -> sampling.weight(
                        null, null, false, "%016x%016x".formatted(random.nextLong(), random.nextLong()))))
                .isBetween(95_000, 105_000);
        assertThat(sum(i -> sampling.weight(null, null, false, "%032x".formatted(i))))
                .as("ids that are only counted")
                .isBetween(95_000, 105_000);
    }

    @Test
    void theSameTraceIsDecidedAlikeEverywhere() {
        Sampling here = sampling("keep-one-in: 3");
        Sampling there = sampling("rules: {all: {path: \"*\", keep-one-in: 3}}");
        for (int i = 0; i < 1_000; i++) {
            String trace = "%032x".formatted(i);
            assertThat(there.weight(null, "/", false, trace)).isEqualTo(here.weight(null, null, true, trace));
        }
    }

    @Test
    void badSettingsAreNamed() {
        Settings root = Settings.parse("probe.yaml", """
                keep-one-in: 0
                rules: {a: {path: 7}}
                """);
        var unused = Sampling.of(root);
        assertThatThrownBy(root::check)
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessage("""
                        probe.yaml:
                          rules.a.path: must be a text in quotes, found 7
                          rules.a.keep-one-in: must be set, found nothing
                          keep-one-in: must be a whole number between 1 and 1000000, found 0""");
    }

    private static int sum(IntUnaryOperator weight) {
        int sum = 0;
        for (int i = 0; i < 100_000; i++) {
            sum += weight.applyAsInt(i);
        }
        return sum;
    }

    private static Sampling sampling(String yaml) {
        Settings root = Settings.parse("probe.yaml", yaml);
        Sampling sampling = Sampling.of(root);
        root.check();
        return sampling;
    }
}
