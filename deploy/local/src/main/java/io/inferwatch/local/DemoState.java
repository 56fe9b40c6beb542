package io.inferwatch.local;

import io.inferwatch.servers.ServerStartException;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import java.util.Properties;

/**
 * What a demo must know of an earlier one on the same directory: when its last request ends and how much faster it was played, so that an
 * unfinished one goes on as the same.
 *
 * @param end event time of the last request
 * @param seconds that the replay takes
 */
record DemoState(Instant end, int seconds) {
    private static final String FILE = "demo.properties";

    /** The state of an unfinished demo; empty where there is none. */
    static Optional<DemoState> read(Path data) {
        Path file = data.resolve(FILE);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
            return Optional.of(new DemoState(
                    Instant.parse(properties.getProperty("end", "")),
                    Integer.parseInt(properties.getProperty("seconds", ""))));
        } catch (IOException | DateTimeException | NumberFormatException e) {
            throw new ServerStartException(
                    file + ": must be what a demo wrote there, found " + e + "; delete " + data + " to begin anew", e);
        }
    }

    /** Notes that a demo has begun. */
    void write(Path data) {
        Properties properties = new Properties();
        properties.setProperty("end", end.toString());
        properties.setProperty("seconds", Integer.toString(seconds));
        try (Writer writer = Files.newBufferedWriter(data.resolve(FILE))) {
            properties.store(writer, "An unfinished demo; it goes on as it began.");
        } catch (IOException e) {
            throw new ServerStartException(data.resolve(FILE) + " cannot be written: " + e, e);
        }
    }

    /** Notes that the demo in the directory is finished. */
    static void finish(Path data) {
        try {
            Files.deleteIfExists(data.resolve(FILE));
        } catch (IOException e) {
            throw new IllegalStateException(data.resolve(FILE) + " cannot be removed", e);
        }
    }
}
