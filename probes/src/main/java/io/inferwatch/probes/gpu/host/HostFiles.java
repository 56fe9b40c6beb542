package io.inferwatch.probes.gpu.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where the host's kernel tells about itself; in a container these are where the host's own are mounted. A file that is not there, or may not be read, is absent.
 *
 * @param proc procfs
 * @param sys sysfs
 * @param cgroup the unified hierarchy of control groups
 */
public record HostFiles(Path proc, Path sys, Path cgroup) {
    static Optional<String> text(Path file) {
        try {
            return Optional.of(Files.readString(file).strip());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** A whole number; null for anything else, {@code max} included. */
    static @Nullable Long number(String text) {
        try {
            return Long.valueOf(text.strip());
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
