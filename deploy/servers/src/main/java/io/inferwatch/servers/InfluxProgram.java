package io.inferwatch.servers;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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
        private static final Duration DOWNLOAD_PATIENCE = Duration.ofMinutes(3);

        private final Map<String, String> environment;
        private final List<String> tried = new ArrayList<>();

        Search(Map<String, String> environment) {
            this.environment = environment;
        }

        Availability<InfluxProgram> find() {
            Optional<InfluxProgram> found =
                    onPath().or(this::inCache).or(this::fromDebianPackage).or(this::fromDocker);
            return found.<Availability<InfluxProgram>>map(Availability.Found::new)
                    .orElseGet(() -> new Availability.Missing<>("no InfluxDB server was found ("
                            + String.join("; ", tried)
                            + "). Install InfluxDB 1.x so that influxd is on the PATH (Debian: apt-get install influxdb),"
                            + " or start Docker, or name a running server by its URL"));
        }

        private Optional<InfluxProgram> onPath() {
            Optional<Path> influxd = program("influxd");
            if (influxd.isEmpty()) {
                tried.add("influxd is not on the PATH");
            }
            return influxd.map(Executable::new);
        }

        private Optional<InfluxProgram> inCache() {
            Path cache = cacheDirectory();
            if (!Files.isDirectory(cache)) {
                return Optional.empty();
            }
            try (Stream<Path> entries = Files.list(cache)) {
                return entries.filter(entry -> entry.getFileName().toString().startsWith("influxdb-"))
                        .map(entry -> entry.resolve("usr/bin/influxd"))
                        .filter(Files::isExecutable)
                        .max(Path::compareTo)
                        .map(Executable::new);
            } catch (IOException e) {
                tried.add("cache directory " + cache + " cannot be read: " + e.getMessage());
                return Optional.empty();
            }
        }

        private Optional<InfluxProgram> fromDebianPackage() {
            Optional<Path> apt = program("apt-get");
            Optional<Path> dpkg = program("dpkg");
            if (apt.isEmpty() || dpkg.isEmpty()) {
                tried.add("no Debian package: apt-get and dpkg are not on the PATH");
                return Optional.empty();
            }
            Path cache = cacheDirectory();
            Path work = null;
            try {
                Files.createDirectories(cache);
                work = Files.createTempDirectory(cache, "download-");
                Path archive = download(apt.get(), work);
                Path unpacked = Files.createDirectory(work.resolve("unpacked"));
                run(work, DOWNLOAD_PATIENCE, dpkg.get().toString(), "-x", archive.toString(), unpacked.toString());
                String version = archive.getFileName().toString().split("_", -1)[1];
                Path home = cache.resolve("influxdb-" + version);
                try {
                    Files.move(unpacked, home, StandardCopyOption.ATOMIC_MOVE);
                } catch (IOException e) {
                    // Another process was faster: its copy is as good.
                    if (!Files.isDirectory(home, LinkOption.NOFOLLOW_LINKS)) {
                        throw e;
                    }
                }
                Path influxd = home.resolve("usr/bin/influxd");
                if (!Files.isExecutable(influxd)) {
                    throw new IOException(archive.getFileName() + " has no usr/bin/influxd");
                }
                return Optional.of(new Executable(influxd));
            } catch (IOException e) {
                tried.add("the Debian package cannot be had: " + e.getMessage());
                return Optional.empty();
            } finally {
                discard(work);
            }
        }

        /** With the machine's package lists; where it has none, with lists of our own, which need no root either. */
        private Path download(Path apt, Path work) throws IOException {
            List<String> command = List.of(apt.toString(), "-q", "-o", "APT::Sandbox::User=root");
            try {
                run(work, DOWNLOAD_PATIENCE, join(command, "download", "influxdb"));
            } catch (IOException withMachinesLists) {
                Path state = work.resolve("apt");
                Files.createDirectories(state.resolve("lists/partial"));
                Files.createDirectories(state.resolve("cache/archives/partial"));
                List<String> ownLists = List.of(join(
                        command,
                        "-o",
                        "Dir::State::lists=" + state.resolve("lists"),
                        "-o",
                        "Dir::Cache=" + state.resolve("cache")));
                try {
                    run(work, DOWNLOAD_PATIENCE, join(ownLists, "update"));
                    run(work, DOWNLOAD_PATIENCE, join(ownLists, "download", "influxdb"));
                } catch (IOException withOwnLists) {
                    throw new IOException(
                            withMachinesLists.getMessage() + "; with fresh package lists: " + withOwnLists.getMessage(),
                            withOwnLists);
                }
            }
            try (Stream<Path> files = Files.list(work)) {
                return files.filter(file -> file.getFileName().toString().matches("influxdb_.*\\.deb"))
                        .findFirst()
                        .orElseThrow(() -> new IOException("apt-get download influxdb left no package"));
            }
        }

        private Optional<InfluxProgram> fromDocker() {
            Optional<Path> docker = program("docker");
            if (docker.isEmpty()) {
                tried.add("docker is not on the PATH");
                return Optional.empty();
            }
            try {
                Path here = Path.of(System.getProperty("java.io.tmpdir"));
                run(here, ENGINE_PATIENCE, docker.get().toString(), "version", "--format", "{{.Server.Version}}");
                return Optional.of(new Image(docker.get(), IMAGE));
            } catch (IOException e) {
                tried.add("no Docker engine answers");
                return Optional.empty();
            }
        }

        private Optional<Path> program(String name) {
            for (String directory : environment.getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
                if (!directory.isEmpty()) {
                    Path candidate = Path.of(directory, name);
                    if (Files.isRegularFile(candidate) && Files.isExecutable(candidate)) {
                        return Optional.of(candidate.toAbsolutePath());
                    }
                }
            }
            return Optional.empty();
        }

        private Path cacheDirectory() {
            String configured = environment.getOrDefault("XDG_CACHE_HOME", "");
            Path root = configured.isEmpty()
                    ? Path.of(environment.getOrDefault("HOME", System.getProperty("user.home")), ".cache")
                    : Path.of(configured);
            return root.resolve("inferwatch");
        }

        private static String[] join(List<String> first, String... rest) {
            return Stream.concat(first.stream(), Stream.of(rest)).toArray(String[]::new);
        }

        /** Runs the command in a directory, its output in a file there; throws with the last line of it when it fails. */
        private static void run(Path directory, Duration patience, String... command) throws IOException {
            Path output = Files.createTempFile("inferwatch-", ".out");
            try {
                Process process = new ProcessBuilder(command)
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                        .redirectOutput(output.toFile())
                        .start();
                String shown = Path.of(command[0]).getFileName() + " " + command[command.length - 1];
                try {
                    if (!process.waitFor(patience.toSeconds(), TimeUnit.SECONDS)) {
                        throw new IOException(shown + " took longer than " + patience.toSeconds() + " s");
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IOException(shown + " was interrupted", e);
                } finally {
                    process.destroyForcibly();
                }
                if (process.exitValue() != 0) {
                    String last = new String(Files.readAllBytes(output), StandardCharsets.UTF_8)
                            .lines()
                            .filter(line -> !line.isBlank())
                            .reduce("no output", (before, line) -> line);
                    throw new IOException(shown + ": exit status " + process.exitValue() + " (" + last + ")");
                }
            } finally {
                Files.deleteIfExists(output);
            }
        }

        private static void discard(@Nullable Path work) {
            try {
                if (work != null) {
                    DataDirectory.deleteTree(work);
                }
            } catch (IOException e) {
                throw new UncheckedIOException("cannot remove " + work, e);
            }
        }
    }
}
