package io.inferwatch.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.inferwatch.servers.Availability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every notebook, run from its first cell to its last on what the real jobs made of a simulated fleet; its own assertions hold, and every plot is drawn. Run notebooks are in
 * {@code target/notebooks}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(StoredFleetResolver.class)
class NotebooksIT {
    private static final Path RUN = Path.of("target", "notebooks");
    private static final int PATIENCE_SECONDS = 180;

    private final StoredFleet fleet;

    @TempDir
    private Path directory;

    NotebooksIT(StoredFleet fleet) {
        this.fleet = fleet;
    }

    @ParameterizedTest
    @MethodSource("io.inferwatch.local.Notebook#all")
    void runsAndDrawsEveryPlot(Notebook notebook) throws Exception {
        Availability<Jupyter> jupyter = Jupyter.find();
        assumeTrue(jupyter.isFound(), jupyter.reason());
        Files.createDirectories(RUN);
        run(jupyter.get(), notebook);

        Notebook done = Notebook.read(RUN.resolve(notebook.toString()));
        assertThat(done.codeCells()).hasSameSizeAs(notebook.codeCells()).allSatisfy(cell -> assertThat(
                        cell.get("execution_count").isInt())
                .isTrue());
        assertThat(done.plottingCells()).isNotEmpty().allSatisfy(cell -> assertThat(images(cell))
                .as(Notebook.text(cell))
                .isEqualTo(1));
    }

    private void run(Jupyter jupyter, Notebook notebook) throws IOException, InterruptedException {
        Path log = directory.resolve("jupyter.log");
        ProcessBuilder builder = new ProcessBuilder(
                        jupyter.nbconvert().toString(),
                        "--to",
                        "notebook",
                        "--execute",
                        "--output-dir",
                        RUN.toAbsolutePath().toString(),
                        notebook.file().toAbsolutePath().normalize().toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment()
                .put("INFERWATCH_INFLUXDB_URL", fleet.influx().url().toString());
        builder.environment().put("INFERWATCH_COMMAND", command());
        // Nothing is written beside the committed files, or into the home directory.
        builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        builder.environment().put("IPYTHONDIR", directory.toString());
        builder.environment().put("MPLCONFIGDIR", directory.toString());
        Process process = builder.start();
        try {
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as("%s ends within %d s", notebook, PATIENCE_SECONDS)
                    .isTrue();
            assertThat(process.exitValue())
                    .as("%s%n%s", notebook, Files.readString(log))
                    .isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    /** {@code inferwatch} on the classes under test. */
    private static String command() {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                InferwatchCommand.class.getName()));
        command.replaceAll(part -> "'" + part + "'");
        return String.join(" ", command);
    }

    private static long images(JsonNode cell) {
        long images = 0;
        for (JsonNode output : cell.get("outputs")) {
            images += output.path("data").has("image/png") ? 1 : 0;
        }
        return images;
    }
}
