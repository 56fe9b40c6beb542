package io.inferwatch.probes.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What is wrong before anything listens: one message, status 2. */
class OtlpCommandTest {
    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void missingServersAreStatusTwo() {
        assertThat(run()).isEqualTo(2);
        assertThat(err.toString())
                .startsWith("inferwatch probe otlp: Kafka:\n  bootstrap.servers: must be given")
                .doesNotContain("\tat ");
    }

    @Test
    void everyProblemOfTheFileIsInOneReport() throws IOException {
        Path config = Files.writeString(directory.resolve("otlp.yaml"), """
                identity: {salt-file: %s, headers: {tennant: [x]}}
                replicas: {chat-0: {pool: h100}}
                sampling: {keep-one-in: 0}
                join: {patience: 1h}
                tls: {certificate: /no/such.pem, key: /no/such.key}
                samplign: {}
                """.formatted(directory.resolve("salt")));
        assertThat(run("--bootstrap-servers", "localhost:1", "--config", config.toString()))
                .isEqualTo(2);
        assertThat(err.toString().strip()).isEqualTo("inferwatch probe otlp: " + config + """
                :
                  tls.certificate: must be a readable PEM file, found '/no/such.pem'
                  tls.key: must be a readable PEM file, found '/no/such.key'
                  replicas.chat-0.match: must be a mapping of resource attributes, found none
                  sampling.keep-one-in: must be a whole number between 1 and 1000000, found 0
                  join.patience: must be a duration between 100ms and 5m such as 10s, found '1h'
                  samplign: unknown key, did you mean 'sampling'?
                  identity.headers.tennant: unknown key, did you mean 'tenant'?""");
    }

    @Test
    void badAddressesAndTokensNameWhatTheyMustBe() throws IOException {
        assertThat(run("--bootstrap-servers", "localhost:1", "--grpc-listen", "here"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("must be HOST:PORT, or PORT for loopback, found 'here'");

        Path config = Files.writeString(
                directory.resolve("otlp.yaml"), "identity: {salt-file: " + directory.resolve("salt") + "}");
        Path empty = Files.writeString(directory.resolve("token"), "\n");
        assertThat(run(
                        "--bootstrap-servers",
                        "localhost:1",
                        "--config",
                        config.toString(),
                        "--admin-listen",
                        "0",
                        "--token-file",
                        empty.toString()))
                .isEqualTo(2);
        assertThat(err.toString()).contains("token-file: must be a readable file with a token, found an empty one");
    }

    private int run(String... arguments) {
        return new CommandLine(new OtlpCommand())
                .setErr(new PrintWriter(err, true))
                .setOut(new PrintWriter(out, true))
                .execute(arguments);
    }
}
