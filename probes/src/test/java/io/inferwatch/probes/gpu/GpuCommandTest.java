package io.inferwatch.probes.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What is wrong before anything is read: one message, status 2. */
class GpuCommandTest {
    @TempDir
    private Path directory;

    private final StringWriter err = new StringWriter();

    @Test
    void missingServersAreStatusTwo() {
        assertThat(run()).isEqualTo(2);
        assertThat(err.toString())
                .startsWith("inferwatch probe gpu: Kafka:\n  bootstrap.servers: must be given")
                .doesNotContain("\tat ");
    }

    @Test
    void anIntervalThatIsNoneOrTooShortNamesTheRule() {
        assertThat(run("--bootstrap-servers", "localhost:1", "--interval", "1ms"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("must be a duration between 100ms and 1m such as 1s, found '1ms'");
    }

    @Test
    void problemsOfTheFileAreSaidByEverySubCommand() throws IOException {
        Path config = Files.writeString(directory.resolve("gpu.yaml"), "hots: {}");
        String message = "inferwatch probe gpu: " + config + ":\n  hots: unknown key, did you mean 'host'?\n";
        for (String[] arguments : new String[][] {
            {"--bootstrap-servers", "localhost:1", "--config", config.toString()},
            {"check", "--config", config.toString()},
            {"topology", "--config", config.toString()}
        }) {
            err.getBuffer().setLength(0);
            assertThat(run(arguments)).isEqualTo(2);
            assertThat(err.toString()).isEqualTo(message);
        }
    }

    private int run(String... arguments) {
        PrintWriter out = new PrintWriter(new StringWriter());
        return new CommandLine(new GpuCommand())
                .setErr(new PrintWriter(err, true))
                .setOut(out)
                .execute(arguments);
    }
}
