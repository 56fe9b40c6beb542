package io.inferwatch.local.bench;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A program that this machine offers: on the PATH or in /usr/sbin, else out of Debian's packages, downloaded by apt and unpacked into a directory, which needs no root.
 *
 * @param libraries where its packages' libraries lie; empty for an installed one
 */
record DebianProgram(Path path, Optional<Path> libraries) {
    private static final long PATIENCE_SECONDS = 120;

    /** Finds it, or nothing where there is neither. */
    static Optional<DebianProgram> find(String name, Path directory, List<String> packages) {
        List<String> places =
                new ArrayList<>(List.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)));
        places.add("/usr/sbin");
        Optional<DebianProgram> installed = places.stream()
                .filter(place -> !place.isEmpty())
                .map(place -> Path.of(place, name))
                .filter(Files::isExecutable)
                .findFirst()
                .map(path -> new DebianProgram(path, Optional.empty()));
        return installed.isPresent() ? installed : unpacked(name, directory, packages);
    }

    /** A process of it, with its output in a file. */
    ProcessBuilder command(Path output, String... arguments) {
        List<String> command = new ArrayList<>(List.of(path.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        libraries.ifPresent(place -> builder.environment().put("LD_LIBRARY_PATH", place.toString()));
        return builder;
    }

    private static Optional<DebianProgram> unpacked(String name, Path directory, List<String> packages) {
        try {
            Path home = Files.createDirectories(directory.resolve(name));
            List<String> download =
                    new ArrayList<>(List.of("apt-get", "-q", "-o", "APT::Sandbox::User=root", "download"));
            download.addAll(packages);
            run(home, download);
            try (Stream<Path> archives = Files.list(home)) {
                for (Path archive : archives.filter(file -> file.toString().endsWith(".deb"))
                        .toList()) {
                    run(home, List.of("dpkg", "-x", archive.toString(), home.toString()));
                }
            }
            Path program = home.resolve("usr/sbin").resolve(name);
            Path libraries = home.resolve("usr/lib/x86_64-linux-gnu");
            return Files.isExecutable(program)
                    ? Optional.of(new DebianProgram(program, Optional.of(libraries)))
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static void run(Path directory, List<String> command) throws IOException {
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("output.log").toFile())
                .start();
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException(command.get(0) + " failed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(command.get(0) + " was interrupted", e);
        } finally {
            process.destroyForcibly();
        }
    }
}
