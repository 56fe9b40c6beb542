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
 * Searches for a program: on the PATH; one that an earlier search left in the cache directory; its Debian package, downloaded by apt and unpacked into that
 * directory, which needs no root.
 */
final class DebianProgram {
    private static final Duration DOWNLOAD_PATIENCE = Duration.ofMinutes(3);

    private final String program;
    private final String packageName;
    private final Map<String, String> environment;
    private final List<String> tried = new ArrayList<>();

    /** A search for a program of a package, with the environment that decides it. */
    DebianProgram(String program, String packageName, Map<String, String> environment) {
        this.program = program;
        this.packageName = packageName;
        this.environment = environment;
    }

    /** What was tried in vain so far. */
    List<String> tried() {
        return tried;
    }

    Optional<Path> find() {
        Optional<Path> installed = onPath(program);
        if (installed.isEmpty()) {
            tried.add(program + " is not on the PATH");
        }
        return installed.or(this::inCache).or(this::fromDebianPackage);
    }

    private Optional<Path> inCache() {
        Path cache = cacheDirectory();
        if (!Files.isDirectory(cache)) {
            return Optional.empty();
        }
        try (Stream<Path> entries = Files.list(cache)) {
            return entries.filter(entry -> entry.getFileName().toString().startsWith(packageName + "-"))
                    .map(entry -> entry.resolve("usr/bin").resolve(program))
                    .filter(Files::isExecutable)
                    .max(Path::compareTo);
        } catch (IOException e) {
            tried.add("cache directory " + cache + " cannot be read: " + e.getMessage());
            return Optional.empty();
        }
    }

    private Optional<Path> fromDebianPackage() {
        Optional<Path> apt = onPath("apt-get");
        Optional<Path> dpkg = onPath("dpkg");
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
            Path home = cache.resolve(packageName + "-" + version);
            try {
                Files.move(unpacked, home, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException e) {
                // Another process was faster: its copy is as good.
                if (!Files.isDirectory(home, LinkOption.NOFOLLOW_LINKS)) {
                    throw e;
                }
            }
            Path unpackedProgram = home.resolve("usr/bin").resolve(program);
            if (!Files.isExecutable(unpackedProgram)) {
                throw new IOException(archive.getFileName() + " has no usr/bin/" + program);
            }
            return Optional.of(unpackedProgram);
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
            run(work, DOWNLOAD_PATIENCE, join(command, "download", packageName));
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
                run(work, DOWNLOAD_PATIENCE, join(ownLists, "download", packageName));
            } catch (IOException withOwnLists) {
                throw new IOException(
                        withMachinesLists.getMessage() + "; with fresh package lists: " + withOwnLists.getMessage(),
                        withOwnLists);
            }
        }
        try (Stream<Path> files = Files.list(work)) {
            return files.filter(file -> file.getFileName().toString().matches(packageName + "_.*\\.deb"))
                    .findFirst()
                    .orElseThrow(() -> new IOException("apt-get download " + packageName + " left no package"));
        }
    }

    Optional<Path> onPath(String name) {
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
    static void run(Path directory, Duration patience, String... command) throws IOException {
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
