package io.inferwatch.servers;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * The InfluxDB server that this machine offers. Searched in this order: {@code influxd} on the PATH; one that an earlier search left in the cache
 * directory; the Debian package, downloaded by apt and unpacked into that directory, which needs no root; the image {@code influxdb:1.8}, where a
 * Docker engine answers.
 */
public sealed interface InfluxProgram {
    /** An {@code influxd} that can be run here. */
    record Executable(Path path) implements InfluxProgram {
        @Override
        public String description() {
            return path.toString();
        }
    }

    /** An image for the Docker engine, whose client is at {@code docker}. */
    record Image(Path docker, String name) implements InfluxProgram {
        @Override
        public String description() {
            return "Docker image " + name;
        }
    }

    /** What it is, for a line of output. */
    String description();

    /** Finds a server, or says what was tried and what to do. */
    static Availability<InfluxProgram> find() {
        return new Search(System.getenv()).find();
    }

    /** One search, with the environment that decides it. */
    final class Search {
        private static final String IMAGE = "influxdb:1.8";
        private static final Duration ENGINE_PATIENCE = Duration.ofSeconds(10);

        private final DebianProgram debian;

        Search(Map<String, String> environment) {
            this.debian = new DebianProgram("influxd", "influxdb", environment);
        }

        Availability<InfluxProgram> find() {
            Optional<InfluxProgram> found =
                    debian.find().<InfluxProgram>map(Executable::new).or(this::fromDocker);
            return found.<Availability<InfluxProgram>>map(Availability.Found::new)
                    .orElseGet(() -> new Availability.Missing<>("no InfluxDB server was found ("
                            + String.join("; ", debian.tried())
                            + "). Install InfluxDB 1.x so that influxd is on the PATH (Debian: apt-get install influxdb),"
                            + " or start Docker, or name a running server by its URL"));
        }

        private Optional<InfluxProgram> fromDocker() {
            Optional<Path> docker = debian.onPath("docker");
            if (docker.isEmpty()) {
                debian.tried().add("docker is not on the PATH");
                return Optional.empty();
            }
            try {
                Path here = Path.of(System.getProperty("java.io.tmpdir"));
                DebianProgram.run(
                        here, ENGINE_PATIENCE, docker.get().toString(), "version", "--format", "{{.Server.Version}}");
                return Optional.of(new Image(docker.get(), IMAGE));
            } catch (IOException e) {
                debian.tried().add("no Docker engine answers");
                return Optional.empty();
            }
        }
    }
}
