package io.inferwatch.report;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.inferwatch.schemas.Topic;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.slo.SloFile;
import io.inferwatch.servers.KafkaBroker;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Timeout(120)
class SloIT {
    private static final String EXAMPLE = "../../deploy/slo/chat.yaml";

    @TempDir
    private Path directory = Path.of("");

    private static @Nullable KafkaBroker broker;

    @BeforeAll
    static void start() {
        broker = KafkaBroker.start(KafkaBroker.Options.temporary());
        broker.createTopic(Topic.CONFIG.topicName(), 3, Topic.CONFIG.kafkaSettings());
    }

    /** Takes back what the test before has left. */
    @BeforeEach
    void clear() {
        List<String> listed = slo(0, "list");
        listed.subList(1, listed.size())
                .forEach(line ->
                        run(0, new ConfigCommand(), "delete", "slo/" + line.replaceFirst(" .*", ""), servers()));
    }

    @AfterAll
    static void stop() {
        if (broker != null) {
            broker.close();
        }
    }

    @Test
    void whatIsAppliedIsListedAndCanBeAppliedAgain() throws IOException {
        assertThat(slo(0, "apply", EXAMPLE))
                .containsExactly("set slo/chat-ttft", "set slo/chat-success", "set slo/chat-under-load");
        List<String> table = slo(0, "list");
        assertThat(table).hasSize(4);
        assertThat(table)
                .anySatisfy(line -> assertThat(line).matches("chat-ttft +ttft at most +1\\.99\\d s +model-version .*"));

        MetricCatalogue shipped = MetricCatalogue.shipped();
        Path listed = Files.writeString(directory.resolve("listed.yaml"), String.join("\n", slo(0, "list", "--yaml")));
        assertThat(SloFile.read(listed, shipped).objectives().stream()
                        .map(Object::toString)
                        .sorted())
                .isEqualTo(SloFile.read(Path.of(EXAMPLE), shipped).objectives().stream()
                        .map(Object::toString)
                        .sorted()
                        .toList());
    }

    @Test
    void aFaultyFileSendsNothing() throws IOException {
        Path file = Files.writeString(
                directory.resolve("slo.yaml"),
                Files.readString(Path.of(EXAMPLE)).replace("target: 0.99\n", "target: 1.99\n"));
        assertThat(slo(2, "apply", file.toString()))
                .startsWith(file + ":")
                .anyMatch(line ->
                        line.matches(" {2}document 1, line \\d+: spec\\.objectives\\[0\\]\\.target: must be a number"
                                + " from 0 and below 1, found 1\\.99"));
        assertThat(slo(0, "list")).hasSize(1);
    }

    /** The table of other settings is a file that config set takes: objectives are not in it. */
    @Test
    void otherSettingsAreListedByThemselves() {
        slo(0, "apply", EXAMPLE);
        assertThat(run(0, new ConfigCommand(), "list", servers())).isEmpty();
        assertThat(run(0, new ConfigCommand(), "delete", "slo/chat-ttft", servers()))
                .containsExactly("deleted slo/chat-ttft");
        assertThat(slo(0, "list")).hasSize(3).noneMatch(line -> line.startsWith("chat-ttft "));
    }

    @Test
    void applyingAgainReplaces() {
        Instant noon = Instant.parse("2026-11-30T12:00:00Z");
        CommandLine command = new CommandLine(new SloApplyCommand(() -> noon));
        StringWriter text = new StringWriter();
        command.setOut(new PrintWriter(text, true));
        assertThat(command.execute(EXAMPLE, servers())).isZero();
        assertThat(slo(0, "list", "--yaml")).contains("# set 2026-11-30T12:00:00Z");
        assertThat(slo(0, "apply", EXAMPLE)).contains("replaced slo/chat-ttft");
    }

    private static List<String> slo(int status, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add(servers());
        return run(status, new SloCommand(), all.toArray(new String[0]));
    }

    private static List<String> run(int status, Object command, String... arguments) {
        StringWriter text = new StringWriter();
        CommandLine line = new CommandLine(command);
        line.setOut(new PrintWriter(text, true));
        line.setErr(new PrintWriter(text, true));
        assertThat(line.execute(arguments)).as(text.toString()).isEqualTo(status);
        return text.toString().lines().toList();
    }

    private static String servers() {
        return "--bootstrap-servers=" + requireNonNull(broker).bootstrapServers();
    }
}
