package io.inferwatch.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ParentDeathIT {
    @ParameterizedTest
    @ValueSource(strings = {"SIGKILL", "SIGTERM", "exit"})
    void noServerOutlivesItsParent(String end, @TempDir Path temporary) throws Exception {
        Process parent = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.io.tmpdir=" + temporary,
                        "-cp",
                        System.getProperty("java.class.path"),
                        ServersOwner.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            List<Long> servers = readPids(parent);
            assertThat(servers).isNotEmpty().allMatch(ParentDeathIT::isAlive);
            switch (end) {
                case "SIGKILL" -> parent.destroyForcibly();
                case "SIGTERM" -> parent.destroy();
                default -> {
                    parent.getOutputStream().write('x');
                    parent.getOutputStream().flush();
                }
            }
            await().atMost(Duration.ofSeconds(15))
                    .untilAsserted(() -> assertThat(servers).noneMatch(ParentDeathIT::isAlive));
        } finally {
            parent.destroyForcibly();
        }
    }

    private static List<Long> readPids(Process parent) throws IOException {
        List<Long> pids = new ArrayList<>();
        BufferedReader lines = parent.inputReader(StandardCharsets.UTF_8);
        String line = lines.readLine();
        while (line != null && !line.equals("ready")) {
            if (line.startsWith("pid ")) {
                pids.add(Long.parseLong(line.substring(4)));
            }
            line = lines.readLine();
        }
        return pids;
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }
}
