package io.inferwatch.analytics;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** The larger recorded data ({@code INFERWATCH_DATA}); a test that asks for what is not at hand is skipped and says so. */
public final class RecordedData {
    private RecordedData() {}

    /** A file or directory. */
    public static Path path(String name) {
        String directory = System.getenv("INFERWATCH_DATA");
        Path file =
                Path.of(directory == null ? "../../../shared/data" : directory).resolve(name);
        assumeTrue(
                Files.exists(file), "skipped: no " + file + "; INFERWATCH_DATA names the directory of recorded data");
        return file;
    }

    /** The lines of a text file, compressed or not. */
    public static List<String> lines(String name) {
        Path file = path(name);
        try (InputStream in = Files.newInputStream(file);
                BufferedReader reader = new BufferedReader(new InputStreamReader(
                        file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in, StandardCharsets.UTF_8))) {
            return reader.lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
