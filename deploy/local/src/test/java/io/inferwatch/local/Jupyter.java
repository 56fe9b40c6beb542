package io.inferwatch.local;

import io.inferwatch.servers.Availability;
import io.inferwatch.servers.ServerStartException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Jupyter with what the notebooks import, as the PATH has it; its many packages cannot be unpacked without root. With {@code CI=true} in the environment it is an error that it is not
 * there.
 */
record Jupyter(Path nbconvert) {
    private static final String ADVICE =
            "(Debian: apt-get install jupyter-nbconvert python3-ipykernel python3-pandas python3-matplotlib)";

    static Availability<Jupyter> find() {
        Availability<Jupyter> found = Stream.of(
                        System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, "jupyter-nbconvert"))
                .filter(Files::isExecutable)
                .filter(Jupyter::hasLibraries)
                .findFirst()
                .<Availability<Jupyter>>map(program -> new Availability.Found<>(new Jupyter(program)))
                .orElseGet(() -> new Availability.Missing<>(
                        "no Jupyter on the PATH with pandas, matplotlib and a kernel " + ADVICE));
        if (!found.isFound() && "true".equals(System.getenv("CI"))) {
            throw new ServerStartException("CI=true, but " + found.reason());
        }
        return found;
    }

    /** Asked of the Python that it runs with, by its first line. */
    private static boolean hasLibraries(Path program) {
        try (Stream<String> lines = Files.lines(program)) {
            String first = lines.findFirst().orElse("");
            String python = first.startsWith("#!") ? first.substring(2).trim() : "python3";
            Process process = new ProcessBuilder(
                            python.split(" ", -1)[0], "-c", "import ipykernel, matplotlib, nbconvert, pandas")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try {
                return process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0;
            } finally {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
