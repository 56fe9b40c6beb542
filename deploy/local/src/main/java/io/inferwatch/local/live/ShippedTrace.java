package io.inferwatch.local.live;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Objects;

/** The trace that is shipped: twenty minutes of Azure's conversations. */
public final class ShippedTrace {
    private static final String FILE = "azure-conversations.csv.gz";

    private ShippedTrace() {}

    /** Writes it into a directory; returns the file. */
    public static Path unpack(Path directory) {
        Path file = directory.resolve(FILE);
        try (InputStream in = Objects.requireNonNull(ShippedTrace.class.getResourceAsStream(FILE))) {
            Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(file + " cannot be written", e);
        }
        return file;
    }
}
