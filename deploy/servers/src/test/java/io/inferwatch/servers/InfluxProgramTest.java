package io.inferwatch.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InfluxProgramTest {
    @Test
    void theOneOnThePathComesFirst(@TempDir Path directory) throws IOException {
        Path onPath = program(directory.resolve("bin/influxd"));
        program(directory.resolve("cache/inferwatch/influxdb-1.6.7/usr/bin/influxd"));
        assertThat(search(directory).get()).isEqualTo(new InfluxProgram.Executable(onPath));
    }

    @Test
    void theNewestInTheCacheComesNext(@TempDir Path directory) throws IOException {
        program(directory.resolve("cache/inferwatch/influxdb-1.6.7/usr/bin/influxd"));
        Path newer = program(directory.resolve("cache/inferwatch/influxdb-1.8.10/usr/bin/influxd"));
        Files.createDirectories(directory.resolve("cache/inferwatch/download-1/usr/bin"));
        assertThat(search(directory).get()).isEqualTo(new InfluxProgram.Executable(newer));
    }

    @Test
    void aMachineWithNothingIsToldWhatWasTriedAndWhatToDo(@TempDir Path directory) {
        Availability<InfluxProgram> found = search(directory);
        assertThat(found.isFound()).isFalse();
        assertThat(found.reason())
                .contains("influxd is not on the PATH")
                .contains("apt-get and dpkg are not on the PATH")
                .contains("docker is not on the PATH")
                .contains("apt-get install influxdb");
    }

    private static Availability<InfluxProgram> search(Path directory) {
        return new InfluxProgram.Search(Map.of(
                        "PATH", directory.resolve("bin").toString(),
                        "XDG_CACHE_HOME", directory.resolve("cache").toString()))
                .find();
    }

    private static Path program(Path path) throws IOException {
        Files.createDirectories(path.getParent());
        Files.writeString(path, "#!/bin/sh\n");
        assertThat(path.toFile().setExecutable(true)).isTrue();
        return path;
    }
}
