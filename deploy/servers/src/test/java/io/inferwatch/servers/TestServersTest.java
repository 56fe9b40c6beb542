package io.inferwatch.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestServersTest {
    private static final Availability<String> MISSING = new Availability.Missing<>("nothing here");

    @Test
    void aMissingServerIsAnErrorInCiOnly() {
        assertThat(TestServers.requireInCi(MISSING, Map.of()).isFound()).isFalse();
        assertThat(TestServers.requireInCi(MISSING, Map.of("CI", "false")).reason())
                .isEqualTo("nothing here");
        assertThatThrownBy(() -> TestServers.requireInCi(MISSING, Map.of("CI", "true")))
                .isInstanceOf(ServerStartException.class)
                .hasMessage("CI=true, but nothing here");
    }

    @Test
    void somethingFoundIsFoundInCiToo() {
        assertThat(TestServers.requireInCi(new Availability.Found<>("here"), Map.of("CI", "true"))
                        .get())
                .isEqualTo("here");
    }

    @Test
    void recordedDataLieWhereTheEnvironmentSaysOrBesideTheWorkingCopy(@TempDir Path directory) throws IOException {
        Path copy = Files.createDirectories(directory.resolve("copy/module/sub"));
        Files.createDirectory(directory.resolve("copy/.mvn"));
        Path beside = Files.createDirectories(directory.resolve("shared/data"));
        Files.writeString(beside.resolve("a.csv"), "x");
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        Files.writeString(elsewhere.resolve("b.csv"), "x");

        assertThat(TestServers.data("a.csv", null, copy).get()).isEqualTo(beside.resolve("a.csv"));
        assertThat(TestServers.data("b.csv", elsewhere.toString(), copy).get()).isEqualTo(elsewhere.resolve("b.csv"));
        assertThat(TestServers.data("a.csv", elsewhere.toString(), copy).reason())
                .contains("a.csv does not exist")
                .contains("INFERWATCH_DATA");
    }

    @Test
    void aProgramIsTheFirstExecutableOfItsNameOnThePath(@TempDir Path directory) throws IOException {
        Path first = Files.createDirectory(directory.resolve("first"));
        Path second = Files.createDirectory(directory.resolve("second"));
        Files.createFile(first.resolve("gcc"));
        Path compiler = Files.createFile(second.resolve("gcc"));
        assertThat(compiler.toFile().setExecutable(true)).isTrue();

        assertThat(TestServers.program("gcc", first + "::" + second).get()).isEqualTo(compiler);
        assertThat(TestServers.program("gcc", first.toString()).reason())
                .isEqualTo("gcc is not on the PATH (Debian: apt-get install gcc)");
    }
}
