package io.inferwatch.notifier;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class NotifierCommandTest {
    @Test
    void allThatIsWrongIsToldAtOnceWithStatusTwo() {
        assertThat(run(
                        "--alertmanager=localhost",
                        "--alertmanager=http://one:9093",
                        "--alertmanager=http://one:9093",
                        "--resend=0",
                        "--stale-after=4000",
                        "--dashboards=ftp://x",
                        "--authorization-file=/nowhere"))
                .containsExactly(
                        "--alertmanager: must be an address such as http://localhost:9093, found 'localhost'",
                        "--alertmanager: must be different instances, found one twice",
                        "--resend: must be from 1 to 3600, found 0",
                        "--stale-after: must be from 1 to 3600, found 4000",
                        "--dashboards: must be an address such as http://localhost:9093, found 'ftp://x'",
                        "--authorization-file: must be a readable file, found NoSuchFileException");
    }

    @Test
    void aKafkaThatDoesNotAnswerIsOneMessage(@TempDir Path directory) throws IOException {
        Path impatient = Files.writeString(
                directory.resolve("kafka.properties"), "default.api.timeout.ms=1500\nrequest.timeout.ms=1000\n");
        assertThat(run(
                        "--alertmanager=http://localhost:9093",
                        "--bootstrap-servers=127.0.0.1:1",
                        "--kafka-config=" + impatient))
                .singleElement()
                .asString()
                .startsWith("Kafka at 127.0.0.1:1 does not answer: TimeoutException");
    }

    private static List<String> run(String... arguments) {
        StringWriter text = new StringWriter();
        CommandLine command = new CommandLine(new NotifierCommand());
        command.setErr(new PrintWriter(text, true));
        assertThat(command.execute(arguments)).as(text.toString()).isEqualTo(2);
        return text.toString().lines().toList();
    }
}
