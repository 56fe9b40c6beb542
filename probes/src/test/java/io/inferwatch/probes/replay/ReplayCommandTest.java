package io.inferwatch.probes.replay;

import static io.inferwatch.probes.replay.TraceFixtures.small;
import static io.inferwatch.probes.replay.TraceFixtures.write;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What is wrong before Kafka is even asked: one message, status 2. */
class ReplayCommandTest {
    @TempDir
    private Path directory;

    private final StringWriter err = new StringWriter();
    private final StringWriter out = new StringWriter();

    @Test
    void aBadFileIsStatusTwoWithOneMessage() {
        Path file = write(directory, "azure.csv", "TIMESTAMP,ContextTokens\n1,2\n");
        assertThat(run(file.toString(), "--format", "azure", "--bootstrap-servers", "localhost:1"))
                .isEqualTo(2);
        assertThat(err.toString().strip())
                .isEqualTo("inferwatch replay: " + file
                        + ":1: column 'GeneratedTokens': must be there, found 'TIMESTAMP', 'ContextTokens'");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void missingServersAreStatusTwo() {
        assertThat(run(small("azure.csv").toString(), "--format", "azure")).isEqualTo(2);
        assertThat(err.toString()).contains("bootstrap.servers: must be given").doesNotContain("\tat ");
    }

    @Test
    void wrongOptionsNameWhatTheyMustBe() {
        assertThat(run(small("azure.csv").toString(), "--format", "azur", "--bootstrap-servers", "localhost:1"))
                .isEqualTo(2);
        assertThat(err.toString())
                .contains("must be one of agentic, llmperf, azure, mooncake, burstgpt, ragpulse, jsonl, found 'azur'");
        assertThat(run(small("azure.csv").toString(), "--format", "azure", "--speedup", "fast"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("must be a number or max, found 'fast'");
        assertThat(run(
                        small("azure.csv").toString(),
                        "--format",
                        "azure",
                        "--speedup",
                        "2",
                        "--compress",
                        "3",
                        "--bootstrap-servers",
                        "localhost:1"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("compress: must be at most the speedup of 2.0, found 3.0");
        assertThat(run(small("azure.csv").toString(), "--format", "azure", "--speedup", "0"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("speedup: must be above 0, found 0.0");
    }

    private int run(String... arguments) {
        return new CommandLine(new ReplayCommand())
                .setErr(new PrintWriter(err, true))
                .setOut(new PrintWriter(out, true))
                .execute(arguments);
    }
}
