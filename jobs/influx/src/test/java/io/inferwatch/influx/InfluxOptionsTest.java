package io.inferwatch.influx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class InfluxOptionsTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void haveDefaults() {
        assertThat(connection(Map.of()))
                .isEqualTo(new InfluxConnection(
                        "http://localhost:8086", "inferwatch", "inferwatch", new Credentials.None()));
    }

    @Test
    void eachOptionCounts() throws IOException {
        Path token = Files.writeString(directory.resolve("token"), "abc\n");
        Path password = Files.writeString(directory.resolve("password"), "secret\n");

        assertThat(connection(
                        Map.of(),
                        "--influxdb-url=https://h:1/influx",
                        "--influxdb-database=d",
                        "--influxdb-org=o",
                        "--influxdb-token-file=" + token))
                .isEqualTo(new InfluxConnection(
                        "https://h:1/influx", "d", "o", new Credentials.Token(Secret.inFile(token))));
        assertThat(connection(Map.of(), "--influxdb-user=u", "--influxdb-password-file=" + password)
                        .credentials())
                .isEqualTo(new Credentials.UserPassword("u", Secret.inFile(password)));
        assertThat(Secret.inFile(password).read()).isEqualTo("secret");
    }

    @Test
    void secretsMayStandInTheEnvironment() {
        assertThat(connection(Map.of("INFERWATCH_INFLUXDB_TOKEN", "abc")).credentials())
                .isEqualTo(new Credentials.Token(Secret.inEnvironment("INFERWATCH_INFLUXDB_TOKEN")));
        assertThat(connection(Map.of("INFERWATCH_INFLUXDB_PASSWORD", "p"), "--influxdb-user=u")
                        .credentials())
                .isEqualTo(new Credentials.UserPassword("u", Secret.inEnvironment("INFERWATCH_INFLUXDB_PASSWORD")));
    }

    @Test
    void noSecretIsEverPrinted() throws IOException {
        Path token = Files.writeString(directory.resolve("token"), "s3cr3t");

        InfluxConnection connection = connection(Map.of(), "--influxdb-token-file=" + token);

        assertThat(connection.toString()).doesNotContain("s3cr3t").contains("secret file");
    }

    @Test
    void aMissingSecretIsNamed() {
        Path missing = directory.resolve("missing");

        assertThatThrownBy(() -> connection(Map.of(), "--influxdb-token-file=" + missing))
                .hasMessage("secret file " + missing + ": must be a readable file, found NoSuchFileException");
        assertThatThrownBy(() -> connection(Map.of(), "--influxdb-user=u"))
                .hasMessage("environment variable INFERWATCH_INFLUXDB_PASSWORD: must hold a secret, found nothing");
        assertThatThrownBy(() -> connection(Map.of(), "--influxdb-password-file=" + missing))
                .hasMessage("--influxdb-password-file: needs --influxdb-user");
        assertThatThrownBy(() -> connection(Map.of(), "--influxdb-user=u", "--influxdb-token-file=" + missing))
                .hasMessage("--influxdb-user and --influxdb-token-file: must not both be given");
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost:8086", "ftp://h", "http://", "http://a b", "http://h?x=1"})
    void aUrlIsChecked(String url) {
        assertThatThrownBy(() -> connection(Map.of(), "--influxdb-url=" + url))
                .isInstanceOf(InfluxConfigurationException.class)
                .hasMessageStartingWith("url: must ")
                .hasMessageEndingWith("found '" + url + "'");
    }

    @Test
    void aUrlWithAPasswordIsRefusedWithoutRepeatingIt() {
        assertThatThrownBy(() -> connection(Map.of(), "--influxdb-url=http://u:hush@h:8086"))
                .hasMessage("url: must not hold user and password, which belong into options of their own");
    }

    private static InfluxConnection connection(Map<String, String> environment, String... arguments) {
        InfluxOptions options = CommandLine.populateCommand(new InfluxOptions(), arguments);
        return options.connection(environment);
    }
}
