package io.inferwatch.schemas.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private enum Colour {
        RED,
        DARK_BLUE
    }

    @Test
    void readsEveryKindOfValue() {
        Settings settings = Settings.parse("test", """
                name: inferwatch
                port: 8086
                open: true
                wait: 250ms
                colour: dark-blue
                edges: [1, 2, 3]
                friends: [red, red]
                sink:
                  batch-size: 5000
                places:
                  north: {size: 1}
                  south: {size: 2}
                labels: {b: x, a: "2"}
                """);
        assertThat(settings.text("name")).isEqualTo("inferwatch");
        assertThat(settings.integer("port", 1, 65535, 1)).isEqualTo(8086);
        assertThat(settings.flag("open", false)).isTrue();
        assertThat(settings.duration("wait", Duration.ZERO, HOUR, null)).isEqualTo(Duration.ofMillis(250));
        assertThat(settings.choice("colour", Colour.class)).isEqualTo(Colour.DARK_BLUE);
        assertThat(settings.list("edges", Long::valueOf, List.of())).containsExactly(1L, 2L, 3L);
        assertThat(settings.names("friends", "a friend", List.of("red"))).containsExactly("red", "red");
        assertThat(settings.section("sink").integer("batch-size", 1, 10_000)).isEqualTo(5000);
        assertThat(settings.section("places").sections()).containsOnlyKeys("north", "south");
        settings.section("places").sections().values().forEach(place -> place.integer("size", 1, 2));
        assertThat(settings.section("labels").texts()).containsExactly(Map.entry("b", "x"), Map.entry("a", "2"));
        settings.check();
    }

    @Test
    void tellsWhatItsReaderAskedFor() {
        Settings settings = Settings.parse("test", """
                sink: {batch-size: 10}
                places:
                  north: {size: 1}
                  south: {size: 2}
                labels: {b: x}
                """);
        settings.text("name");
        settings.text("note", "");
        settings.section("sink").integer("batch-size", 1, 10_000, 500);
        settings.section("sink").duration("wait", Duration.ZERO, HOUR, null);
        settings.section("sink").duration("retry", SECOND, HOUR, SECOND);
        settings.section("places").sections().values().forEach(place -> place.integer("size", 1, 2));
        settings.section("labels").texts();
        settings.flag("open", false);
        settings.choice("colour", Colour.class, Colour.DARK_BLUE);
        settings.list("edges", Long::valueOf, List.of(1L, 2L));
        settings.names("friends", "a friend", List.of("red"));
        settings.has("tls");
        settings.has("name");
        settings.text("name", "asked again, and still required");
        assertThat(settings.keys())
                .containsExactly(
                        new Settings.Key("name", "a text", "", true),
                        new Settings.Key("note", "a text", "", false),
                        new Settings.Key("sink.batch-size", "a whole number between 1 and 10000", "500", false),
                        new Settings.Key("sink.wait", "a duration between 0s and 1h such as 10s", "", false),
                        new Settings.Key("sink.retry", "a duration between 1s and 1h such as 10s", "1s", false),
                        new Settings.Key("places.NAME.size", "a whole number between 1 and 2", "", true),
                        new Settings.Key("labels.NAME", "a text", "", true),
                        new Settings.Key("open", "true or false", "false", false),
                        new Settings.Key("colour", "one of red, dark-blue", "dark-blue", false),
                        new Settings.Key("edges", "a list", "1, 2", false),
                        new Settings.Key("friends", "a list, each a friend", "", false),
                        new Settings.Key("tls", "", "", false));
    }

    @Test
    void whatIsReadOnlyWhereItIsThereIsNotRequired() {
        Settings settings = Settings.parse("test", "{tls: {key: server.key}, file: a}");
        assertThat(settings.has("tls")).isTrue();
        settings.section("tls").text("key");
        assertThat(settings.has("file")).isTrue();
        settings.text("file");
        assertThat(settings.keys())
                .containsExactly(
                        new Settings.Key("tls.key", "a text", "", true), new Settings.Key("file", "a text", "", false));
    }

    @Test
    void absentKeysReadAsTheirDefaults() {
        Settings settings = Settings.parse("test", "");
        assertThat(settings.text("name", "x")).isEqualTo("x");
        assertThat(settings.integer("port", 1, 65535, 9092)).isEqualTo(9092);
        assertThat(settings.flag("open", true)).isTrue();
        assertThat(settings.duration("wait", SECOND, HOUR, null)).isNull();
        assertThat(settings.choice("colour", Colour.class, Colour.RED)).isEqualTo(Colour.RED);
        assertThat(settings.list("edges", Long::valueOf, List.of(7L))).containsExactly(7L);
        assertThat(settings.names("friends", "a friend", List.of())).isEmpty();
        assertThat(settings.section("sink").has("url")).isFalse();
        assertThat(settings.section("places").sections()).isEmpty();
        settings.check();
    }

    @Test
    void anEmptyValueIsAnAbsentOne() {
        Settings settings = Settings.parse("test", "name:\nport: null\nsink:\n");
        assertThat(settings.text("name", "x")).isEqualTo("x");
        assertThat(settings.integer("port", 1, 2, 1)).isEqualTo(1);
        assertThat(settings.section("sink").flag("open", true)).isTrue();
        settings.check();
    }

    @Test
    void reportsAllProblemsTogether() {
        Settings settings = Settings.parse("store.yaml", """
                url: 12
                bucket: ""
                batch-size: 0
                threads: 1.5
                gzip: maybe
                linger: 10
                timeout: 2h
                colour: green
                hosts: localhost
                edges: [1, x, [2], ~]
                sink: here
                tls:
                  cetificate: a.pem
                btach-size: 1
                zzz: 1
                """);
        settings.text("url", "");
        settings.text("bucket", "");
        settings.text("database");
        settings.integer("batch-size", 1, 10_000, 5_000);
        settings.integer("threads", 1, 8, 1);
        settings.integer("queue", 1, 8);
        settings.flag("gzip", true);
        settings.duration("linger", Duration.ZERO, Duration.ofMinutes(1), null);
        settings.duration("timeout", Duration.ofMillis(250), HOUR, null);
        settings.choice("colour", Colour.class, Colour.RED);
        settings.choice("shade", Colour.class);
        settings.list("hosts", host -> host, List.of());
        settings.list("edges", SettingsTest::number, List.of());
        settings.section("sink").text("url", "");
        settings.section("tls").text("certificate", "");
        assertThatThrownBy(settings::check)
                .isInstanceOfSatisfying(InvalidSettingsException.class, e -> assertThat(e.problems())
                        .containsExactly(
                                "url: must be a text in quotes, found 12",
                                "bucket: must be a text, found ''",
                                "database: must be set, found nothing",
                                "batch-size: must be a whole number between 1 and 10000, found 0",
                                "threads: must be a whole number between 1 and 8, found 1.5",
                                "queue: must be set, found nothing",
                                "gzip: must be true or false, found 'maybe'",
                                "linger: must be a duration between 0s and 1m such as 10s, found 10",
                                "timeout: must be a duration between 250ms and 1h such as 10s, found '2h'",
                                "colour: must be one of red, dark-blue, found 'green'",
                                "shade: must be set, found nothing",
                                "hosts: must be a list, found 'localhost'",
                                "edges[1]: must be a whole number, found 'x'",
                                "edges[2]: must be a text or a number, found a list",
                                "edges[3]: must be a text or a number, found nothing",
                                "sink: must be a mapping of keys, found 'here'",
                                "btach-size: unknown key, did you mean 'batch-size'?",
                                "zzz: unknown key",
                                "tls.cetificate: unknown key, did you mean 'certificate'?"))
                .hasMessageStartingWith("store.yaml:\n  url: must be a text in quotes, found 12\n  bucket: ");
    }

    @Test
    void aSectionIsTheSameHoweverOftenItIsAskedFor() {
        Settings settings = Settings.parse("test", "sink: {url: a, token: b}");
        settings.section("sink").text("url");
        settings.section("sink").text("token");
        settings.check();
    }

    @Test
    void aNameOutsideTheKnownIsReportedWithTheNearest() {
        Settings settings = Settings.parse("test", "by: [modle, zebra]");
        settings.names("by", "a dimension", List.of("node", "model"));
        assertThatThrownBy(settings::check)
                .hasMessage("test:\n  by[0]: must be a dimension, found 'modle', did you mean 'model'?\n"
                        + "  by[1]: must be a dimension, found 'zebra'");
    }

    @ParameterizedTest
    @CsvSource({
        "3us, PT0.000003S",
        "250ms, PT0.25S",
        "10s, PT10S",
        "15m, PT15M",
        "2h, PT2H",
        "7d, PT168H",
        "' 1s ', PT1S",
        "0s, PT0S"
    })
    void readsDurations(String text, Duration expected) {
        assertThat(Settings.parseDuration(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "10", "s", "-1s", "1.5s", "10 s", "1w", "1S", "99999999999999999999s", "999999999999999999d"
            })
    void refusesWhatIsNoDuration(String text) {
        assertThat(Settings.parseDuration(text)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0s",
        "PT0.000003S, 3us",
        "PT0.25S, 250ms",
        "PT10S, 10s",
        "PT15M, 15m",
        "PT90M, 90m",
        "PT2H, 2h",
        "P7D, 168h"
    })
    void writesDurationsSoThatTheyAreReadAgain(Duration duration, String expected) {
        assertThat(Settings.write(duration)).isEqualTo(expected);
        assertThat(Settings.parseDuration(expected)).isEqualTo(duration);
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "batchsize, batch-size",
                "tokn, token",
                "utl, url",
                "x, -",
                "uu, -",
                "retention, -",
                "BATCH-SIZE, -"
            })
    void suggestsOnlyWhatIsNear(String mistyped, String expected) {
        assertThat(Settings.nearest(mistyped, List.of("url", "token", "batch-size")))
                .isEqualTo(expected == null ? "" : ", did you mean '" + expected + "'?");
    }

    @Test
    void refusesAKeyThatStandsTwice() {
        assertThatThrownBy(() -> Settings.parse("test", "a: 1\nb: 2\na: 3\n"))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessage("test:\n  line 3: must be YAML, found: Duplicate field 'a'");
    }

    @Test
    void refusesASecondDocument() {
        assertThatThrownBy(() -> Settings.parse("test", "a: 1\n---\nb: 2\n"))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageStartingWith("test:\n  line 3: must be YAML, found: Trailing token");
    }

    @Test
    void refusesWhatIsNoMapping() {
        assertThatThrownBy(() -> Settings.parse("test", "- a\n- b\n"))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessage("test:\n  must be a mapping of keys, found a list");
        assertThatThrownBy(() -> Settings.parse("test", "hello"))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessage("test:\n  must be a mapping of keys, found 'hello'");
    }

    @Test
    void saysWhereTheYamlBreaks() {
        assertThatThrownBy(() -> Settings.parse("test", "a: 1\nb: [1, 2\nc: 3\n"))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageStartingWith("test:\n  line 3: must be YAML, found: ")
                .hasMessageContaining("expected ',' or ']'");
    }

    @Test
    void saysThatAFileIsMissing(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("a.yaml");
        assertThatThrownBy(() -> Settings.read(file))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessage(file + ":\n  must be a readable file, found NoSuchFileException");
        Files.writeString(file, "port: 1");
        assertThat(Settings.read(file).integer("port", 1, 2)).isEqualTo(1);
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("a whole number", e);
        }
    }
}
