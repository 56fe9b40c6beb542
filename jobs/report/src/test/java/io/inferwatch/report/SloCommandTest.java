package io.inferwatch.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.analytics.slo.Threshold;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class SloCommandTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void validateShowsWhatAFileComesTo() {
        List<String> lines = run(0, "validate", "../../deploy/slo/chat.yaml");
        assertThat(lines).hasSize(4);
        assertThat(lines.get(0)).startsWith("objective").contains("effective_threshold");
        // 2 s and 200 ms at the nearest edges of the buckets.
        assertThat(Threshold.atMost(2_000_000).effective()).isBetween(1_992_600L, 2_007_400L);
        assertThat(lines.get(1))
                .matches(
                        "chat-ttft +ttft at most +(1\\.99\\d|2\\.00\\d) s +model-version +99 % +30d rolling +page at 14\\.40 in 1h,"
                                + " ticket at 3\\.000 in 24h");
        assertThat(lines.get(2))
                .matches(
                        "chat-success +not failed in requests +- +model-version +99\\.5 % +1M of the calendar in UTC +the usual");
        assertThat(lines.get(3))
                .matches(
                        "chat-under-load +ttft at most +(199|200)\\.\\d ms +fleet from 800\\.0/s on +99 % +7d rolling, slices of 1m"
                                + " +the usual");
        assertThat(run(0, "validate", "../../deploy/slo/demo.yaml"))
                .last()
                .asString()
                .matches(
                        "demo-ttft +ttft at most +(49|50)\\.\\d\\d ms +replica-version +95 % +1d rolling +page at 6\\.000 in 5m");
    }

    @Test
    void badInputIsOneMessageAndStatusTwo() throws IOException {
        assertThat(run(2, "validate", "/nowhere.yaml"))
                .containsExactly("/nowhere.yaml:", "  must be a readable file, found NoSuchFileException");
        Path file = Files.writeString(directory.resolve("slo.yaml"), "kind: SLO\n");
        assertThat(run(2, "validate", file.toString()))
                .contains("  document 1, line 1: apiVersion: must be set, found nothing");
        assertThat(run(2, "preset", "llama2-70"))
                .singleElement()
                .asString()
                .startsWith("NAME: must be one of llama2-70b, ")
                .endsWith("found 'llama2-70', did you mean 'llama2-70b'?");
    }

    @Test
    void aPresetIsAFileThatValidates() throws IOException {
        Path file = Files.writeString(
                directory.resolve("preset.yaml"),
                String.join("\n", run(0, "preset", "llama2-70b-interactive", "--model=llama", "--service=chat")));
        List<String> lines = run(0, "validate", file.toString());
        assertThat(lines).hasSize(3);
        assertThat(lines.get(1))
                .matches("llama2-70b-interactive-ttft +ttft at most +4[45]\\d\\.\\d ms +model-version model=llama .*");
    }

    private static List<String> run(int status, String... arguments) {
        StringWriter text = new StringWriter();
        CommandLine line = new CommandLine(new SloCommand());
        line.setOut(new PrintWriter(text, true));
        line.setErr(new PrintWriter(text, true));
        assertThat(line.execute(arguments)).as(text.toString()).isEqualTo(status);
        return text.toString().lines().toList();
    }
}
