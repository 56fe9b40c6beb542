package io.inferwatch.probes.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class TenantCommandTest {
    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void printsTheHash() throws IOException {
        Path file = Files.writeString(directory.resolve("salt"), "0123456789abcdef0123");
        assertThat(run("resolve", "acme", "--salt-file", file.toString())).isZero();
        // printf TENANT:acme | openssl dgst -sha256 -mac HMAC -macopt key:0123456789abcdef0123
        assertThat(out.toString().strip()).isEqualTo("59e5ccfb9adf513c");
    }

    @Test
    void neverMakesASaltOfItsOwn() {
        Path file = directory.resolve("none");
        assertThat(run("resolve", "acme", "--salt-file", file.toString())).isEqualTo(2);
        assertThat(err.toString().strip())
                .isEqualTo(
                        "inferwatch tenant resolve: --salt-file: must be a file with the probes' salt, found no file "
                                + file);
        assertThat(file).doesNotExist();
    }

    @Test
    void saysWhatIsWrongWithTheSalt() throws IOException {
        Path file = Files.writeString(directory.resolve("salt"), "short");
        assertThat(run("resolve", "acme", "--salt-file", file.toString())).isEqualTo(2);
        assertThat(err.toString()).contains("found " + file + " with 5 bytes").doesNotContain("\tat ");
    }

    private int run(String... arguments) {
        return new CommandLine(new TenantCommand())
                .setErr(new PrintWriter(err, true))
                .setOut(new PrintWriter(out, true))
                .execute(arguments);
    }
}
