package io.inferwatch.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class InferwatchCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void helpNamesEverySubCommandAndSaysWhatItIsFor() {
        assertThat(run("--help")).isZero();
        CommandLine root = InferwatchCommand.commandLine();
        root.getSubcommands().keySet().forEach(name -> assertThat(out.toString())
                .contains("\n  " + name + " "));
        for (CommandLine command : all(root)) {
            assertThat(command.getCommandSpec().usageMessage().description())
                    .as(command.getCommandSpec().qualifiedName())
                    .isNotEmpty();
        }
    }

    @Test
    void everyCommandHasHelpAndVersion() {
        for (CommandLine command : all(InferwatchCommand.commandLine())) {
            if (command.getCommandSpec().name().equals("help")) {
                continue;
            }
            String[] words = command.getCommandSpec().qualifiedName().split(" ", -1);
            List<String> arguments = new ArrayList<>(List.of(words).subList(1, words.length));
            arguments.add("--version");
            out.getBuffer().setLength(0);
            assertThat(run(arguments.toArray(new String[0]))).isZero();
            assertThat(out.toString()).as(arguments.toString()).matches("inferwatch \\d\\S* \\(commit \\S+\\)\n");
        }
    }

    @Test
    void aStackFindsItsInfluxDbWhereNoUrlIsGiven() {
        for (String stack : List.of("demo", "up")) {
            out.getBuffer().setLength(0);
            assertThat(run(stack, "--help")).isZero();
            assertThat(out.toString().replaceAll("\\s+", " "))
                    .doesNotContain("localhost:8086")
                    .contains("influxd on the PATH");
        }
    }

    @Test
    void whatIsWrongOnTheCommandLineEndsWithStatus2AndOneMessage(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "");
        Map<String[], String> wrong = Map.of(
                new String[] {"nonsense"}, "nonsense",
                new String[] {"demo", "--seconds", "0"}, "--seconds: must be from 1 to 1800, found 0",
                new String[] {"demo", "--parallelism", "0"}, "--parallelism: must be from 1 to 64, found 0",
                new String[] {"demo", "--influxdb-url", "ftp://x"}, "found 'ftp://x'",
                new String[] {"up", "--data", file.toString()}, "--data: " + file + " must be a directory",
                new String[] {"job", "measure", "--settings", file + ".yaml"}, file + ".yaml",
                new String[] {"job", "measure", "--catalogue", file + ".yaml"}, file + ".yaml",
                new String[] {"job", "store", "--influxdb-url", "http://127.0.0.1:1"}, "127.0.0.1:1");
        Map<String[], String> wrongOnClusters = Map.of(
                new String[] {"job", "submit", "measure", "--flink", "http://127.0.0.1:1"},
                "--flink: must be reachable, found http://127.0.0.1:1: connection refused",
                new String[] {"job", "submit", "measure", "--flink", "jobmanager:8081"},
                "--flink: must be the URL of Flink's REST interface, found 'jobmanager:8081'",
                new String[] {"job", "submit", "mesure"},
                "job: must be one of backfill, detect, measure, store, found 'mesure'",
                new String[] {"job", "upgrade", "store", "--", "--settings", "x"},
                "job store: Unknown options: '--settings'",
                new String[] {"job", "savepoint", "mesure"},
                "job: must be one of backfill, detect, measure, store, found 'mesure'",
                new String[] {"setup", "plan", file + ".yaml"},
                file + ".yaml",
                new String[] {"backfill", "--from", "2026-11-30T10:00:00Z"},
                "--to: must be a time such as 2026-11-30T10:00:00Z, found nothing",
                new String[] {"backfill", "--from=2026-11-30T10:00:00Z", "--to=2999-11-30T10:30:00Z"},
                "--to: must be at most 20");
        Map<String[], String> wrongSimulations = Map.of(
                new String[] {"simulate", "--port", "70000", "--kv-blocks", "0"},
                "--port: must be from 0 to 65535, found 70000\n  --kv-blocks: must be from 1 to 10000000, found 0",
                new String[] {"simulate", "--model", "a \"b"},
                "--model: must be a word without blanks and quotes, found 'a \"b'",
                new String[] {"simulate", "--fault", "flood=1"},
                "--fault: must be one of slow-node, throttled-gpu",
                new String[] {"simulate", "--fault", "slow-node=0.5"},
                "--fault: severity of slow-node: must be from 1.0 to 100.0, found 0.5",
                new String[] {"demo", "--live", "--minutes", "2"},
                "--minutes: must be from 3 to 60, found 2",
                new String[] {"simulate", "--guardrail", "wall"},
                "must be none, inline or sidecar, found 'wall'");
        Map<String[], String> wrongAlerting = Map.of(
                new String[] {"demo", "--slo", "../slo/demo.yaml"},
                "--slo: must be given with --live and without --fault, found it without --live",
                new String[] {"demo", "--live", "--slo", "../slo/demo.yaml", "--minutes", "8"},
                "--minutes: must be from 9 to 60, found 8",
                new String[] {"demo", "--live", "--slo", "missing.yaml"},
                "missing.yaml:\n  must be a readable file, found NoSuchFileException",
                new String[] {"up", "--alertmanager", "localhost:9093"},
                "--alertmanager: must be an address such as http://localhost:9093, found 'localhost:9093'");
        assertAllWrong(wrong);
        assertAllWrong(wrongAlerting);
        assertAllWrong(wrongOnClusters);
        assertAllWrong(wrongSimulations);
    }

    private void assertAllWrong(Map<String[], String> wrong) {
        wrong.forEach((arguments, message) -> {
            err.getBuffer().setLength(0);
            assertThat(run(arguments)).as(String.join(" ", arguments)).isEqualTo(2);
            assertThat(err.toString()).contains(message).doesNotContain("\tat ");
        });
    }

    @Test
    void aDirectoryInUseIsRefused(@TempDir Path directory) {
        try (DataLock lock = DataLock.take(directory)) {
            assertThat(lock).isNotNull();
            assertThat(run("demo", "--data", directory.toString())).isEqualTo(2);
            assertThat(err.toString()).contains("is in use by another inferwatch");
        }
    }

    private int run(String... arguments) {
        return InferwatchCommand.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }

    private static List<CommandLine> all(CommandLine root) {
        List<CommandLine> all = new ArrayList<>(List.of(root));
        root.getSubcommands().values().forEach(command -> all.addAll(all(command)));
        return all;
    }
}
