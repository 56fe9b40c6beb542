package io.inferwatch.simulation.gpu;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * {@code libnvidia-ml.so.1} and {@code libcuda.so.1} of a host with simulated GPUs, in a directory that {@code LD_LIBRARY_PATH} may name. What they answer can be changed
 * while they are in use: {@code nvml.c} and {@code cuda.c} say by which keys.
 */
public final class SimulatedDriver {
    private static final List<String> SOURCES = List.of("script.h", "nvml.c", "cuda.c");

    private final Path directory;
    private final Map<String, String> script = new LinkedHashMap<>();

    private SimulatedDriver(Path directory) {
        this.directory = directory;
    }

    /**
     * Compiles both into a directory.
     *
     * @param compiler gcc, or what takes its options
     * @param options further ones, such as {@code -DOLD} for a driver before R510
     */
    public static SimulatedDriver compile(Path compiler, Path directory, String... options) throws IOException {
        for (String source : SOURCES) {
            try (InputStream text = Objects.requireNonNull(SimulatedDriver.class.getResourceAsStream(source), source)) {
                Files.copy(text, directory.resolve(source), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        SimulatedDriver driver = new SimulatedDriver(directory);
        List<String> nvml = new ArrayList<>(List.of("-o", driver.nvml().toString(), "nvml.c"));
        nvml.addAll(List.of(options));
        run(compiler, directory, nvml);
        // JCuda's library asks for it by this name, which may stand for a file that is loaded already.
        run(
                compiler,
                directory,
                List.of("-Wl,-soname,libcuda.so.1", "-o", driver.cuda().toString(), "cuda.c"));
        driver.write();
        return driver;
    }

    /** The library of NVML. */
    public Path nvml() {
        return directory.resolve("libnvidia-ml.so.1");
    }

    /** The library of CUDA's driver interface. */
    public Path cuda() {
        return directory.resolve("libcuda.so.1");
    }

    /** From now on it answers so. */
    public SimulatedDriver set(String key, Object value) throws IOException {
        script.put(key, value.toString());
        write();
        return this;
    }

    /** From now on it answers as it did without this. */
    public SimulatedDriver unset(String key) throws IOException {
        script.remove(key);
        write();
        return this;
    }

    private void write() throws IOException {
        Path next = Files.writeString(
                directory.resolve("driver.next"),
                script.entrySet().stream()
                        .map(line -> line.getKey() + " " + line.getValue() + "\n")
                        .collect(Collectors.joining()));
        Files.move(next, directory.resolve("driver.txt"), StandardCopyOption.ATOMIC_MOVE);
    }

    private static void run(Path compiler, Path directory, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(compiler.toString(), "-shared", "-fPIC", "-O1"));
        command.addAll(arguments);
        Path output = directory.resolve("compiler.log");
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            if (process.waitFor() != 0) {
                throw new IOException(command + " failed:\n" + Files.readString(output));
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("the compiler was interrupted", e);
        }
    }
}
