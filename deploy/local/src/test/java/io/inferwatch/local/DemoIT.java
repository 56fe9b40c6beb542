package io.inferwatch.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.inferwatch.servers.Availability;
import io.inferwatch.servers.InfluxProgram;
import io.inferwatch.servers.TestServers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoIT {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final Availability<InfluxProgram> influx = TestServers.influx();

    @Test
    void stopsInOrderOnCtrlCAndGoesOnWhenStartedAgain(@TempDir Path directory) throws Exception {
        assumeTrue(influx.isFound(), influx.reason());
        Path data = directory.resolve("data");
        Path first = directory.resolve("first.out");
        Process demo = start(data, first);
        try {
            await("a replay under way, and a checkpoint")
                    .atMost(PATIENCE)
                    .until(() -> !demo.isAlive() || (Files.exists(data.resolve("replay.json")) && hasCheckpoint(data)));
            List<ProcessHandle> servers = demo.descendants().toList();
            assertThat(servers).as("processes of %s", text(first)).hasSizeGreaterThanOrEqualTo(2);
            interrupt(demo);
            assertThat(demo.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(text(first)).contains("inferwatch demo: stopped").doesNotContain("every one, once");
            await("the end of every process").atMost(Duration.ofSeconds(10)).until(() -> servers.stream()
                    .noneMatch(ProcessHandle::isAlive));
            assertThat(data.resolve("demo.properties")).exists();
        } finally {
            demo.destroyForcibly();
        }

        Path second = directory.resolve("second.out");
        Process again = start(data, second);
        try {
            assertThat(again.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(text(second))
                    .contains("going on with the unfinished demo")
                    .contains(
                            "49,334 requests in the file, 49,334 in InfluxDB by the sum over the windows of each of 13 views: "
                                    + "every one, once")
                    .contains("late 0, dead letters 0")
                    .contains("missing from their stream 0");
            assertThat(again.exitValue()).isZero();
            assertThat(data.resolve("demo.properties")).doesNotExist();
        } finally {
            again.destroyForcibly();
        }
    }

    private static Process start(Path data, Path output) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx1g",
                        "-cp",
                        System.getProperty("java.class.path"),
                        InferwatchCommand.class.getName(),
                        "demo",
                        "--seconds=15",
                        "--data=" + data)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    private static boolean hasCheckpoint(Path data) throws IOException {
        Path checkpoints = data.resolve("flink/checkpoints/measure");
        if (!Files.isDirectory(checkpoints)) {
            return false;
        }
        try (Stream<Path> files = Files.walk(checkpoints)) {
            return files.anyMatch(file -> file.endsWith("_metadata"));
        } catch (UncheckedIOException e) {
            // A checkpoint was removed while the walk came by.
            return false;
        }
    }

    /** What a terminal sends at Ctrl-C. */
    private static void interrupt(Process process) throws Exception {
        assertThat(new ProcessBuilder("kill", "-INT", Long.toString(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    private static String text(Path file) throws IOException {
        return Files.exists(file) ? Files.readString(file) : "";
    }
}
