package io.inferwatch.servers;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What integration tests need from the machine. A test skips itself with the reason where something is missing
 * ({@code assumeTrue(influx.isFound(), influx.reason())}); with {@code CI=true} in the environment a missing server is an error instead, so that
 * a green build there has run everything.
 */
public final class TestServers {
    private TestServers() {}

    /** The InfluxDB server to start; {@link ServerStartException} when there is none and {@code CI=true}. */
    public static Availability<InfluxProgram> influx() {
        return requireInCi(InfluxProgram.find(), System.getenv());
    }

    /** The Alertmanager to start; {@link ServerStartException} when there is none and {@code CI=true}. */
    public static Availability<Path> alertmanager() {
        return requireInCi(AlertmanagerServer.find(), System.getenv());
    }

    /**
     * A file or directory of the recorded data: {@code INFERWATCH_DATA} in the environment names their directory; without it, it is
     * {@code shared/data} beside the working copy. Missing data is no error even in CI: they are no part of the working copy.
     */
    public static Availability<Path> data(String relativePath) {
        return data(relativePath, System.getenv("INFERWATCH_DATA"), Path.of("").toAbsolutePath());
    }

    static Availability<Path> data(String relativePath, @Nullable String configured, Path workingDirectory) {
        Path root;
        if (configured != null && !configured.isEmpty()) {
            root = Path.of(configured);
        } else {
            Path copy = workingCopy(workingDirectory);
            root = copy.resolveSibling("shared").resolve("data");
        }
        Path wanted = root.resolve(relativePath);
        return Files.exists(wanted)
                ? new Availability.Found<>(wanted)
                : new Availability.Missing<>(
                        "no recorded data: " + wanted + " does not exist; INFERWATCH_DATA names their directory");
    }

    /** A C compiler, for libraries that stand in for a driver; {@link ServerStartException} when there is none and {@code CI=true}. */
    public static Availability<Path> compiler() {
        return requireInCi(program("gcc", System.getenv().getOrDefault("PATH", "")), System.getenv());
    }

    static Availability<Path> program(String name, String searchPath) {
        return Arrays.stream(searchPath.split(File.pathSeparator, -1))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst()
                .<Availability<Path>>map(Availability.Found::new)
                .orElseGet(() -> new Availability.Missing<>(
                        name + " is not on the PATH (Debian: apt-get install " + name + ")"));
    }

    static <T> Availability<T> requireInCi(Availability<T> availability, Map<String, String> environment) {
        if (!availability.isFound() && "true".equals(environment.get("CI"))) {
            throw new ServerStartException("CI=true, but " + availability.reason());
        }
        return availability;
    }

    /** The nearest directory upwards that holds Maven's settings of this project; the given one when there is none. */
    private static Path workingCopy(Path from) {
        for (Path at = from; at != null; at = at.getParent()) {
            if (Files.exists(at.resolve(".mvn"))) {
                return at;
            }
        }
        return from;
    }
}
