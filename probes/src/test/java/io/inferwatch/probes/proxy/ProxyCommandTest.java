package io.inferwatch.probes.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class ProxyCommandTest {
    @TempDir
    private Path directory;

    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--listen=nowhere | must be HOST:PORT, or PORT for loopback, found 'nowhere'",
                "--upstream=ftp://x | must be http://HOST:PORT or https://HOST:PORT without a path, found 'ftp://x'",
                "--upstream=http://x/v1 | must be http://HOST:PORT or https://HOST:PORT without a path, found 'http://x/v1'",
                "--drain-timeout=soon | must be a duration such as 10s, found 'soon'",
                "--threads=0 | --threads: must be from 1 to 256, found 0"
            })
    void aBadOptionIsNamed(String option, String message) {
        String[] usual = {"--listen=0", "--upstream=http://localhost:1", "--admin-listen=0", "--replica=r"};
        String[] arguments = Stream.concat(
                        Arrays.stream(usual).filter(one -> !one.startsWith(option.substring(0, option.indexOf('=')))),
                        Stream.of(option, "--bootstrap-servers=localhost:1"))
                .toArray(String[]::new);
        assertThat(run(arguments)).isEqualTo(2);
        assertThat(err.toString()).contains(message);
    }

    @Test
    void allProblemsOfTheSettingsAreReportedTogether() throws IOException {
        Path file = directory.resolve("proxy.yaml");
        Files.writeString(file, """
                tls: {certificate: /no/such.pem, key: /no/such.key}
                upstream-tls: {certificate: /no/such.pem}
                timeouts: {upstream: soon}
                spool: {directory: /tmp, limit-mib: 0}
                otlp: {tls: {certificate: /no/such.pem, key: /no/such.key, client-ca: /no/ca.pem}}
                identity: {salt-file: %s}
                upstreams: x
                """.formatted(directory.resolve("salt")));
        assertThat(run(
                        "--listen=0",
                        "--upstream=http://localhost:1",
                        "--bootstrap-servers=localhost:1",
                        "--config=" + file))
                .isEqualTo(2);
        assertThat(err.toString().lines().map(String::trim).skip(1))
                .containsExactlyInAnyOrder(
                        "tls.certificate: must be a readable PEM file, found '/no/such.pem'",
                        "tls.key: must be a readable PEM file, found '/no/such.key'",
                        "upstream-tls.certificate: must be a readable PEM file, found '/no/such.pem'",
                        "upstream-tls.key: must be given with certificate, or neither, found certificate alone",
                        "otlp.tls.certificate: must be a readable PEM file, found '/no/such.pem'",
                        "otlp.tls.key: must be a readable PEM file, found '/no/such.key'",
                        "otlp.tls.client-ca: must be a readable PEM file, found '/no/ca.pem'",
                        "timeouts.upstream: must be a duration between 1ms and 24h such as 10s, found 'soon'",
                        "spool.limit-mib: must be a whole number between 1 and 1048576, found 0",
                        "replica.name: must be set, here or in INFERWATCH_REPLICA, found nothing",
                        "upstreams: unknown key, did you mean 'upstream-tls'?");
    }

    @Test
    void aPortInUseIsNamed() throws IOException {
        Path file = directory.resolve("proxy.yaml");
        Files.writeString(file, "identity: {salt-file: " + directory.resolve("salt") + "}");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(run(
                            "--listen=" + taken.getLocalPort(),
                            "--upstream=http://localhost:1",
                            "--bootstrap-servers=localhost:1",
                            "--admin-listen=0",
                            "--replica=r",
                            "--config=" + file))
                    .isEqualTo(2);
            assertThat(err.toString())
                    .contains("listen: must be an address that is free on this host, found 127.0.0.1:"
                            + taken.getLocalPort());
        }
    }

    private int run(String... arguments) {
        return new CommandLine(new ProxyCommand()).setErr(new PrintWriter(err)).execute(arguments);
    }
}
