package io.inferwatch.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** Where a server keeps its data: a directory that the caller names and that stays, or a temporary one that goes with the server. */
record DataDirectory(Path path, boolean isTemporary) {
    static DataDirectory of(@Nullable Path given, String prefix) {
        try {
            return given == null
                    ? new DataDirectory(Files.createTempDirectory(prefix), true)
                    : new DataDirectory(Files.createDirectories(given).toAbsolutePath(), false);
        } catch (IOException e) {
            throw new ServerStartException(
                    "data directory " + (given == null ? "in " + System.getProperty("java.io.tmpdir") : given)
                            + ": must be writable: " + e,
                    e);
        }
    }

    /** Removes a temporary directory; a given one stays. */
    void release() {
        if (isTemporary) {
            try {
                deleteTree(path);
            } catch (IOException e) {
                throw new UncheckedIOException("temporary directory " + path + " cannot be removed", e);
            }
        }
    }

    static void deleteTree(Path root) throws IOException {
        if (!Files.exists(root)) {
            return;
        }
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
                    throws IOException {
                Files.deleteIfExists(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
